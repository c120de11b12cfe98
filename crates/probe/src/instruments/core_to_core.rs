//! Core-to-core latency: two pinned threads and a cache line between them.
//!
//! Published tools mix three measurements, which are separate [`Exchange`]s here: the ping-pong of
//! a line by compare-and-swap, and the load of a line that the other CPU has just written, or just
//! read. The node of the line's memory, its *home*, is a separate factor. On Skylake a modified
//! line costs 114 ns homed at the writer and 178 ns homed at the reader (Molka et al., ICPP 2015;
//! Intel's MLC measures the same way).
//!
//! Two virtual CPUs that time-share one core give meaningless figures. Such pairs are detected
//! ([`overlap`]) and dropped with that reason.

mod exploration;
mod handoff;
mod overlap;
mod partner;
mod setup;
mod station;
mod transfer;

pub use exploration::{Exploration, ExplorationProgress, explore};
pub use setup::{Exchange, Home, PairSetup, PairTreatment};
