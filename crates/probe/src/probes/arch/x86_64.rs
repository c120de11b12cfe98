//! x86_64: `clflushopt` (Skylake, Zen and later) or `clflush`.

use std::arch::asm;

use super::LINE;

/// Flushes lines from every cache of the coherence domain: Intel SDM volume 2, CLFLUSHOPT.
pub(crate) struct Flusher {
    weakly_ordered: bool,
}

impl Flusher {
    /// Reads from CPUID which instruction is available.
    pub(crate) fn new() -> Self {
        let features = raw_cpuid::CpuId::new().get_extended_feature_info();
        Self { weakly_ordered: features.is_some_and(|features| features.has_clflushopt()) }
    }

    /// Flushes `length` bytes from `start`, and waits for completion.
    ///
    /// # Safety
    /// The range is mapped.
    pub(crate) unsafe fn flush(&mut self, start: *const u8, length: usize) {
        let lines = (0..length).step_by(LINE).map(|offset| start.wrapping_add(offset));
        // SAFETY: the caller vouches for the range. Flushing keeps every byte.
        unsafe {
            if self.weakly_ordered {
                lines.for_each(
                    |line| asm!("clflushopt [{}]", in(reg) line, options(nostack, preserves_flags)),
                );
            } else {
                lines.for_each(
                    |line| asm!("clflush [{}]", in(reg) line, options(nostack, preserves_flags)),
                );
            }
            asm!("mfence", options(nostack, preserves_flags));
        }
    }

    /// Flushes and loads the line at `at` `times` times; each access depends on the previous one.
    ///
    /// # Safety
    /// The line is mapped.
    pub(crate) unsafe fn reload(&mut self, at: *const u8, times: u64) {
        macro_rules! reload {
            ($flush:literal) => {
                asm!(
                    "2:",
                    $flush,
                    "mfence",
                    "mov {word}, [{at}]",
                    "mfence",
                    "sub {times}, 1",
                    "jnz 2b",
                    at = in(reg) at,
                    word = out(reg) _,
                    times = inout(reg) times.max(1) => _,
                    options(nostack),
                )
            };
        }
        // SAFETY: the caller vouches for the line. Flushing keeps every byte.
        unsafe {
            if self.weakly_ordered {
                reload!("clflushopt [{at}]");
            } else {
                reload!("clflush [{at}]");
            }
        }
    }
}

/// Follows `turns` x [`LOADS_PER_TURN`](super::LOADS_PER_TURN) pointers and returns the last.
///
/// # Safety
/// Each pointer met is 8-byte aligned, mapped, and points at the next.
pub(crate) unsafe fn walk(mut at: *const u8, turns: u64) -> *const u8 {
    // SAFETY: the caller vouches for every pointer; loads change nothing.
    unsafe {
        asm!(
            "2:",
            ".rept 16",
            "mov {at}, [{at}]",
            ".endr",
            "sub {turns}, 1",
            "jnz 2b",
            at = inout(reg) at,
            turns = inout(reg) turns.max(1) => _,
            options(nostack, readonly),
        );
    }
    at
}

/// Like [`walk`], and increments the word after each pointer.
///
/// # Safety
/// As for [`walk`]; the word after each pointer may be written.
pub(crate) unsafe fn walk_increment(mut at: *const u8, turns: u64) -> *const u8 {
    // SAFETY: the caller vouches for every pointer and the word after it.
    unsafe {
        asm!(
            "2:",
            ".rept 16",
            "add qword ptr [{at} + 8], 1",
            "mov {at}, [{at}]",
            ".endr",
            "sub {turns}, 1",
            "jnz 2b",
            at = inout(reg) at,
            turns = inout(reg) turns.max(1) => _,
            options(nostack),
        );
    }
    at
}

/// Writes one byte at `top`, one a line below it, and so on: `lines` stores.
///
/// # Safety
/// `lines` is at least 1 and all those bytes may be written.
pub(crate) unsafe fn store_down(top: *mut u8, lines: u64) {
    // SAFETY: the caller vouches for the bytes.
    unsafe {
        asm!(
            "2:",
            "mov byte ptr [{at}], 1",
            "sub {at}, 64",
            "sub {lines}, 1",
            "jnz 2b",
            at = inout(reg) top => _,
            lines = inout(reg) lines.max(1) => _,
            options(nostack),
        );
    }
}

/// [`store_down`] without its stores.
pub(crate) fn loop_down(top: *mut u8, lines: u64) {
    // SAFETY: registers only.
    unsafe {
        asm!(
            "2:",
            "sub {at}, 64",
            "sub {lines}, 1",
            "jnz 2b",
            at = inout(reg) top.addr() => _,
            lines = inout(reg) lines.max(1) => _,
            options(nostack, nomem),
        );
    }
}

/// `turns` x [`ADDS_PER_TURN`](super::ADDS_PER_TURN) dependent additions. The addend is a register,
/// since recent cores eliminate additions of constants.
pub(crate) fn add_chain(turns: u64) {
    // SAFETY: registers only.
    unsafe {
        asm!(
            "2:",
            ".rept 32",
            "add {sum}, {addend}",
            ".endr",
            "sub {turns}, 1",
            "jnz 2b",
            sum = inout(reg) 0u64 => _,
            addend = in(reg) 3u64,
            turns = inout(reg) turns.max(1) => _,
            options(nostack, nomem),
        );
    }
}
