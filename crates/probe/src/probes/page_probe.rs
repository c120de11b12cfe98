//! The page probe, nearfar's primary one: a flushed 2 MiB page, walked once by dependent loads.
//!
//! It measures one physical page, needs one TLB entry, and does not depend on the size of any
//! cache, which is unknown in a virtual machine. The cycle of each page is drawn when it is placed
//! and kept for the process's lifetime.

#![allow(unsafe_code)]

use std::ops::Range;
use std::time::Duration;

use fastrand::Rng;
use nearfar_model::Bytes;
use nearfar_place::PlacedBuffer;

use crate::probes::arch::{Flusher, LOADS_PER_TURN, walk};
use crate::probes::slice::{Division, Probe, SEGMENTS, Timing, size_within, time_segments};
use crate::probes::{STRIDE, link};

/// The smallest page: it holds a sample's minimum of loads, one turn in each segment, exactly once.
pub(crate) const MIN_PAGE: Bytes = Bytes(SEGMENTS * LOADS_PER_TURN * STRIDE as u64);

/// The division of a sample with this many accesses. It never visits a line twice, since the second
/// access would hit caches.
pub(super) fn division(page: u64, accesses: u64) -> Division {
    let once_round = page / STRIDE as u64;
    Division::new(accesses.min(once_round), u64::MAX, LOADS_PER_TURN)
}

pub(crate) struct PageProbe {
    memory: PlacedBuffer,
    page: usize,
    division: Division,
    flusher: Flusher,
}

impl PageProbe {
    /// Draws a cycle through each page of `page` bytes, at least [`MIN_PAGE`].
    pub(crate) fn new(memory: PlacedBuffer, page: usize, accesses: u64, random: &mut Rng) -> Self {
        Self::of_pages(memory, page, accesses, random, |_| true)
    }

    /// The same for selected pages only; the others cannot be sampled.
    pub(crate) fn of_pages(
        mut memory: PlacedBuffer,
        page: usize,
        accesses: u64,
        random: &mut Rng,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let page = size_within(&memory, page);
        let pages = memory.words_mut().chunks_exact_mut(page / size_of::<u64>()).enumerate();
        pages.filter(|(index, _)| is_wanted(*index)).for_each(|(_, words)| link(words, random));
        Self { memory, page, division: division(page as u64, accesses), flusher: Flusher::new() }
    }
}

impl Probe for PageProbe {
    fn division(&self) -> Division {
        self.division
    }

    fn slice(&mut self, page: u32) -> Timing {
        let extent = self.extent(page);
        let mut at = self.memory.start().wrapping_add(extent.start).cast_const();
        let turns = self.division.per_segment / LOADS_PER_TURN;
        // SAFETY: `size_within` keeps every page within the placed memory, which lives as long as
        // this probe.
        unsafe { self.flusher.flush(at, extent.len()) };
        // SAFETY: the page begins with a slot of its cycle, and `link` made every slot of the cycle
        // point at another.
        let segments = time_segments(|| at = unsafe { walk(at, turns) });
        Timing { segments, loop_cost: Duration::ZERO }
    }

    fn memory(&self) -> &PlacedBuffer {
        &self.memory
    }

    fn extent(&self, page: u32) -> Range<usize> {
        let pages = self.memory.length() / self.page;
        let start = page as usize % pages * self.page;
        start..start + self.page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::slice::median;
    use crate::tests::memory;

    fn ns_per_load(timing: &Timing, probe: &PageProbe) -> f64 {
        median(&timing.segments).as_nanos() as f64 / probe.division.per_segment as f64
    }

    fn best(samples: impl Iterator<Item = f64>) -> f64 {
        samples.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_sample_of_a_page_takes_time() {
        let mut probe = PageProbe::new(memory(2 << 20), 2 << 20, 8192, &mut Rng::with_seed(1));
        assert!(!probe.slice(0).segments.iter().sum::<Duration>().is_zero());
    }

    #[test]
    #[ignore = "long: asserts a cost"]
    fn a_flushed_page_has_memory_latency() {
        let mut probe = PageProbe::new(memory(2 << 20), 2 << 20, 8192, &mut Rng::with_seed(1));
        let flushed = best((0..10).map(|_| ns_per_load(&probe.slice(0), &probe)));
        assert!((5.0..5000.0).contains(&flushed), "{flushed} ns");
    }

    #[test]
    fn an_oversized_page_is_clamped() {
        let mut probe = PageProbe::new(memory(2 << 20), 256 << 20, 8192, &mut Rng::with_seed(1));
        assert_eq!(probe.extent(7), 0..2 << 20);
        probe.slice(7);
    }

    #[test]
    fn no_sample_visits_a_line_twice() {
        for page in (MIN_PAGE.0..=2 << 20).step_by(4096) {
            for accesses in [1, 100, 8192, u64::MAX] {
                let loads = division(page, accesses).per_slice();
                assert!(loads <= page / STRIDE as u64, "{loads} loads of a page of {page} bytes");
            }
        }
    }

    #[test]
    #[ignore = "long: compares times"]
    fn flushing_makes_it_slower() {
        let mut probe = PageProbe::new(memory(2 << 20), 1 << 20, 4096, &mut Rng::with_seed(1));
        let start = probe.memory.start().wrapping_add(1 << 20).cast_const();
        let turns = probe.division.per_segment / LOADS_PER_TURN;
        let walk_again = || {
            let mut at = start;
            // SAFETY: as in `slice`.
            let segments = time_segments(|| at = unsafe { walk(at, turns) });
            Timing { segments, loop_cost: Duration::ZERO }
        };
        // A busy machine disturbs many of them; one pair that shows the difference is enough.
        let shows = (0..200).any(|_| {
            let flushed = ns_per_load(&probe.slice(1), &probe);
            let cached = best((0..3).map(|_| ns_per_load(&walk_again(), &probe)));
            flushed > 1.3 * cached
        });
        assert!(shows);
    }
}
