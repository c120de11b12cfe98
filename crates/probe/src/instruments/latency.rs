//! Access latency: one CPU of a row accesses a column's memory by one of the probes.

mod setup;
mod station;

pub use setup::LatencySetup;
