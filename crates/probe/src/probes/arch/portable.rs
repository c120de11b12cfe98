//! Any other architecture: plain volatile accesses, and eviction by other data, since programs
//! cannot flush.

// Architectures with their own file only test this one.
#![cfg_attr(any(target_arch = "x86_64", target_arch = "aarch64"), allow(dead_code))]

use std::hint::black_box;

use super::{ADDS_PER_TURN, LINE, LOADS_PER_TURN};

/// Offset of the word that [`walk_increment`] increments, after the pointer.
const COUNTER_OFFSET: usize = 8;

/// More than the last-level caches of such machines.
const EVICTION_BYTES: usize = 128 << 20;

/// Evicts lines from the caches by loading others.
pub(crate) struct Flusher {
    filler: Vec<u64>,
}

impl Flusher {
    /// Allocates memory larger than the caches.
    pub(crate) fn new() -> Self {
        Self { filler: vec![1; EVICTION_BYTES / size_of::<u64>()] }
    }

    /// Evicts everything, the range included.
    ///
    /// # Safety
    /// None needed here; other architectures have requirements.
    pub(crate) unsafe fn flush(&mut self, _start: *const u8, _length: usize) {
        for word in self.filler.iter_mut().step_by(LINE / size_of::<u64>()) {
            *word = black_box(word.wrapping_add(1));
        }
    }

    /// Evicts everything and loads the line at `at`, `times` times.
    ///
    /// # Safety
    /// The line is mapped.
    pub(crate) unsafe fn reload(&mut self, at: *const u8, times: u64) {
        for _ in 0..times.max(1) {
            // SAFETY: the caller vouches for the line.
            unsafe {
                self.flush(at, LINE);
                black_box(at.read_volatile());
            }
        }
    }
}

/// Follows `turns` x [`LOADS_PER_TURN`] pointers and returns the last.
///
/// # Safety
/// Each pointer met is 8-byte aligned, mapped, and points at the next.
pub(crate) unsafe fn walk(mut at: *const u8, turns: u64) -> *const u8 {
    for _ in 0..turns.max(1) * LOADS_PER_TURN {
        // SAFETY: the caller vouches for every pointer.
        at = unsafe { at.cast::<*const u8>().read_volatile() };
    }
    at
}

/// Like [`walk`], and increments the word after each pointer.
///
/// # Safety
/// As for [`walk`]; the word after each pointer may be written.
pub(crate) unsafe fn walk_increment(mut at: *const u8, turns: u64) -> *const u8 {
    for _ in 0..turns.max(1) * LOADS_PER_TURN {
        // SAFETY: the caller vouches for every pointer and the word after it.
        unsafe {
            let counter = at.add(COUNTER_OFFSET).cast_mut().cast::<u64>();
            counter.write_volatile(counter.read_volatile().wrapping_add(1));
            at = at.cast::<*const u8>().read_volatile();
        }
    }
    at
}

/// Writes one byte at `top`, one a line below it, and so on: `lines` stores.
///
/// # Safety
/// `lines` is at least 1 and all those bytes may be written.
pub(crate) unsafe fn store_down(mut top: *mut u8, lines: u64) {
    for _ in 0..lines.max(1) {
        // SAFETY: the caller vouches for the bytes.
        unsafe { top.write_volatile(1) };
        top = top.wrapping_sub(LINE);
    }
}

/// [`store_down`] without its stores.
pub(crate) fn loop_down(mut top: *mut u8, lines: u64) {
    for _ in 0..lines.max(1) {
        top = black_box(top.wrapping_sub(LINE));
    }
}

/// `turns` x [`ADDS_PER_TURN`] dependent additions.
pub(crate) fn add_chain(turns: u64) {
    let mut sum = 0u64;
    for _ in 0..turns.max(1) * ADDS_PER_TURN {
        sum = black_box(sum.wrapping_add(3));
    }
}
