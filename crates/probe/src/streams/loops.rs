//! The loops, one file per instruction set: assembly, except for the portable ones.
//!
//! The files define each set's operations on one line ("load", "store", ..); `x86_64.rs` and
//! `neon.rs` build the nine loops from these.

#![allow(unsafe_code)]

/// Builds the loop of each kernel by the set's `define_loop!`, and a function that finds them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! loops {
    ($($kernel:ident: $name:ident($($how:tt)+);)+) => {
        $(define_loop!($name, $($how)+);)+

        pub(super) fn find(kernel: Kernel) -> Loop {
            match kernel {
                $(Kernel::$kernel => $name,)+
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod x86_64;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

use crate::streams::{Isa, Kernel};

pub(super) const STREAMS: usize = 4;
/// Lines that one turn touches. Every kernel's steps divide it: 1 to 3 arrays of 4 streams, and
/// groups of 1 to 3 lines.
pub(super) const LINES_PER_TURN: usize = 24;

/// The extent and speed of a loop.
pub(super) struct LoopRange {
    /// The start of the first stream of the first array. Streams follow one another, and arrays
    /// follow their streams.
    pub(super) start: *mut u8,
    /// Bytes between the starts of consecutive streams.
    pub(super) far: usize,
    /// Turns to make, at least 1: in each, the streams of all arrays together advance by
    /// [`LINES_PER_TURN`] lines.
    pub(super) turns: u64,
    /// Iterations of an empty loop after each turn, at least 1.
    pub(super) pause: u64,
}

/// Makes a range's turns. Kernels that only read or mix return the exclusive or of all lines read,
/// for tests.
///
/// # Safety
/// The instruction set is here, and each stream has lines enough that may be read and written,
/// aligned to 64 bytes.
pub(super) type Loop = unsafe fn(&LoopRange) -> [u64; 8];

/// The loop of a kernel and an instruction set; `None` if the set belongs to another architecture.
pub(super) fn find(kernel: Kernel, isa: Isa) -> Option<Loop> {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => Some(avx512::find(kernel)),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => Some(avx2::find(kernel)),
        #[cfg(target_arch = "x86_64")]
        Isa::Sse2 => Some(sse2::find(kernel)),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => Some(neon::find(kernel)),
        Isa::Portable => Some(portable::find(kernel)),
        #[allow(unreachable_patterns)] // those of other architectures
        _ => None,
    }
}

/// The value that write-only kernels store: 1.5.
pub(super) const WRITTEN: u64 = 1.5f64.to_bits();
pub(super) const SCALAR: u64 = 3f64.to_bits();
/// The bits that the mixes change in a line: all.
pub(super) const EVERY_BIT: u64 = u64::MAX;
