//! Streaming loops: the throughput of a thread, timed by the caller
//! ([`ThreadTeam`](crate::thread_team::ThreadTeam)).
//!
//! A [`Kernel`] defines the operation and its traffic, an [`Isa`] the instructions, a
//! [`StreamMemory`] the memory. A [`StreamSweep`] combines them and loops over the memory, a
//! [`TURN`] at a time.
//!
//! Each array is walked as four concurrent streams, one per quarter. Hardware prefetchers stop at
//! the end of each 4 KiB page, and while they restart for one stream the others continue. Arrays
//! that are only written are prefetched for ownership a kilobyte ahead, since a core has few such
//! requests in flight while its stores wait. Both were measured (one guest on a fourth- or
//! fifth-generation Xeon, 40 to 80 interleaved runs, gain over one plain stream): write 51 %, copy
//! and triad 15 to 24 %, non-temporal copy 20 %, read 3 %, SSE2 read 12 to 16 %. Mixes of reads and
//! writes gain nothing from prefetching and have none.
//!
//! The distance between streams is in `spacing`. Compared with adjacent streams, it gained on a
//! guest of a Zen 3 (one thread, AVX2, eight interleaved runs of each program, twice, in turn):
//! non-temporal copy 60 %, the mixes 7 to 30 %, write 7 %, read 1 and 17 %. Copy was unchanged, and
//! triad lost 6 %. Two threads gained 27 % for non-temporal copy and little else.

mod isa;
mod kernel;
mod loops;
mod spacing;
mod sweep;
#[cfg(test)]
mod tests;

pub use isa::Isa;
pub use kernel::{Kernel, Traffic};
pub use sweep::{StreamMemory, StreamSweep, TURN};
