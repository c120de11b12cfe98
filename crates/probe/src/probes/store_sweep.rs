//! The classical sweep: single-byte stores, one per line, downwards over a large buffer, minus the
//! same loop without the store.
//!
//! Stores do not depend on one another, so this is a throughput of reads for ownership and
//! write-backs, not a latency.
//!
//! The core walk sweeps a buffer that was first touched on one CPU (the column's `touch_from`) from
//! every CPU in turn, and keeps the cost of the loop. Alone it cannot distinguish far memory from a
//! slow core. Its control, the same CPU measured equally often, separates noise from structure.

#![allow(unsafe_code)]

use std::ops::Range;
use std::time::Duration;

use nearfar_place::PlacedBuffer;

use crate::probes::arch::{LINE, loop_down, store_down};
use crate::probes::slice::{Division, Probe, SEGMENTS, Timing, median, size_within, time_segments};

/// Stores of one slice: one or two milliseconds, short enough for a busy machine.
const MAX_PER_SLICE: u64 = 1 << 18;

/// The division of a sample with this many accesses.
pub(super) fn division(accesses: u64) -> Division {
    Division::new(accesses, MAX_PER_SLICE, 1)
}

pub(crate) struct StoreSweep {
    memory: PlacedBuffer,
    buffer: usize,
    division: Division,
    subtracts_loop_cost: bool,
    /// The lines of each buffer that the current pass has yet to visit, downwards.
    left: Vec<u64>,
}

impl StoreSweep {
    /// Sweeps buffers of `buffer` bytes; subtracts the loop's own cost on request.
    pub(crate) fn new(
        memory: PlacedBuffer,
        buffer: usize,
        accesses: u64,
        subtracts_loop_cost: bool,
    ) -> Self {
        let buffer = size_within(&memory, buffer);
        let left = vec![(buffer / LINE) as u64; memory.length() / buffer];
        Self { memory, buffer, division: division(accesses), subtracts_loop_cost, left }
    }

    /// Makes `stores` stores over one buffer, across passes.
    fn store(&mut self, index: usize, mut stores: u64) {
        let bottom = self.memory.start().wrapping_add(index * self.buffer);
        while stores > 0 {
            let now = stores.min(self.left[index]);
            let top = bottom.wrapping_add((self.left[index] as usize - 1) * LINE);
            // SAFETY: `top` is the last line of this buffer not yet visited, and `now` lines lie
            // between it and the bottom.
            unsafe { store_down(top, now) };
            stores -= now;
            self.left[index] -= now;
            if self.left[index] == 0 {
                self.left[index] = (self.buffer / LINE) as u64;
            }
        }
    }

    /// The cost of a slice's loop without its stores, from the median of its segments.
    fn loop_cost(&self) -> Duration {
        if !self.subtracts_loop_cost {
            return Duration::ZERO;
        }
        let top = self.memory.start();
        median(&time_segments(|| loop_down(top, self.division.per_segment))) * SEGMENTS as u32
    }
}

impl Probe for StoreSweep {
    fn division(&self) -> Division {
        self.division
    }

    fn slice(&mut self, page: u32) -> Timing {
        let index = page as usize % self.left.len();
        let stores = self.division.per_segment;
        let segments = time_segments(|| self.store(index, stores));
        Timing { segments, loop_cost: self.loop_cost() }
    }

    fn memory(&self) -> &PlacedBuffer {
        &self.memory
    }

    fn extent(&self, page: u32) -> Range<usize> {
        let start = page as usize % self.left.len() * self.buffer;
        start..start + self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory;

    const BUFFER: usize = 1 << 20;
    const LINES: u64 = (BUFFER / LINE) as u64;

    /// Returns the offsets of the bytes written, and clears them.
    fn written(sweep: &mut StoreSweep) -> Vec<usize> {
        let mut found = Vec::new();
        for (index, word) in sweep.memory.words_mut().iter_mut().enumerate() {
            found.extend(
                (0..8).filter(|byte| *word >> (8 * byte) & 0xff != 0).map(|byte| index * 8 + byte),
            );
            *word = 0;
        }
        found
    }

    #[test]
    fn an_oversized_buffer_is_clamped() {
        let mut sweep = StoreSweep::new(memory(2 << 20), 256 << 20, LINES, true);
        assert_eq!(sweep.extent(7), 0..2 << 20);
        sweep.slice(7);
        assert!(!written(&mut sweep).is_empty());
    }

    #[test]
    fn a_pass_visits_each_line_exactly_once() {
        let mut sweep = StoreSweep::new(memory(2 << 20), BUFFER, LINES, true);
        assert_eq!(sweep.division.per_slice(), LINES);
        sweep.slice(1);
        // One byte per line in the second buffer only, each line once.
        assert_eq!(written(&mut sweep), (BUFFER..2 * BUFFER).step_by(LINE).collect::<Vec<_>>());
        assert_eq!(sweep.left[1], LINES);
    }

    #[test]
    fn passes_continue_across_slices() {
        let mut sweep = StoreSweep::new(memory(2 << 20), BUFFER, LINES, false);
        sweep.store(0, LINES - 2);
        assert_eq!(written(&mut sweep).first(), Some(&(2 * LINE)));
        sweep.store(0, 3);
        assert_eq!(written(&mut sweep), [0, LINE, BUFFER - LINE]);
    }

    #[test]
    fn the_loop_cost_is_subtracted_only_on_request() {
        let sweep = StoreSweep::new(memory(2 << 20), BUFFER, LINES, true);
        assert!(sweep.loop_cost() > Duration::ZERO);
        assert_eq!(StoreSweep { subtracts_loop_cost: false, ..sweep }.loop_cost(), Duration::ZERO);
    }
}
