//! `nearfar sweep` in machines whose truth is known: a program that waits for memory and nothing else (`lab/chase`) must take its placements in the order of the
//! latencies that were put in.

#[path = "sweeping/held.rs"]
mod held;
#[path = "sweeping/humps.rs"]
mod humps;
#[allow(dead_code)] // what other tests share
mod lab;
#[path = "sweeping/order.rs"]
mod order;
#[path = "sweeping/swept.rs"]
mod swept;
#[allow(dead_code)] // what other instruments need
#[path = "instruments/truth.rs"]
mod truth;
