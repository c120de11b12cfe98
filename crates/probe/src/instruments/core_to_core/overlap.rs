//! Do two CPUs run at the same time? On a crowded host a hypervisor may run two virtual CPUs in
//! turns on one core.
//!
//! Both look at the clock all the time and note when they were away: gaps between two looks that no
//! interrupt explains. What is left is when they were there; if that is hardly ever both, a line
//! between them measures the hypervisor's time slices. Only pairs that exchange lines slowly are
//! looked at: who does so in nanoseconds, runs at the same time. Other programs of the host may
//! keep a pair apart for a moment, so it is looked at several times, and one time together will do.

use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use nearfar_model::CpuId;

use super::partner::run_pair;
use crate::worker_message::DropReason;

/// Until both threads look, and have all that they need for it in their caches.
const START_DELAY: Duration = Duration::from_millis(4);
/// How long they look: some time slices of hypervisors (1 to 10 ms).
const OVERLAP_WINDOW: Duration = Duration::from_millis(24);
/// Away is who does not look for so long.
const MIN_GAP: Duration = Duration::from_micros(50);
/// Who is there together for less than this share of the time runs in turns.
const MIN_OVERLAP: f64 = 0.5;
/// Who runs in turns is found apart so often.
const MAX_TRIES: u32 = 3;

/// When somebody was away, from the beginning.
type Gaps = Vec<(Duration, Duration)>;

/// An error when the two run in turns.
pub(super) fn check(first: CpuId, second: CpuId) -> Result<(), DropReason> {
    check_repeatedly(|| measure_overlap(first, second))
}

/// Looks until the two are there together.
fn check_repeatedly(mut look: impl FnMut() -> Result<f64, DropReason>) -> Result<(), DropReason> {
    for _ in 0..MAX_TRIES {
        if look()? >= MIN_OVERLAP {
            return Ok(());
        }
    }
    Err(DropReason::TimeShared)
}

/// The share of one look in which both were there.
fn measure_overlap(first: CpuId, second: CpuId) -> Result<f64, DropReason> {
    // Agreed on once both are ready: how long a thread takes to start tells nothing.
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

/// Looks at the clock, and notes the gaps.
fn record_gaps(begin: Instant, mut gaps: Gaps) -> Gaps {
    let mut last = Duration::ZERO;
    while last < OVERLAP_WINDOW {
        // Nothing, as long as it has not begun.
        let now = Instant::now().saturating_duration_since(begin);
        if now - last > MIN_GAP {
            gaps.push((last, now.min(OVERLAP_WINDOW)));
        }
        last = now;
    }
    gaps
}

/// Room for all that can be noted, touched before: whoever waits for memory while it notes an
/// absence is absent for longer.
fn gap_buffer() -> Gaps {
    let mut gap_buffer = vec![
        (Duration::MAX, Duration::MAX);
        (OVERLAP_WINDOW.as_nanos() / MIN_GAP.as_nanos()) as usize
    ];
    gap_buffer.clear();
    gap_buffer
}

/// The share of the time in which neither was away.
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
    fn turns_leave_no_time_together() {
        let (one, other) = (ms(&[(0, 6), (12, 18)]), ms(&[(6, 12), (18, 24)]));
        assert!(overlap_share(&one, &other).abs() < 1e-9);
    }

    #[test]
    fn absences_at_the_same_time_count_once() {
        let gaps = ms(&[(3, 9)]);
        assert!((overlap_share(&gaps, &gaps) - 0.75).abs() < 1e-9);
        assert!((overlap_share(&ms(&[(0, 6)]), &ms(&[(3, 12)])) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_clock_is_looked_at_from_the_beginning_to_the_end() {
        let begin = Instant::now() + Duration::from_millis(1);
        let gaps = record_gaps(begin, gap_buffer());
        assert!(begin.elapsed() >= OVERLAP_WINDOW);
        // One that begins just before the end is cut off there.
        let is_one = |(from, to): &(Duration, Duration)| {
            *to <= OVERLAP_WINDOW && (*to - *from > MIN_GAP || *to == OVERLAP_WINDOW)
        };
        assert!(gaps.iter().all(is_one), "{gaps:?}");
    }

    #[test]
    fn one_look_that_another_program_spoiled_does_not_accuse_the_hypervisor() {
        let looks = |shares: [f64; 3]| {
            let mut shares = shares.into_iter();
            check_repeatedly(|| shares.next().ok_or(DropReason::Stalled))
        };
        assert_eq!(looks([0.2, 0.4, 0.9]), Ok(()));
        assert_eq!(looks([0.2, 0.4, 0.3]), Err(DropReason::TimeShared));
        assert_eq!(check_repeatedly(|| Err(DropReason::Descheduled)), Err(DropReason::Descheduled));
    }

    #[test]
    fn who_is_always_there_is_together() {
        assert!((overlap_share(&ms(&[]), &ms(&[])) - 1.0).abs() < 1e-9);
    }
}
