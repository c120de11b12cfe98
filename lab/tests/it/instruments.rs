//! What the other instruments find in machines whose truth is known: bandwidth, latency under load,
//! the way from core to core, spread memory.
//!
//! Busy CPUs share two of the host's, so these machines are slowed down by far more than for
//! latency alone (docs/lab/cost.md explains how much and why).

mod bandwidth;
pub(crate) mod core_to_core;
pub(crate) mod document;
mod everything;
mod interleave;
mod loaded;
mod queue;
pub(crate) mod truth;
