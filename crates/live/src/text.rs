//! `nearfar top`: a machine during one interval, as lines of text that fit a terminal of any size.
//!
//! A column that has no room is left out, the least important one first.

mod amount;
mod columns;
mod frame;
mod groups;
mod help;
mod lists;
mod nodes;
mod processes;
mod summary;

pub use frame::{Frame, frame, once};
