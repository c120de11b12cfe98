//! aarch64: `DC CIVAC`, which Linux lets programs use (`SCTLR_EL1.UCI`).

use std::arch::asm;

/// Cleans and invalidates lines to the point of coherency: Arm ARM, DC CIVAC.
pub(crate) struct Flusher {
    line: usize,
}

impl Flusher {
    /// Reads the smallest data line from the cache type register.
    pub(crate) fn new() -> Self {
        let cache_type: u64;
        // SAFETY: CTR_EL0 is readable by programs, or emulated by the kernel.
        unsafe {
            asm!("mrs {}, ctr_el0", out(reg) cache_type, options(nostack, nomem, preserves_flags))
        };
        // DminLine, bits 19:16: log2 of the line's 4-byte words.
        Self { line: 4 << (cache_type >> 16 & 0xf) }
    }

    /// Flushes `length` bytes from `start`, and waits for completion.
    ///
    /// # Safety
    /// The range is mapped.
    pub(crate) unsafe fn flush(&mut self, start: *const u8, length: usize) {
        // SAFETY: the caller vouches for the range. Cleaning before invalidating keeps every byte.
        unsafe {
            // Earlier writes to the range come first.
            asm!("dsb sy", options(nostack, preserves_flags));
            for offset in (0..length).step_by(self.line) {
                asm!(
                    "dc civac, {}",
                    in(reg) start.wrapping_add(offset),
                    options(nostack, preserves_flags)
                );
            }
            asm!("dsb sy", "isb", options(nostack, preserves_flags));
        }
    }

    /// Flushes and loads the line at `at` `times` times; each access depends on the previous one.
    ///
    /// # Safety
    /// The line is mapped.
    pub(crate) unsafe fn reload(&mut self, at: *const u8, times: u64) {
        // SAFETY: the caller vouches for the line. Cleaning before invalidating keeps every byte.
        unsafe {
            asm!(
                "2:",
                "dc civac, {at}",
                "dsb sy",
                "ldr {word}, [{at}]",
                "dsb sy",
                "subs {times}, {times}, #1",
                "b.ne 2b",
                at = in(reg) at,
                word = out(reg) _,
                times = inout(reg) times.max(1) => _,
                options(nostack),
            );
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
            "ldr {at}, [{at}]",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
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
            "ldr {count}, [{at}, #8]",
            "add {count}, {count}, #1",
            "str {count}, [{at}, #8]",
            "ldr {at}, [{at}]",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            at = inout(reg) at,
            count = out(reg) _,
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
            "strb {one:w}, [{at}]",
            "sub {at}, {at}, #64",
            "subs {lines}, {lines}, #1",
            "b.ne 2b",
            at = inout(reg) top => _,
            one = in(reg) 1u32,
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
            "sub {at}, {at}, #64",
            "subs {lines}, {lines}, #1",
            "b.ne 2b",
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
            "add {sum}, {sum}, {addend}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            sum = inout(reg) 0u64 => _,
            addend = in(reg) 3u64,
            turns = inout(reg) turns.max(1) => _,
            options(nostack, nomem),
        );
    }
}
