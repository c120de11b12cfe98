//! What does memory give that is spread over several nodes? CPUs stream through it, or one of them
//! chases through it.
//!
//! A visit is one window, or one chase. Pages are dealt out by weights, each bound to its node by
//! itself and looked up afterwards ([`InterleavedPlace`](nearfar_place::InterleavedPlace)): neither
//! root nor a kernel that knows weights is needed. Streams run on base pages, as the kernel deals
//! them out; chases on huge pages where the memory is large enough for them to keep the weights, so
//! that TLB misses stay out of latency.

mod chases;
mod setup;
mod station;
#[cfg(test)]
mod tests;

pub use setup::{InterleaveNode, InterleaveSetup, InterleaveTreatment};
