//! Guards: a sample is believed only when nothing happened to it.
//!
//! - *pinned*: the thread is on its CPU before and after;
//! - *undisturbed*: the kernel did not take it off its CPU meanwhile;
//! - *resident*: the pages are on the same node before and after, and on the wanted one;
//! - *not stalled*: no segment took far longer than its fellows ([`stall`]);
//! - *settled*: the clock's speed stood still before ([`settle`]).
//!
//! A dropped sample is told with its reason. Within a believed one two of eight segments are left
//! out without being told, always the two slowest
//! ([`Timing::cost`](crate::probes::slice::Timing::cost); docs/method.md tells why).

pub(crate) mod settle;
pub(crate) mod stall;
pub(crate) mod thread;

use std::ops::Range;

use nearfar_model::{CpuId, NodeId};
use nearfar_place::{PlacedBuffer, Residence};

use crate::worker_message::DropReason;
use thread::ThreadWatch;

/// Most pages looked up around a slice: all of a 2 MiB page's, and as many of a large buffer's,
/// evenly spread.
const WATCHED_PAGES: usize = 512;

/// What stood before a slice, to be compared with what stands after.
pub(crate) struct Watch {
    thread: ThreadWatch,
    /// Offsets of the pages looked up.
    pages: Vec<usize>,
    /// Where they were; nothing when the kernel does not tell, which was said when they were
    /// placed.
    residences: Vec<Residence>,
}

impl Watch {
    /// Notes what stands now; an error when the thread is not on the CPU it was pinned to.
    pub(crate) fn begin(
        cpu: CpuId,
        memory: &PlacedBuffer,
        extent: Range<usize>,
    ) -> Result<Self, DropReason> {
        let pages = spread(extent, memory.page());
        let residences = memory.residences_at(&pages).unwrap_or_default();
        Ok(Self { pages, residences, thread: ThreadWatch::begin(cpu)? })
    }

    /// Compares; an error when something happened.
    pub(crate) fn end(self, memory: &PlacedBuffer) -> Result<(), DropReason> {
        self.thread.was_not_switched()?;
        self.end_in_place(memory)
    }

    /// As [`Watch::end`], for those who find out by themselves whether time was lost.
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

/// Offsets of the pages of an extent, or of so many evenly spread.
fn spread(extent: Range<usize>, page: usize) -> Vec<usize> {
    let step = (extent.len() / page).div_ceil(WATCHED_PAGES).max(1);
    extent.step_by(page * step).collect()
}

/// Whether a page is elsewhere than before, or than wanted. Pages of which the kernel does not tell
/// are not accused.
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
}
