//! What does an access cost? One CPU of a row accesses a column's memory by one of the probes.

mod setup;
mod station;

pub use setup::LatencySetup;
