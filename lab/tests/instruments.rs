//! What the other instruments find in machines whose truth is known: bandwidth, latency under load, the way from core to core, spread memory.
//!
//! Busy CPUs share two of the host's, so these machines are slowed down by far more than for latency alone (docs/lab.md says how much and why).

#[path = "instruments/bandwidth.rs"]
mod bandwidth;
#[path = "instruments/core_to_core.rs"]
mod core_to_core;
#[path = "instruments/document.rs"]
mod document;
#[path = "instruments/everything.rs"]
mod everything;
#[path = "instruments/interleave.rs"]
mod interleave;
#[allow(dead_code)] // what other tests share
mod lab;
#[path = "instruments/loaded.rs"]
mod loaded;
#[path = "instruments/queue.rs"]
mod queue;
#[allow(dead_code)] // what sweeps need
#[path = "instruments/truth.rs"]
mod truth;
