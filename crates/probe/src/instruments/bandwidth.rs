//! How much does memory deliver? Threads of a CPU group stream through a node's memory, all in one
//! common window.
//!
//! A visit is windows on end, of which the fastest counts: so many of a group's threads, one
//! kernel, one node. Each thread has memory of its own, so large that what all of them sweep does
//! not come from caches. Rates are those of the window in which all worked; the sum of what each
//! did by itself overstates.

pub(crate) mod node_buffers;
mod setup;
mod station;
mod steps;

pub use setup::{BandwidthSetup, StreamTreatment};
pub use steps::thread_steps;
