//! How much a thread can move: loops that stream through memory, timed by whoever runs them
//! ([`ThreadTeam`](crate::thread_team::ThreadTeam)).
//!
//! A [`Kernel`] says what is done to the memory and what traffic that is, an [`Isa`] with which
//! instructions, a [`StreamMemory`] where. A [`Sweep`] puts the three together and goes round and round,
//! a [`TURN`] at a time.
//!
//! Each array is walked as four streams side by side, a quarter of it each: hardware prefetchers
//! stop at the end of each 4 KiB page, and while one stream waits for them to start again the
//! others go on. Arrays that are only written are fetched for ownership a kilobyte ahead: a core
//! does few such fetches at once when they wait for its stores. Both were measured (one guest
//! on a fourth- or fifth-generation Xeon, 40 to 80 interleaved runs, gain over one plain stream):
//! write 51 %, copy and triad 15 to 24 %, non-temporal copy 20 %, read 3 %, SSE2 read 12 to 16 %.
//! The mixes of reads and writes gain nothing from fetching ahead, and do not. How far the
//! streams are from each other is in `spacing`. Beside streams that follow one another as they
//! come, that gained on a guest of a Zen 3 (one thread, AVX2, eight interleaved runs of each
//! program, twice, in turn): non-temporal copy 60 %, the mixes 7 to 30 %, write 7 %, read 1 and 17
//! %; copy stayed, and triad lost 6 %. Two threads gained 27 % of non-temporal copy and little
//! else.

mod isa;
mod kernel;
mod loops;
mod spacing;
mod sweep;
#[cfg(test)]
mod tests;

pub use isa::Isa;
pub use kernel::{Kernel, Traffic};
pub use sweep::{StreamMemory, Sweep, TURN};
