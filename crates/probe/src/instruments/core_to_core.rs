//! How far is it from core to core? Two pinned threads and a cache line between them.
//!
//! Three questions that published tools mix up, kept apart as [`Exchange`]s: how long the two take
//! to hand a line to and fro by compare-and-swap, and what a load costs of a line that the other
//! CPU has just written, or just read. Where the line's memory is, its *home*, is a factor of its
//! own: on Skylake a modified line costs 114 ns homed at the writer and 178 ns homed at the reader
//! (Molka et al., ICPP 2015, and Intel's MLC measure the same way).
//!
//! Two virtual CPUs that a hypervisor runs in turns on one core make every such figure meaningless,
//! so pairs that do not run at the same time are recognised ([`overlap`]) and dropped with that
//! reason.

mod exploration;
mod handoff;
mod overlap;
mod partner;
mod setup;
mod station;
mod transfer;

pub use exploration::{Exploration, ExplorationProgress, explore};
pub use setup::{Exchange, Home, PairSetup, PairTreatment};
