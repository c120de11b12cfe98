//! x86_64: the nine loops, built from an instruction set's operations on one line.
//!
//! An instruction set's file defines these macros. Each expands to instructions over "the line"
//! (registers that hold one), "the sum" and "the key". The file ends with `define_loops!();`:
//!
//! | macro | instructions |
//! |---|---|
//! | `set_up!()` | the key into the line as well, the sum empty; the key comes in `{key}` |
//! | `load!(at)` `store!(at)` `store_past!(at)` | the line from or to memory; last: non-temporal |
//! | `sum!(at)` `sum_line!()` | adds (exclusive or) memory, or the line, to the sum |
//! | `flip!()` `scale!()` `add!(at)` | the line xor the key, times the key, plus memory |
//! | `finish!()` | the sum to `[{sum}]`, and upper halves of registers cleared |
//!
//! An address is given in pieces: `load!("{to}", " + {far}")`.

/// Applies an operation to one line of each of the four streams.
macro_rules! four {
    ($to_a_line:ident) => {
        concat!(
            $to_a_line!(""),
            $to_a_line!(" + {far}"),
            $to_a_line!(" + 2*{far}"),
            $to_a_line!(" + {farther}")
        )
    };
}

/// Prefetches the line that is written sixteen lines later, for ownership. Harmless beyond the end,
/// since prefetches never fault.
macro_rules! own {
    ($stream:literal) => {
        concat!("prefetchw [{to}", $stream, " + 1024]\n")
    };
}

macro_rules! read {
    ($stream:literal) => {
        sum!("{to}", $stream)
    };
}

macro_rules! write {
    ($stream:literal) => {
        concat!(own!($stream), store!("{to}", $stream))
    };
}

macro_rules! nt_write {
    ($stream:literal) => {
        store_past!("{to}", $stream)
    };
}

macro_rules! copy {
    ($stream:literal) => {
        concat!(own!($stream), load!("{from}", $stream), store!("{to}", $stream))
    };
}

macro_rules! nt_copy {
    ($stream:literal) => {
        concat!(load!("{from}", $stream), store_past!("{to}", $stream))
    };
}

macro_rules! triad {
    ($stream:literal) => {
        concat!(
            own!($stream),
            load!("{also}", $stream),
            scale!(),
            add!("{from}", $stream),
            store!("{to}", $stream)
        )
    };
}

macro_rules! mix11 {
    ($stream:literal) => {
        concat!(load!("{to}", $stream), sum_line!(), flip!(), store!("{to}", $stream))
    };
}

macro_rules! mix21 {
    ($stream:literal) => {
        concat!(mix11!($stream), sum!("{to}", $stream, " + 64"))
    };
}

macro_rules! mix31 {
    ($stream:literal) => {
        concat!(mix21!($stream), sum!("{to}", $stream, " + 128"))
    };
}

/// A loop of `$steps` steps per turn; each stream advances by `$bytes` per step.
macro_rules! define_loop {
    ($name:ident, $key:expr, $steps:literal x $bytes:literal, $last:literal) => {
        unsafe fn $name(range: &LoopRange) -> [u64; 8] {
            let streams = STREAMS * range.far;
            let from = range.start.wrapping_add(streams);
            let mut sum = [0u64; 8];
            // SAFETY: the caller vouches for the streams' lines and for the instructions. Every
            // vector register of baseline x86_64 is declared clobbered, and the sum is as long as a
            // line.
            unsafe {
                asm!(
                    set_up!(),
                    "2:",
                    concat!(".rept ", $steps),
                    four!($name),
                    concat!("add {to}, ", $bytes),
                    concat!("add {from}, ", $bytes),
                    concat!("add {also}, ", $bytes),
                    ".endr",
                    "mov {left}, {pause}",
                    "3:",
                    "sub {left}, 1",
                    "jnz 3b",
                    "sub {turns}, 1",
                    "jnz 2b",
                    $last,
                    finish!(),
                    to = inout(reg) range.start => _,
                    from = inout(reg) from => _,
                    also = inout(reg) from.wrapping_add(streams) => _,
                    far = in(reg) range.far,
                    farther = in(reg) 3 * range.far,
                    turns = inout(reg) range.turns.max(1) => _,
                    pause = in(reg) range.pause.max(1),
                    left = out(reg) _,
                    key = in(reg) $key,
                    sum = in(reg) &raw mut sum,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                    options(nostack),
                );
            }
            sum
        }
    };
}

/// A turn's 24 lines are steps times lines per step, streams and arrays. Non-temporal stores are
/// fenced at the end.
macro_rules! define_loops {
    () => {
        use std::arch::asm;

        use super::{EVERY_BIT, Loop, LoopRange, SCALAR, STREAMS, WRITTEN};
        use crate::streams::Kernel;

        loops! {
            Read: read(0u64, 6 x 64, "");
            Write: write(WRITTEN, 6 x 64, "");
            NtWrite: nt_write(WRITTEN, 6 x 64, "sfence");
            Copy: copy(0u64, 3 x 64, "");
            NtCopy: nt_copy(0u64, 3 x 64, "sfence");
            Triad: triad(SCALAR, 2 x 64, "");
            Mix31: mix31(EVERY_BIT, 2 x 192, "");
            Mix21: mix21(EVERY_BIT, 3 x 128, "");
            Mix11: mix11(EVERY_BIT, 6 x 64, "");
        }
    };
}
