//! A slice: accesses that are timed, guarded, and kept or dropped together.
//!
//! Most samples are one slice of a few milliseconds. Sweeps take longer than a machine stays
//! undisturbed, so their samples consist of many slices, each retried by itself. A slice is timed
//! in eight segments: one that takes far longer than the others indicates a stalled CPU.

use std::ops::Range;
use std::time::{Duration, Instant};

use nearfar_place::PlacedBuffer;

use crate::probes::STRIDE;

/// Segments of a slice.
pub(crate) const SEGMENTS: u64 = 8;

/// The interface of a timed loop to the worker.
pub(crate) trait Probe {
    /// The division of one sample.
    fn division(&self) -> Division;
    /// Prepares a slice on its CPU, before guards start.
    fn prepare(&mut self) {}
    /// Times one slice over a page (or buffer).
    fn slice(&mut self, page: u32) -> Timing;
    /// The memory it runs over.
    fn memory(&self) -> &PlacedBuffer;
    /// The extent of one page (or buffer) in the memory, as offsets in bytes.
    fn extent(&self, page: u32) -> Range<usize>;
}

/// The accesses of a sample, divided into slices and segments of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    /// Slices of a sample.
    pub(crate) slices: u64,
    /// Accesses of one segment.
    pub(crate) per_segment: u64,
}

impl Division {
    /// Divides so that no slice is longer than `most` and segments are multiples of `unit`. Rounds
    /// down to whole segments of at least one unit.
    pub(crate) fn new(accesses: u64, most: u64, unit: u64) -> Self {
        let slices = accesses.div_ceil(most.max(1)).max(1);
        let per_segment = (accesses / slices / SEGMENTS / unit * unit).max(unit);
        Self { slices, per_segment }
    }

    /// Accesses of one slice.
    pub(crate) fn per_slice(self) -> u64 {
        self.per_segment * SEGMENTS
    }

    /// Accesses of a sample.
    pub(crate) fn accesses(self) -> u64 {
        self.slices * self.per_slice()
    }
}

/// The size of a probe's pages (or buffers), limited to the placed memory: whole strides, at least
/// one. So pointers and stores stay within, whatever was requested.
pub(crate) fn size_within(memory: &PlacedBuffer, wanted: usize) -> usize {
    (wanted / STRIDE * STRIDE).clamp(STRIDE, memory.length())
}

/// How long a slice took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timing {
    pub(crate) segments: Vec<Duration>,
    /// The loop's own time, to be subtracted.
    pub(crate) loop_cost: Duration,
}

impl Timing {
    /// The time of the accesses, extrapolated from the faster three quarters of the segments. One
    /// or two slow segments of eight are timer ticks or bursts of neighbours, not memory latency.
    /// (On one shared guest this reduced a page sample's robust CV from about 1.5 % to 0.7 %.)
    pub(crate) fn cost(&self) -> Duration {
        let mut sorted = self.segments.clone();
        sorted.sort_unstable();
        sorted.truncate(sorted.len() - sorted.len() / 4);
        let kept = sorted.iter().sum::<Duration>().as_secs_f64();
        let share = sorted.len().max(1) as f64 / self.segments.len().max(1) as f64;
        Duration::from_secs_f64(kept / share).saturating_sub(self.loop_cost)
    }
}

/// Times [`SEGMENTS`] executions of a segment.
pub(crate) fn time_segments(mut segment: impl FnMut()) -> Vec<Duration> {
    let mut times = Vec::with_capacity(SEGMENTS as usize);
    let mut before = Instant::now();
    for _ in 0..SEGMENTS {
        segment();
        let now = Instant::now();
        times.push(now - before);
        before = now;
    }
    times
}

/// The median of some times; the upper one of two middles.
pub(crate) fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory;

    #[test]
    fn a_page_is_one_slice_and_a_long_sweep_many() {
        assert_eq!(Division::new(8192, 65_536, 16), Division { slices: 1, per_segment: 1024 });
        assert_eq!(
            Division::new(64 << 20, 1 << 20, 1),
            Division { slices: 64, per_segment: 131_072 }
        );
        assert_eq!(Division::new(3 << 20, 1 << 20, 1).per_slice(), 1 << 20);
    }

    #[test]
    fn small_and_odd_counts_still_give_whole_segments() {
        assert_eq!(Division::new(1, 65_536, 16), Division { slices: 1, per_segment: 16 });
        assert_eq!(Division::new(1000, 65_536, 16), Division { slices: 1, per_segment: 112 });
        assert_eq!(Division::new(0, 0, 1), Division { slices: 1, per_segment: 1 });
    }

    #[test]
    fn page_sizes_are_clamped() {
        let memory = memory(2 << 20);
        let sizes = [0, 255, 4097, 1 << 20, 2 << 20, 256 << 20, usize::MAX]
            .map(|wanted| size_within(&memory, wanted));
        assert_eq!(sizes, [256, 256, 4096, 1 << 20, 2 << 20, 2 << 20, 2 << 20]);
    }

    fn timing(segments: &[u64], loop_cost: u64) -> Timing {
        let ms = Duration::from_millis;
        Timing {
            segments: segments.iter().map(|&time| ms(time)).collect(),
            loop_cost: ms(loop_cost),
        }
    }

    #[test]
    fn the_loop_cost_is_subtracted_down_to_zero() {
        assert_eq!(timing(&[3, 4], 2).cost(), Duration::from_millis(5));
        assert_eq!(timing(&[3, 4], 9).cost(), Duration::ZERO);
        assert_eq!(timing(&[], 0).cost(), Duration::ZERO);
    }

    #[test]
    fn the_slowest_quarter_does_not_count() {
        assert_eq!(timing(&[10, 10, 10, 90, 10, 10, 11, 10], 0).cost(), timing(&[10; 8], 0).cost());
    }
}
