//! Guards: a sample is valid only if it was not disturbed.
//!
//! - *pinned*: the thread is on its CPU before and after;
//! - *undisturbed*: the kernel did not deschedule the thread;
//! - *resident*: the pages are on the same node before and after, and on the requested one;
//! - *not stalled*: no segment took far longer than the others ([`stall`]);
//! - *settled*: the clock speed was constant before ([`settle`]).
//!
//! A dropped sample is reported with its reason. In a valid one the slowest two of eight segments
//! are ignored without a report ([`Timing::cost`](crate::probes::slice::Timing::cost);
//! docs/method/method.md explains why).

pub(crate) mod settle;
pub(crate) mod thread;

use std::ops::Range;
use std::time::Duration;

use nearfar_model::{CpuId, NodeId};
use nearfar_place::{PlacedBuffer, Residence};

use crate::probes::slice::median;
use crate::worker_message::DropReason;
use thread::ThreadWatch;

/// The limit on pages looked up around a slice: all of a 2 MiB page's, and as many of a large
/// buffer's, evenly spaced.
const WATCHED_PAGES: usize = 512;

/// The state before a slice, compared with the state after it.
pub(crate) struct Watch {
    thread: ThreadWatch,
    /// Offsets of the pages looked up.
    pages: Vec<usize>,
    /// Where they were; empty if the kernel does not report it, which was noted at placement.
    residences: Vec<Residence>,
}

impl Watch {
    /// Records the current state; fails if the thread is not on its CPU.
    pub(crate) fn begin(
        cpu: CpuId,
        memory: &PlacedBuffer,
        extent: Range<usize>,
    ) -> Result<Self, DropReason> {
        let pages = spread(extent, memory.page());
        let residences = memory.residences_at(&pages).unwrap_or_default();
        Ok(Self { pages, residences, thread: ThreadWatch::begin(cpu)? })
    }

    /// Compares the states; fails if the slice was disturbed.
    pub(crate) fn end(self, memory: &PlacedBuffer) -> Result<(), DropReason> {
        self.thread.was_not_switched()?;
        self.end_in_place(memory)
    }

    /// Like [`Watch::end`], for callers that detect lost time themselves.
    pub(crate) fn end_in_place(self, memory: &PlacedBuffer) -> Result<(), DropReason> {
        self.thread.is_in_place()?;
        let after = memory.residences_at(&self.pages).unwrap_or_default();
        if moved(&self.residences, &after, memory.node()) {
            Err(DropReason::PageMoved)
        } else {
            Ok(())
        }
    }
}

/// Offsets of an extent's pages, or of some evenly spaced ones.
fn spread(extent: Range<usize>, page: usize) -> Vec<usize> {
    let step = (extent.len() / page).div_ceil(WATCHED_PAGES).max(1);
    extent.step_by(page * step).collect()
}

/// Whether a page is elsewhere than before, or than requested. Pages of unknown location do not
/// count.
fn moved(before: &[Residence], after: &[Residence], wanted: Option<NodeId>) -> bool {
    let misplaced = after
        .iter()
        .filter_map(Residence::node)
        .any(|node| wanted.is_some_and(|wanted| wanted != node));
    let left = before.iter().zip(after).any(|(before, after)| match (before, after) {
        (Residence::Node(from), Residence::Node(to)) => from != to,
        (Residence::Node(_), Residence::Absent) => true,
        _ => false,
    });
    misplaced || left
}

/// The smallest ratio of a stalled segment's time to the median.
const STALL_FACTOR: u32 = 3;
/// The smallest excess of a stalled segment over the median.
const STALL_EXCESS: Duration = Duration::from_micros(100);

/// Whether one of a slice's segments is such an outlier that the CPU must have stalled.
pub(crate) fn is_stalled(segments: &[Duration]) -> bool {
    let typical = median(segments);
    let longest = segments.iter().max().copied().unwrap_or_default();
    longest > typical * STALL_FACTOR && longest > typical + STALL_EXCESS
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;
    use nearfar_place::{AffinityGuard, current_cpu};

    use super::*;
    use crate::tests::memory;

    #[test]
    fn moved_pages_are_detected() {
        let on = |node| Residence::Node(NodeId(node));
        let (absent, unknown) = (Residence::Absent, || Residence::Unknown("EIO".to_owned()));
        assert!(!moved(&[on(0), on(1)], &[on(0), on(1)], None));
        assert!(moved(&[on(0)], &[on(1)], None));
        assert!(moved(&[on(1)], &[on(1)], Some(NodeId(0))));
        assert!(moved(&[on(0)], &[absent], Some(NodeId(0))));
        assert!(!moved(&[on(0)], &[unknown()], Some(NodeId(0))));
        assert!(!moved(&[], &[], Some(NodeId(0))));
    }

    #[test]
    fn large_buffers_are_checked_at_evenly_spaced_pages() {
        assert_eq!(spread(0..2 << 20, 2 << 20), [0]);
        assert_eq!(spread(2 << 20..4 << 20, 4096).len(), 512);
        let of_many = spread(0..256 << 20, 4096);
        assert_eq!((of_many.len(), of_many[1]), (512, 128 * 4096));
    }

    #[test]
    fn a_thread_on_another_cpu_is_detected() {
        let memory = memory(2 << 20);
        let (here, _) = current_cpu().unwrap();
        let _pinned = AffinityGuard::enter(&CpuSet::from_id(here)).unwrap();
        assert!(Watch::begin(here, &memory, 0..memory.length()).is_ok());
        let elsewhere = Watch::begin(CpuId(here.0 + 1), &memory, 0..memory.length());
        assert_eq!(elsewhere.err(), Some(DropReason::MovedCpu));
    }

    fn micros(segments: &[u64]) -> Vec<Duration> {
        segments.iter().map(|&us| Duration::from_micros(us)).collect()
    }

    #[test]
    fn one_far_longer_segment_is_a_stall() {
        assert!(is_stalled(&micros(&[120, 121, 119, 120, 500, 120, 122, 118])));
    }

    #[test]
    fn ordinary_scatter_is_no_stall() {
        assert!(!is_stalled(&micros(&[120, 121, 119, 300, 120, 120, 122, 118])));
        // Three times as long, but short: a timer tick.
        assert!(!is_stalled(&micros(&[10, 10, 10, 10, 10, 10, 10, 90])));
        assert!(!is_stalled(&[]));
    }
}
