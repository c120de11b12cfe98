//! One line of memory, flushed and loaded repeatedly.

#![allow(unsafe_code)]

use std::ops::Range;
use std::time::Duration;

use nearfar_place::PlacedBuffer;

use crate::probes::arch::{Flusher, LINE};
use crate::probes::slice::{Division, Probe, SEGMENTS, Timing, time_segments};

/// Loads of one segment: 128 per sample; the fastest six of eight segments count.
const LOADS: u64 = 16;

/// One line of placed memory.
pub(super) struct LineProbe<'m> {
    pub(super) memory: &'m PlacedBuffer,
    pub(super) flusher: &'m mut Flusher,
    /// Its offset in the memory; always within it.
    pub(super) offset: usize,
}

impl Probe for LineProbe<'_> {
    fn division(&self) -> Division {
        Division { slices: 1, per_segment: LOADS }
    }

    fn slice(&mut self, _page: u32) -> Timing {
        let offset = self.offset.min(self.memory.length() - LINE);
        let at = self.memory.start().wrapping_add(offset).cast_const();
        // SAFETY: the line lies within the placed memory, which is borrowed.
        let mut reload = |times| unsafe { self.flusher.reload(at, times) };
        reload(2);
        let segments = time_segments(|| reload(LOADS));
        debug_assert_eq!(segments.len() as u64, SEGMENTS);
        Timing { segments, loop_cost: Duration::ZERO }
    }

    fn memory(&self) -> &PlacedBuffer {
        self.memory
    }

    fn extent(&self, _page: u32) -> Range<usize> {
        self.offset..self.offset + LINE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory;

    #[test]
    fn a_sample_of_a_line_takes_time() {
        let memory = memory(2 << 20);
        let mut flusher = Flusher::new();
        let mut probe = LineProbe { memory: &memory, flusher: &mut flusher, offset: 64 * 77 };
        assert!(!probe.slice(0).segments.iter().sum::<std::time::Duration>().is_zero());
        assert_eq!(probe.extent(3), 64 * 77..64 * 78);
    }

    #[test]
    #[ignore = "long: asserts a cost"]
    fn a_flushed_line_has_memory_latency() {
        let memory = memory(2 << 20);
        let mut flusher = Flusher::new();
        let mut probe = LineProbe { memory: &memory, flusher: &mut flusher, offset: 64 * 77 };
        let best = (0..50)
            .map(|_| probe.slice(0).cost().as_nanos() as f64 / 128.0)
            .fold(f64::INFINITY, f64::min);
        assert!((5.0..20_000.0).contains(&best), "{best} ns");
    }

    #[test]
    fn no_line_lies_beyond_its_memory() {
        let memory = memory(2 << 20);
        let mut flusher = Flusher::new();
        LineProbe { memory: &memory, flusher: &mut flusher, offset: usize::MAX - 64 }.slice(0);
    }
}
