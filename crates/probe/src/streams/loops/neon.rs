//! aarch64, NEON: the line is q0 to q3, the sum q4 to q7, the key q16; q17 to q20 for what is
//! added.
//!
//! Register pairs have no indexed addresses, so pointers `{t}`, `{f}` and `{a}` step from stream to
//! stream. There is no prefetch for ownership: cores that detect stores to whole lines do not read
//! them, and a prefetch would make them.

use std::arch::asm;

use super::{EVERY_BIT, Loop, LoopRange, SCALAR, STREAMS, WRITTEN};
use crate::streams::Kernel;

/// The line at `$at` + `$further` bytes.
macro_rules! load {
    ($at:literal, $further:literal) => {
        concat!(
            "ldp q0, q1, [",
            $at,
            ", #",
            $further,
            "]\n ldp q2, q3, [",
            $at,
            ", #",
            $further,
            " + 32]\n"
        )
    };
}

macro_rules! store {
    ($with:literal) => {
        concat!($with, " q0, q1, [{t}]\n ", $with, " q2, q3, [{t}, #32]\n")
    };
}

macro_rules! sum_line {
    () => {
        "eor v4.16b, v4.16b, v0.16b
        eor v5.16b, v5.16b, v1.16b
        eor v6.16b, v6.16b, v2.16b
        eor v7.16b, v7.16b, v3.16b\n"
    };
}

macro_rules! flip {
    () => {
        "eor v0.16b, v0.16b, v16.16b
        eor v1.16b, v1.16b, v16.16b
        eor v2.16b, v2.16b, v16.16b
        eor v3.16b, v3.16b, v16.16b\n"
    };
}

macro_rules! scale {
    () => {
        "fmul v0.2d, v0.2d, v16.2d
        fmul v1.2d, v1.2d, v16.2d
        fmul v2.2d, v2.2d, v16.2d
        fmul v3.2d, v3.2d, v16.2d\n"
    };
}

macro_rules! add {
    () => {
        "ldp q17, q18, [{f}]
        ldp q19, q20, [{f}, #32]
        fadd v0.2d, v0.2d, v17.2d
        fadd v1.2d, v1.2d, v18.2d
        fadd v2.2d, v2.2d, v19.2d
        fadd v3.2d, v3.2d, v20.2d\n"
    };
}

macro_rules! read {
    ($further:literal) => {
        concat!(load!("{t}", $further), sum_line!())
    };
}

macro_rules! mix11 {
    () => {
        concat!(read!("0"), flip!(), store!("stp"))
    };
}

/// A loop of `$steps` steps per turn; each stream advances by `$bytes` per step.
macro_rules! define_loop {
    ($name:ident, $key:expr, $steps:literal x $bytes:literal, $to_a_line:expr, $last:literal) => {
        unsafe fn $name(range: &LoopRange) -> [u64; 8] {
            let streams = STREAMS * range.far;
            let from = range.start.wrapping_add(streams);
            let mut sum = [0u64; 8];
            // SAFETY: the caller vouches for the streams' lines and for the instructions; the sum
            // is as long as a line.
            unsafe {
                asm!(
                    "dup v16.2d, {key}",
                    "dup v0.2d, {key}",
                    "dup v1.2d, {key}",
                    "dup v2.2d, {key}",
                    "dup v3.2d, {key}",
                    "movi v4.2d, #0",
                    "movi v5.2d, #0",
                    "movi v6.2d, #0",
                    "movi v7.2d, #0",
                    "2:",
                    concat!(".rept ", $steps),
                    "mov {t}, {to}",
                    "mov {f}, {from}",
                    "mov {a}, {also}",
                    ".rept 4",
                    $to_a_line,
                    "add {t}, {t}, {far}",
                    "add {f}, {f}, {far}",
                    "add {a}, {a}, {far}",
                    ".endr",
                    concat!("add {to}, {to}, #", $bytes),
                    concat!("add {from}, {from}, #", $bytes),
                    concat!("add {also}, {also}, #", $bytes),
                    ".endr",
                    "mov {t}, {pause}",
                    "3:",
                    "subs {t}, {t}, #1",
                    "b.ne 3b",
                    "subs {turns}, {turns}, #1",
                    "b.ne 2b",
                    $last,
                    "stp q4, q5, [{sum}]",
                    "stp q6, q7, [{sum}, #32]",
                    to = inout(reg) range.start => _,
                    from = inout(reg) from => _,
                    also = inout(reg) from.wrapping_add(streams) => _,
                    far = in(reg) range.far,
                    turns = inout(reg) range.turns.max(1) => _,
                    pause = in(reg) range.pause.max(1),
                    key = in(reg) $key,
                    sum = in(reg) &raw mut sum,
                    t = out(reg) _,
                    f = out(reg) _,
                    a = out(reg) _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _,
                    out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _,
                    options(nostack),
                );
            }
            sum
        }
    };
}

loops! {
    Read: read(0u64, 6 x 64, read!("0"), "");
    Write: write(WRITTEN, 6 x 64, store!("stp"), "");
    NtWrite: nt_write(WRITTEN, 6 x 64, store!("stnp"), "dsb ishst");
    Copy: copy(0u64, 3 x 64, concat!(load!("{f}", "0"), store!("stp")), "");
    NtCopy: nt_copy(0u64, 3 x 64, concat!(load!("{f}", "0"), store!("stnp")), "dsb ishst");
    Triad: triad(SCALAR, 2 x 64, concat!(load!("{a}", "0"), scale!(), add!(), store!("stp")), "");
    Mix31: mix31(EVERY_BIT, 2 x 192, concat!(mix11!(), read!("64"), read!("128")), "");
    Mix21: mix21(EVERY_BIT, 3 x 128, concat!(mix11!(), read!("64")), "");
    Mix11: mix11(EVERY_BIT, 6 x 64, mix11!(), "");
}
