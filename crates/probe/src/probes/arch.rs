//! The exact loops, one file per processor architecture. nearfar's assembly is here and in
//! `streams/loops/`.
//!
//! Every architecture offers the same names:
//! - [`Flusher`] flushes lines from all caches, so that the next access goes to memory. Its
//!   `reload` flushes and loads one line repeatedly.
//! - [`walk`] follows pointers; each load depends on the previous one. It measures latency only.
//! - [`walk_increment`] also increments a word of each line: read for ownership and write-back.
//! - [`store_down`] writes one byte of every line, downwards; [`loop_down`] is the same loop
//!   without the write.
//! - [`add_chain`] is a chain of dependent additions of one cycle each: its time gives the clock
//!   speed.

#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as twin;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use portable as twin;
#[cfg(target_arch = "x86_64")]
use x86_64 as twin;

pub(crate) use twin::{Flusher, add_chain, loop_down, store_down, walk, walk_increment};

/// Loads in one turn of the walks: counts of loads are multiples of it.
pub(crate) const LOADS_PER_TURN: u64 = 16;
/// Additions in one turn of the chain.
pub(crate) const ADDS_PER_TURN: u64 = 32;
/// Bytes between two stores of the sweep: the line of almost every processor.
pub(crate) const LINE: usize = 64;

#[cfg(test)]
mod tests;
