//! What do pages and lines cost of which nobody knows where they are? The measuring side of the
//! search for NUMA that the system hides.
//!
//! A process touches huge pages until they span physical memory, as far as it may: a part of what
//! is free. It keeps some that lie far apart, holds the rest so that the kernel cannot hand them
//! out again, and takes a sample of every page that it keeps from every row, in randomised rounds.
//! Between them it takes each line of a few hundred from every row (firmware may deal out lines,
//! not pages), and again and again one page, the *reference*, whose costs in the order of time show
//! whether a CPU was moved meanwhile.
//!
//! Root sees where in physical memory pages are: then they are chosen by it, each is looked up
//! again at the end, and samples carry their page's number. Without, pages are chosen evenly from
//! what was touched.

mod lines;
mod pool;
mod selection;
mod setup;
mod station;
#[cfg(test)]
mod tests;

pub use setup::{HUGE_PAGE, HiddenSetup, Target};
