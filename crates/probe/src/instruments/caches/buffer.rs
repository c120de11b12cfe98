//! One buffer with the cycles of all sizes, and the timed part of one cycle.

#![allow(unsafe_code)]

use std::ops::Range;
use std::time::{Duration, Instant};

use nearfar_place::PlacedBuffer;

use super::order::ARCS;
use super::regions::SizeRegion;
use crate::probes::arch::{LINE, LOADS_PER_TURN, walk};
use crate::probes::slice::{Division, Probe, SEGMENTS, Timing, time_segments};
use crate::worker::guards::thread::involuntary_switches;

/// The timed parts of a sample take about this long together.
const SAMPLE_TIME: Duration = Duration::from_millis(1);
/// Slices of a sample, each guarded by itself: on a busy machine a whole millisecond is rarely
/// undisturbed.
pub(super) const SLICES: u64 = 4;
/// Loads for warming up: a cache with random eviction reaches its steady state only after several
/// rounds.
const WARMING_LOADS: usize = 1 << 22;
const MAX_ROUNDS: usize = 8;
/// Buffers of up to this many lines (2 MiB) are chased once more after the guards, whose own
/// accesses matter in small caches.
const SMALL: usize = 1 << 15;
/// A calibration run takes at least this long. The fastest of several gives the loads per slice.
const CALIBRATION_TIME: Duration = Duration::from_micros(30);
const CALIBRATION_RUNS: usize = 3;

/// A buffer with linked cycles.
pub(super) struct SweepBuffer {
    memory: PlacedBuffer,
    regions: Vec<SizeRegion>,
    /// Loads per segment, by size, once known.
    per_segment: Vec<Option<u64>>,
}

impl SweepBuffer {
    /// A buffer whose regions are not linked yet.
    pub(super) fn new(memory: PlacedBuffer, regions: Vec<SizeRegion>) -> Self {
        let per_segment = vec![None; regions.len()];
        Self { memory, regions, per_segment }
    }

    pub(super) fn memory(&self) -> &PlacedBuffer {
        &self.memory
    }

    /// Writes a size's cycle: `next` is the successor of each line.
    pub(super) fn link(&mut self, size: usize, next: &[u32]) {
        const WORDS_PER_LINE: usize = LINE / size_of::<u64>();
        let region = self.regions[size];
        let first =
            self.memory.start() as u64 + (region.start + region.word * size_of::<u64>()) as u64;
        let words = self.memory.words_mut();
        let from = region.start / LINE * WORDS_PER_LINE;
        let lines =
            words[from..from + region.lines * WORDS_PER_LINE].chunks_exact_mut(WORDS_PER_LINE);
        for (line, &next) in lines.zip(next) {
            line[region.word] = first + u64::from(next) * LINE as u64;
        }
    }

    /// Prepares a size for timing from the start of an arc. It must be linked.
    pub(super) fn chase(&mut self, size: usize, arc: u32) -> SizeChase<'_> {
        let first = self.first_of_arc(size, arc as usize % ARCS);
        if let Some(per_segment) = self.per_segment[size] {
            return SizeChase {
                buffer: self,
                size,
                first,
                per_segment,
                position: ChasePosition { at: first, warmed: None },
            };
        }
        self.warm(size);
        let warmed = Some(involuntary_switches());
        // From another arc, since calibration must not load the lines that are timed next. So the
        // first visit needs no second warm-up.
        let per_segment =
            loads_per_segment(self.first_of_arc(size, (arc as usize + ARCS / 2) % ARCS));
        self.per_segment[size] = Some(per_segment);
        SizeChase {
            buffer: self,
            size,
            first,
            per_segment,
            position: ChasePosition { at: first, warmed },
        }
    }

    fn first_of_arc(&self, size: usize, arc: usize) -> *const u8 {
        let region = self.regions[size];
        self.memory
            .start()
            .cast_const()
            .wrapping_add(region.start + arc * LINE + region.word * size_of::<u64>())
    }

    /// Chases until caches are in a steady state.
    fn warm(&self, size: usize) {
        let lines = self.regions[size].lines;
        self.chase_rounds(size, (WARMING_LOADS / lines).clamp(1, MAX_ROUNDS));
    }

    /// Chases `rounds` times on all arcs at once: eight loads in flight instead of one.
    fn chase_rounds(&self, size: usize, rounds: usize) {
        let mut at: [*const u8; ARCS] = std::array::from_fn(|arc| self.first_of_arc(size, arc));
        for _ in 0..rounds * (self.regions[size].lines / ARCS) {
            for at in &mut at {
                // SAFETY: `link` made each pointer of the cycle point to another one of it, within
                // this buffer.
                *at = unsafe { at.cast::<*const u8>().read_volatile() };
            }
        }
    }
}

/// The loads per segment, calibrated from this pointer.
fn loads_per_segment(from: *const u8) -> u64 {
    let once = |_| {
        let mut turns = 16;
        loop {
            let begun = Instant::now();
            // SAFETY: a pointer of a linked cycle.
            unsafe { walk(from, turns) };
            let took = begun.elapsed();
            if took >= CALIBRATION_TIME {
                return took.as_secs_f64() / turns as f64;
            }
            turns *= 2;
        }
    };
    let turn = (0..CALIBRATION_RUNS).map(once).fold(f64::INFINITY, f64::min);
    let turns = SAMPLE_TIME.as_secs_f64() / (SLICES * SEGMENTS) as f64 / turn;
    (turns.ceil() as u64).max(1) * LOADS_PER_TURN
}

/// The position of a chase, from which it continues after a disturbed slice.
#[derive(Clone, Copy)]
pub(super) struct ChasePosition {
    /// Where the next slice begins.
    at: *const u8,
    /// The involuntary context switches of this thread when caches were last warmed.
    warmed: Option<i64>,
}

/// The chase through one size of a buffer.
pub(super) struct SizeChase<'b> {
    buffer: &'b mut SweepBuffer,
    size: usize,
    /// The start of its arc.
    first: *const u8,
    per_segment: u64,
    /// May be set to an earlier position of the same size and arc.
    pub(super) position: ChasePosition,
}

impl Probe for SizeChase<'_> {
    fn division(&self) -> Division {
        Division { slices: SLICES, per_segment: self.per_segment }
    }

    /// Warms caches at first, and again after another program had the CPU. A buffer that is chased
    /// only once leaves little in caches that could be displaced, so it continues at its position.
    fn prepare(&mut self) {
        let is_first = self.position.warmed.is_none();
        if self.position.warmed == Some(involuntary_switches()) {
            return;
        }
        if is_first || self.buffer.regions[self.size].lines < WARMING_LOADS {
            self.buffer.warm(self.size);
            self.position.at = self.first;
        }
        self.position.warmed = Some(involuntary_switches());
    }

    /// Starts at the arc whose lines were warmed longest ago: lines that exceed a cache are evicted
    /// there.
    fn slice(&mut self, _page: u32) -> Timing {
        if self.buffer.regions[self.size].lines <= SMALL {
            self.buffer.chase_rounds(self.size, 1);
        }
        let mut at = self.position.at;
        let turns = self.per_segment / LOADS_PER_TURN;
        // SAFETY: the walk begins at a pointer of a linked cycle.
        let segments = time_segments(|| at = unsafe { walk(at, turns) });
        self.position.at = at;
        Timing { segments, loop_cost: Duration::ZERO }
    }

    fn memory(&self) -> &PlacedBuffer {
        &self.buffer.memory
    }

    fn extent(&self, _page: u32) -> Range<usize> {
        let region = self.buffer.regions[self.size];
        region.start..region.start + region.length()
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use nearfar_model::Bytes;

    use super::*;
    use crate::caches::order::ChaseOrder;
    use crate::caches::regions::regions;
    use crate::caches::{footprint, sizes};
    use crate::tests::memory;

    fn linked() -> (SweepBuffer, Vec<Bytes>) {
        let sizes = sizes(Bytes::mib(1), 4);
        let mut buffer = SweepBuffer::new(memory(footprint(&sizes).0), regions(&sizes));
        let mut order = ChaseOrder::new(Rng::with_seed(3));
        for (size, bytes) in sizes.iter().enumerate() {
            let lines = bytes.0 as usize / LINE;
            buffer.link(size, &order.of(lines)[..lines]);
        }
        (buffer, sizes)
    }

    /// Sizes share lines, but each keeps its own pointers.
    #[test]
    fn every_cycle_visits_its_region_once() {
        let (buffer, sizes) = linked();
        for (size, bytes) in sizes.iter().enumerate() {
            let from = buffer.first_of_arc(size, 0);
            let lines = bytes.0 / LINE as u64;
            let back = |turns| {
                // SAFETY: a pointer of a linked cycle.
                unsafe { walk(from, turns) == from }
            };
            // The walk makes 16 loads per turn, so this many turns are whole rounds.
            assert!(back(lines), "size {size}");
            let region = buffer.regions[size];
            let mut at = from;
            let mut met = vec![false; region.lines];
            for _ in 0..region.lines {
                let offset =
                    at as usize - buffer.memory.start() as usize - region.start - region.word * 8;
                assert!(
                    offset % LINE == 0 && !std::mem::replace(&mut met[offset / LINE], true),
                    "size {size}"
                );
                // SAFETY: a pointer of a linked cycle.
                at = unsafe { at.cast::<*const u8>().read() };
            }
        }
    }

    #[test]
    fn a_slice_takes_time_and_stays_in_its_region() {
        let (mut buffer, sizes) = linked();
        for size in [0, sizes.len() - 1] {
            let mut chase = buffer.chase(size, 5);
            assert_eq!(chase.division().slices, SLICES);
            chase.prepare();
            assert!(!chase.slice(0).segments.iter().sum::<Duration>().is_zero());
            let extent = chase.extent(0);
            assert!(
                extent.contains(&(chase.position.at as usize - chase.memory().start() as usize))
            );
        }
    }

    #[test]
    #[ignore = "long: asserts a time"]
    fn a_slice_takes_its_fraction_of_a_millisecond() {
        let share = SAMPLE_TIME / SLICES as u32;
        let mut seen = Vec::new();
        // Other programs disturb some of the calibrations, on a busy host most.
        for _ in 0..50 {
            let (mut buffer, sizes) = linked();
            let slices = [0, sizes.len() - 1].map(|size| {
                let mut chase = buffer.chase(size, 5);
                chase.prepare();
                (0..50)
                    .map(|_| chase.slice(0).segments.iter().sum::<Duration>())
                    .min()
                    .unwrap_or_default()
            });
            seen.push(slices);
            let is_right = |slices: &&[Duration; 2]| {
                slices.iter().all(|least| (share / 5..share * 5).contains(least))
            };
            if seen.iter().filter(is_right).count() >= 10 {
                return;
            }
        }
        panic!("{seen:?}");
    }

    #[test]
    fn a_continued_chase_keeps_its_position() {
        let (mut buffer, _) = linked();
        let mut chase = buffer.chase(0, 5);
        chase.prepare();
        chase.slice(0);
        let position = chase.position;
        let mut again = buffer.chase(0, 5);
        assert!(again.position.warmed.is_none() && again.position.at == again.first);
        again.position = position;
        assert!(again.position.warmed.is_some() && again.position.at == position.at);
    }
}
