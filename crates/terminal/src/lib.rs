//! What commands share on a terminal.
//!
//! - [`printable`]: text of strangers, without what a terminal obeys.

pub mod printable;
