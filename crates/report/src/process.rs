//! Running programs as text.

pub mod where_is;
