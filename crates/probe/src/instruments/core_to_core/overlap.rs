//! Whether two CPUs run at the same time. On a crowded host a hypervisor may time-share one core
//! between two virtual CPUs.
//!
//! Both threads poll the clock and record gaps between two readings that no interrupt explains. In
//! the remaining time the thread was running. If both rarely run at once, a line between them
//! measures the hypervisor's time slices. Only pairs with slow exchanges are checked: a fast
//! exchange proves that both run. Other programs may separate a pair for a moment, so the check is
//! repeated, and one overlap is enough.

use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use nearfar_model::CpuId;

use super::partner::run_pair;
use crate::worker_message::DropReason;

/// Time for both threads to start and to warm their caches.
const START_DELAY: Duration = Duration::from_millis(4);
/// The length of a check: several time slices of hypervisors (1 to 10 ms).
const OVERLAP_WINDOW: Duration = Duration::from_millis(24);
/// The shortest gap that counts as not running.
const MIN_GAP: Duration = Duration::from_micros(50);
/// A pair that overlaps for less than this fraction of the time is time-shared.
const MIN_OVERLAP: f64 = 0.5;
/// Checks without overlap before a pair counts as time-shared.
const MAX_TRIES: u32 = 3;

/// When a thread did not run, as (start, end) since the beginning.
type Gaps = Vec<(Duration, Duration)>;

/// Fails if the two CPUs are time-shared.
pub(super) fn check(first: CpuId, second: CpuId) -> Result<(), DropReason> {
    check_repeatedly(|| measure_overlap(first, second))
}

/// Repeats the check until the two overlap.
fn check_repeatedly(mut look: impl FnMut() -> Result<f64, DropReason>) -> Result<(), DropReason> {
    for _ in 0..MAX_TRIES {
        if look()? >= MIN_OVERLAP {
            return Ok(());
        }
    }
    Err(DropReason::TimeShared)
}

/// The fraction of one check in which both ran.
fn measure_overlap(first: CpuId, second: CpuId) -> Result<f64, DropReason> {
    // The start is agreed on once both are ready, so that a slow thread start does not count.
    let agreed = OnceLock::new();
    let theirs = Mutex::new(Gaps::new());
    run_pair(
        first,
        second,
        |rendezvous| {
            let gap_buffer = gap_buffer();
            rendezvous.wait_for(1)?;
            let mine =
                record_gaps(*agreed.get_or_init(|| Instant::now() + START_DELAY), gap_buffer);
            rendezvous.wait_for(2)?;
            Ok(theirs.lock().map_or(0.0, |theirs| overlap_share(&mine, &theirs)))
        },
        |rendezvous| {
            let gap_buffer = gap_buffer();
            rendezvous.reach(1);
            rendezvous.until(|| agreed.get().is_some())?;
            let seen = agreed.get().map_or_else(Gaps::new, |&begin| record_gaps(begin, gap_buffer));
            if let Ok(mut theirs) = theirs.lock() {
                *theirs = seen;
            }
            rendezvous.reach(2);
            Ok(())
        },
    )
}

/// Polls the clock and records the gaps.
fn record_gaps(begin: Instant, mut gaps: Gaps) -> Gaps {
    let mut last = Duration::ZERO;
    while last < OVERLAP_WINDOW {
        // Zero before the beginning.
        let now = Instant::now().saturating_duration_since(begin);
        if now - last > MIN_GAP {
            gaps.push((last, now.min(OVERLAP_WINDOW)));
        }
        last = now;
    }
    gaps
}

/// A buffer for all possible gaps, touched in advance: an allocation while recording would lengthen
/// the gap.
fn gap_buffer() -> Gaps {
    let mut gap_buffer = vec![
        (Duration::MAX, Duration::MAX);
        (OVERLAP_WINDOW.as_nanos() / MIN_GAP.as_nanos()) as usize
    ];
    gap_buffer.clear();
    gap_buffer
}

/// The fraction of the time without a gap on either side.
fn overlap_share(one: &Gaps, other: &Gaps) -> f64 {
    let mut all: Vec<&(Duration, Duration)> = one.iter().chain(other).collect();
    all.sort();
    let (mut apart, mut covered) = (Duration::ZERO, Duration::ZERO);
    for (from, to) in all {
        let from = (*from).max(covered);
        apart += to.saturating_sub(from);
        covered = covered.max(*to);
    }
    1.0 - apart.as_secs_f64() / OVERLAP_WINDOW.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(spans: &[(u64, u64)]) -> Gaps {
        spans
            .iter()
            .map(|&(from, to)| (Duration::from_millis(from), Duration::from_millis(to)))
            .collect()
    }

    #[test]
    fn alternating_threads_do_not_overlap() {
        let (one, other) = (ms(&[(0, 6), (12, 18)]), ms(&[(6, 12), (18, 24)]));
        assert!(overlap_share(&one, &other).abs() < 1e-9);
    }

    #[test]
    fn simultaneous_gaps_count_once() {
        let gaps = ms(&[(3, 9)]);
        assert!((overlap_share(&gaps, &gaps) - 0.75).abs() < 1e-9);
        assert!((overlap_share(&ms(&[(0, 6)]), &ms(&[(3, 12)])) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_clock_is_polled_over_the_whole_window() {
        let begin = Instant::now() + Duration::from_millis(1);
        let gaps = record_gaps(begin, gap_buffer());
        assert!(begin.elapsed() >= OVERLAP_WINDOW);
        // A gap that begins just before the end is cut off there.
        let is_one = |(from, to): &(Duration, Duration)| {
            *to <= OVERLAP_WINDOW && (*to - *from > MIN_GAP || *to == OVERLAP_WINDOW)
        };
        assert!(gaps.iter().all(is_one), "{gaps:?}");
    }

    #[test]
    fn one_disturbed_check_is_no_time_sharing() {
        let looks = |shares: [f64; 3]| {
            let mut shares = shares.into_iter();
            check_repeatedly(|| shares.next().ok_or(DropReason::Stalled))
        };
        assert_eq!(looks([0.2, 0.4, 0.9]), Ok(()));
        assert_eq!(looks([0.2, 0.4, 0.3]), Err(DropReason::TimeShared));
        assert_eq!(check_repeatedly(|| Err(DropReason::Descheduled)), Err(DropReason::Descheduled));
    }

    #[test]
    fn threads_without_gaps_overlap() {
        assert!((overlap_share(&ms(&[]), &ms(&[])) - 1.0).abs() < 1e-9);
    }
}
