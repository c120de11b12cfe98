//! Interleaved memory: CPUs stream through it, or one of them chases through it.
//!
//! A visit is one window, or one chase. Each page is bound to its node by weight, and verified
//! ([`InterleavedPlace`](nearfar_place::InterleavedPlace)): neither root nor a kernel with weights
//! is needed. Streams run on base pages, the kernel's unit of interleaving. Chases run on huge
//! pages if the memory is large enough to keep the weights, so that latency has no TLB misses.

mod chases;
mod setup;
mod station;
#[cfg(test)]
mod tests;

pub use setup::{InterleaveNode, InterleaveSetup, InterleaveTreatment};
