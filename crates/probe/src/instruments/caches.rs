//! Where does each cache end? One CPU chases pointers round buffers of growing size, on huge pages
//! and on base pages.
//!
//! A visit is one size on one kind of pages. It goes round its cycle until caches hold what they
//! hold of it for good, then times a stretch. A process draws its cycles once, so every visit to a
//! size meets the same lines in the same order, as inference assumes.
//!
//! Every line of a buffer is met, once a round. Slots wider than a line would meet some lines only:
//! at a fixed place they fill every fourth set, at a drawn one they fill sets unevenly, and a
//! buffer would seem to fit a cache four times its size either way. The adjacent-line prefetcher,
//! which the latency probes' wide slots are for, brings nothing here that is not of the buffer.

mod buffer;
mod order;
mod regions;
mod setup;
mod station;

pub use regions::footprint;
pub use setup::{CacheSetup, SweepRow, sizes, thinned};
