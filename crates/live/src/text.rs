//! `nearfar top`: a machine during one interval, as lines of text that fit a terminal of any size.
//!
//! A column that has no room is left out, the least important one first.

pub(crate) mod amount;
mod columns;
mod csv;
mod frame;
mod help;
pub(crate) mod key_answers;
mod keys;
pub(crate) mod lists;
mod most_remote;
mod summary;

pub use csv::csv;
pub use frame::{Frame, frame, once, screen};
pub use help::column_table;
pub use summary::uncounted;
