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

use super::partner::together;
use crate::worker_message::DropReason;

/// Until both threads look, and have all that they need for it in their caches.
const SOON: Duration = Duration::from_millis(4);
/// How long they look: some time slices of hypervisors (1 to 10 ms).
const LOOK: Duration = Duration::from_millis(24);
/// Away is who does not look for so long.
const AWAY: Duration = Duration::from_micros(50);
/// Who is there together for less than this share of the time runs in turns.
const LEAST_TOGETHER: f64 = 0.5;
/// Who runs in turns is found apart so often.
const TIMES: u32 = 3;

/// When somebody was away, from the beginning.
type Absences = Vec<(Duration, Duration)>;

/// An error when the two run in turns.
pub(super) fn check(first: CpuId, second: CpuId) -> Result<(), DropReason> {
    seen_together(|| share_of_a_look(first, second))
}

/// Looks until the two are there together.
fn seen_together(mut look: impl FnMut() -> Result<f64, DropReason>) -> Result<(), DropReason> {
    for _ in 0..TIMES {
        if look()? >= LEAST_TOGETHER {
            return Ok(());
        }
    }
    Err(DropReason::TimeShared)
}

/// The share of one look in which both were there.
fn share_of_a_look(first: CpuId, second: CpuId) -> Result<f64, DropReason> {
    // Agreed on once both are ready: how long a thread takes to start tells nothing.
    let agreed = OnceLock::new();
    let theirs = Mutex::new(Absences::new());
    together(
        first,
        second,
        |meeting| {
            let room = room();
            meeting.wait_for(1)?;
            let mine = absences(*agreed.get_or_init(|| Instant::now() + SOON), room);
            meeting.wait_for(2)?;
            Ok(theirs.lock().map_or(0.0, |theirs| share_together(&mine, &theirs)))
        },
        |meeting| {
            let room = room();
            meeting.reach(1);
            meeting.until(|| agreed.get().is_some())?;
            let seen = agreed.get().map_or_else(Absences::new, |&begin| absences(begin, room));
            if let Ok(mut theirs) = theirs.lock() {
                *theirs = seen;
            }
            meeting.reach(2);
            Ok(())
        },
    )
}

/// Looks at the clock, and notes the gaps.
fn absences(begin: Instant, mut away: Absences) -> Absences {
    let mut last = Duration::ZERO;
    while last < LOOK {
        // Nothing, as long as it has not begun.
        let now = Instant::now().saturating_duration_since(begin);
        if now - last > AWAY {
            away.push((last, now.min(LOOK)));
        }
        last = now;
    }
    away
}

/// Room for all that can be noted, touched before: whoever waits for memory while it notes an
/// absence is absent for longer.
fn room() -> Absences {
    let mut room =
        vec![(Duration::MAX, Duration::MAX); (LOOK.as_nanos() / AWAY.as_nanos()) as usize];
    room.clear();
    room
}

/// The share of the time in which neither was away.
fn share_together(one: &Absences, other: &Absences) -> f64 {
    let mut all: Vec<&(Duration, Duration)> = one.iter().chain(other).collect();
    all.sort();
    let (mut apart, mut covered) = (Duration::ZERO, Duration::ZERO);
    for (from, to) in all {
        let from = (*from).max(covered);
        apart += to.saturating_sub(from);
        covered = covered.max(*to);
    }
    1.0 - apart.as_secs_f64() / LOOK.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(spans: &[(u64, u64)]) -> Absences {
        spans
            .iter()
            .map(|&(from, to)| (Duration::from_millis(from), Duration::from_millis(to)))
            .collect()
    }

    #[test]
    fn turns_leave_no_time_together() {
        let (one, other) = (ms(&[(0, 6), (12, 18)]), ms(&[(6, 12), (18, 24)]));
        assert!(share_together(&one, &other).abs() < 1e-9);
    }

    #[test]
    fn absences_at_the_same_time_count_once() {
        let away = ms(&[(3, 9)]);
        assert!((share_together(&away, &away) - 0.75).abs() < 1e-9);
        assert!((share_together(&ms(&[(0, 6)]), &ms(&[(3, 12)])) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_clock_is_looked_at_from_the_beginning_to_the_end() {
        let begin = Instant::now() + Duration::from_millis(1);
        let away = absences(begin, room());
        assert!(begin.elapsed() >= LOOK);
        // One that begins just before the end is cut off there.
        let is_one =
            |(from, to): &(Duration, Duration)| *to <= LOOK && (*to - *from > AWAY || *to == LOOK);
        assert!(away.iter().all(is_one), "{away:?}");
    }

    #[test]
    fn one_look_that_another_program_spoiled_does_not_accuse_the_hypervisor() {
        let looks = |shares: [f64; 3]| {
            let mut shares = shares.into_iter();
            seen_together(|| shares.next().ok_or(DropReason::Stalled))
        };
        assert_eq!(looks([0.2, 0.4, 0.9]), Ok(()));
        assert_eq!(looks([0.2, 0.4, 0.3]), Err(DropReason::TimeShared));
        assert_eq!(seen_together(|| Err(DropReason::Descheduled)), Err(DropReason::Descheduled));
    }

    #[test]
    fn who_is_always_there_is_together() {
        assert!((share_together(&ms(&[]), &ms(&[])) - 1.0).abs() < 1e-9);
    }
}
