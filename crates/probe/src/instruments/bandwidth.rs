//! Memory bandwidth: threads of a CPU group stream through a node's memory in one common window.
//!
//! A visit is a series of windows; the fastest counts. It has a number of threads, a
//! kernel and a node. Each thread has its own memory, together too large for caches. Rates are
//! those of the window in which all threads worked; a sum of each thread's own rate overstates.

pub(crate) mod node_buffers;
mod setup;
mod station;
mod steps;

pub use setup::{BandwidthSetup, StreamTreatment};
pub use steps::thread_steps;
