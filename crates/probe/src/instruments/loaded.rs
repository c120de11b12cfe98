//! Loaded latency: one CPU walks pages while others stream through the same node's memory, or
//! another's.
//!
//! A visit is one page sample of the *victim*, a CPU that the process draws from the row, beside
//! *aggressors*: the row's CPUs outside the victim's core. Each aggressor streams through its own
//! memory with a pause after every piece. The sample carries their traffic.

mod aggressors;
mod setup;
mod station;
#[cfg(test)]
mod tests;

pub use setup::{Load, LoadedSetup};
