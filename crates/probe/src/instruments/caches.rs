//! Cache sizes: one CPU chases pointers through buffers of growing size, on huge and base pages.
//!
//! A visit has one size and one page size. It follows its cycle until caches are in a steady state,
//! then times a part of it. A process draws its cycles once, so every visit to a size accesses the
//! same lines in the same order, as inference assumes.
//!
//! Every line of a buffer is accessed once per round. Slots wider than a line would access some
//! lines only: at a fixed position they use every fourth set, at a random one they use sets
//! unevenly. Either way a buffer would seem to fit a cache four times its size. The adjacent-line
//! prefetcher, for which the latency probes use wide slots, loads only lines of the buffer here.

mod buffer;
mod order;
mod regions;
mod setup;
mod station;

pub use regions::footprint;
pub use setup::{CacheSetup, SweepRow, sizes, thinned};
