//! Costs of pages and lines whose node is unknown: the measuring side of the search for NUMA nodes
//! that the system hides.
//!
//! A process touches huge pages until they span physical memory, up to a fraction of what is free.
//! It keeps some that lie far apart, and holds the rest so that the kernel cannot reuse them. It
//! samples every kept page from every row, in randomised rounds. Between these it samples a few
//! hundred lines from every row, since firmware may interleave lines instead of pages. It also
//! samples one page repeatedly, the *reference*, whose costs over time reveal a moved CPU.
//!
//! Root can read physical addresses: then pages are selected by address, verified at the end, and
//! samples carry their page's number. Otherwise pages are selected evenly.

mod lines;
mod pool;
mod selection;
mod setup;
mod station;
#[cfg(test)]
mod tests;

pub use setup::{HUGE_PAGE, HiddenSetup, Target};
