//! Counters on scripted sources of events, and on this host's.

mod host;
mod l3_latency;
mod memory_controllers;
mod refusals;
