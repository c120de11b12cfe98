//! Guards: a sample is believed only when nothing happened to it.
//!
//! - *pinned*: the thread is on its CPU before and after;
//! - *undisturbed*: the kernel did not take it off its CPU meanwhile;
//! - *resident*: the pages are on the same node before and after, and on the wanted one;
//! - *not stalled*: no segment took far longer than its fellows ([`stall`]);
//! - *settled*: the clock's speed stood still before ([`settle`]).
//!
//! A dropped sample is told with its reason. Within a believed one two of eight segments are left out without being told, always
//! the two slowest ([`Timing::cost`](crate::probes::slice::Timing::cost); docs/method.md tells why).

pub(crate) mod settle;
pub(crate) mod stall;

use std::ops::Range;

use nearfar_model::{CpuId, NodeId};
use nearfar_place::{PlacedBuffer, Residence, current_cpu};

use crate::answer::DropReason;

/// Most pages looked up around a slice: all of a 2 MiB page's, and as many of a large buffer's, evenly spread.
const WATCHED_PAGES: usize = 512;

/// What stood before a slice, to be compared with what stands after.
pub(crate) struct Watch {
    cpu: CpuId,
    switches: i64,
    /// Offsets of the pages looked up.
    pages: Vec<usize>,
    /// Where they were; nothing when the kernel does not tell, which was said when they were placed.
    residences: Vec<Residence>,
}

impl Watch {
    /// Notes what stands now; an error when the thread is not on the CPU it was pinned to.
    pub(crate) fn begin(cpu: CpuId, memory: &PlacedBuffer, extent: Range<usize>) -> Result<Self, DropReason> {
        let pages = spread(extent, memory.page());
        let residences = memory.residences_at(&pages).unwrap_or_default();
        check_cpu(cpu)?;
        Ok(Self { cpu, pages, residences, switches: involuntary_switches() })
    }

    /// Compares; an error when something happened.
    pub(crate) fn end(self, memory: &PlacedBuffer) -> Result<(), DropReason> {
        let switches = involuntary_switches();
        check_cpu(self.cpu)?;
        if switches != self.switches { Err(DropReason::Descheduled) } else { self.end_in_place(memory) }
    }

    /// As [`Watch::end`], for those who find out by themselves whether time was lost.
    pub(crate) fn end_in_place(self, memory: &PlacedBuffer) -> Result<(), DropReason> {
        check_cpu(self.cpu)?;
        let after = memory.residences_at(&self.pages).unwrap_or_default();
        if moved(&self.residences, &after, memory.node()) { Err(DropReason::PageMoved) } else { Ok(()) }
    }
}

fn check_cpu(pinned: CpuId) -> Result<(), DropReason> {
    match current_cpu() {
        Ok((cpu, _)) if cpu != pinned => Err(DropReason::MovedCpu),
        // A kernel that does not say is believed: it granted the affinity.
        _ => Ok(()),
    }
}

/// Offsets of the pages of an extent, or of so many evenly spread.
fn spread(extent: Range<usize>, page: usize) -> Vec<usize> {
    let step = (extent.len() / page).div_ceil(WATCHED_PAGES).max(1);
    extent.step_by(page * step).collect()
}

/// Whether a page is elsewhere than before, or than wanted. Pages of which the kernel does not tell are not accused.
fn moved(before: &[Residence], after: &[Residence], wanted: Option<NodeId>) -> bool {
    let strayed = after.iter().filter_map(Residence::node).any(|node| wanted.is_some_and(|wanted| wanted != node));
    let left = before.iter().zip(after).any(|(before, after)| match (before, after) {
        (Residence::Node(from), Residence::Node(to)) => from != to,
        (Residence::Node(_), Residence::Absent) => true,
        _ => false,
    });
    strayed || left
}

/// How often the kernel has taken the calling thread off its CPU: `ru_nivcsw` of getrusage(2).
#[allow(unsafe_code)]
pub(crate) fn involuntary_switches() -> i64 {
    // SAFETY: all-zero is a valid `rusage`; the kernel overwrites it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one `rusage`.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_nivcsw
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;
    use nearfar_place::AffinityGuard;

    use super::*;
    use crate::probes::test_memory::memory;

    #[test]
    fn pages_that_leave_are_noticed() {
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
    fn a_large_buffer_is_watched_at_evenly_spread_pages() {
        assert_eq!(spread(0..2 << 20, 2 << 20), [0]);
        assert_eq!(spread(2 << 20..4 << 20, 4096).len(), 512);
        let of_many = spread(0..256 << 20, 4096);
        assert_eq!((of_many.len(), of_many[1]), (512, 128 * 4096));
    }

    #[test]
    fn a_thread_elsewhere_than_pinned_is_noticed() {
        let memory = memory(2 << 20);
        let (here, _) = current_cpu().unwrap();
        let _pinned = AffinityGuard::enter(&CpuSet::of(here)).unwrap();
        assert!(Watch::begin(here, &memory, 0..memory.length()).is_ok());
        let elsewhere = Watch::begin(CpuId(here.0 + 1), &memory, 0..memory.length());
        assert_eq!(elsewhere.err(), Some(DropReason::MovedCpu));
    }

    #[test]
    fn a_thread_that_yields_to_others_is_noticed() {
        let (here, _) = current_cpu().unwrap();
        let _pinned = AffinityGuard::enter(&CpuSet::of(here)).unwrap();
        let before = involuntary_switches();
        // A rival on the same CPU makes the kernel switch between the two.
        std::thread::scope(|scope| {
            let rival = scope.spawn(|| (0..300_000_000u64).fold(0, |sum, n| std::hint::black_box(sum ^ n)));
            while !rival.is_finished() {
                std::hint::spin_loop();
            }
        });
        assert!(involuntary_switches() > before);
    }
}
