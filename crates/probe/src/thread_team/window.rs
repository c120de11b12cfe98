//! The window in which all threads worked, and their rates.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use crate::streams::Kernel;
use crate::thread_team::StreamTask;
use crate::thread_team::tally::Tally;
use crate::worker_message::DropReason;

/// A window is invalid if its threads lost more than this fraction of their time.
const MAX_LOST: f64 = 0.01;
/// A window is invalid if it is shorter than this fraction of the requested time: a thread was
/// late.
const MIN_LENGTH: f64 = 0.5;

/// One thread's rate in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemberRate {
    /// Its index among the CPUs of [`ThreadTeam::start`](crate::thread_team::ThreadTeam::start).
    pub member: usize,
    /// Its operation.
    pub kernel: Kernel,
    /// Memory swept, in bytes per second. [`Kernel::program`] and [`Kernel::memory`] give its
    /// traffic.
    pub swept_bytes_per_s: f64,
}

impl MemberRate {
    /// The program's traffic in bytes per second.
    pub fn program_bytes_per_s(&self) -> f64 {
        self.swept_bytes_per_s * self.kernel.program().total()
    }

    /// The traffic at memory in bytes per second.
    pub fn memory_bytes_per_s(&self) -> f64 {
        self.swept_bytes_per_s * self.kernel.memory().total()
    }
}

/// A team's rates while all of its threads worked.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowRates {
    /// The length of the window.
    pub window: Duration,
    /// Each thread's rate, in the order of the tasks.
    pub members: Vec<MemberRate>,
}

impl WindowRates {
    /// The program's total traffic in bytes per second.
    pub fn program_bytes_per_s(&self) -> f64 {
        self.members.iter().map(MemberRate::program_bytes_per_s).sum()
    }

    /// The total traffic at memory in bytes per second.
    pub fn memory_bytes_per_s(&self) -> f64 {
        self.members.iter().map(MemberRate::memory_bytes_per_s).sum()
    }
}

/// The rates within the requested time, while all threads worked; or why the window is invalid. No
/// threads have no traffic.
pub(super) fn rates(
    tasks: &[StreamTask],
    tallies: &[Tally],
    wanted: Range<Duration>,
) -> Result<WindowRates, DropReason> {
    let (window, rates) = rough(tasks, tallies, &wanted).ok_or(DropReason::Stalled)?;
    let seconds = (window.end - window.start).as_secs_f64();
    let lost_s: f64 = tallies.iter().map(|tally| tally.lost_within_s(&window)).sum();
    if lost_s > MAX_LOST * seconds * tallies.len() as f64 {
        let switched = tallies.iter().any(|tally| tally.switches > 0);
        return Err(if switched { DropReason::Descheduled } else { DropReason::Stalled });
    }
    Ok(rates)
}

/// The time in which all threads worked, and the rates in it, lost time included; `None` if there
/// is too little of it.
fn rough(
    tasks: &[StreamTask],
    tallies: &[Tally],
    wanted: &Range<Duration>,
) -> Option<(Range<Duration>, WindowRates)> {
    let window = common(tallies, wanted)?;
    let length = window.end - window.start;
    let rate = |(task, tally): (&StreamTask, &Tally)| MemberRate {
        member: task.buffer.member,
        kernel: task.kernel,
        swept_bytes_per_s: tally.swept_within(&window) / length.as_secs_f64(),
    };
    let members = tasks.iter().zip(tallies).map(rate).collect();
    Some((window, WindowRates { window: length, members }))
}

/// The fastest of several windows, and the dropped ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Fastest {
    /// The rates of the fastest valid window.
    pub rates: WindowRates,
    /// Dropped windows, by reason.
    pub dropped: BTreeMap<DropReason, u32>,
}

/// The fastest of `windows` consecutive windows among the valid ones, since disturbances only slow
/// down. If none is valid, the reason, and the rates of the fastest one all the same.
pub(super) fn fastest(
    tasks: &[StreamTask],
    tallies: &[Tally],
    wanted: Range<Duration>,
    windows: u32,
) -> Result<Fastest, (DropReason, Option<WindowRates>)> {
    let windows = windows.max(1);
    let length = (wanted.end - wanted.start) / windows;
    let mut dropped: BTreeMap<DropReason, u32> = BTreeMap::new();
    let mut last = DropReason::Stalled;
    let window = |index: u32| wanted.start + length * index..wanted.start + length * (index + 1);
    let believed = (0..windows).filter_map(|index| {
        let note = |reason| {
            *dropped.entry(reason).or_default() += 1;
            last = reason;
        };
        rates(tasks, tallies, window(index)).map_err(note).ok()
    });
    let is_faster = |now: &WindowRates, best: &WindowRates| {
        now.program_bytes_per_s() > best.program_bytes_per_s()
    };
    let faster = |best, now| if is_faster(&now, &best) { now } else { best };
    if let Some(rates) = believed.reduce(faster) {
        return Ok(Fastest { rates, dropped });
    }
    let all = (0..windows).filter_map(|index| Some(rough(tasks, tallies, &window(index))?.1));
    Err((last, all.reduce(faster)))
}

/// From the latest first record to the earliest last one, within the requested time. `None` if too
/// little of it is left.
fn common(tallies: &[Tally], wanted: &Range<Duration>) -> Option<Range<Duration>> {
    let mut window = wanted.clone();
    for tally in tallies {
        let span = tally.span()?;
        window = window.start.max(span.start)..window.end.min(span.end);
    }
    let length = window.end.checked_sub(window.start)?;
    (!length.is_zero() && length >= (wanted.end - wanted.start).mul_f64(MIN_LENGTH))
        .then_some(window)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::streams::{Isa, TURN};
    use crate::thread_team::ThreadBuffer;

    fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    fn task(member: usize) -> StreamTask {
        StreamTask {
            buffer: ThreadBuffer { member, slot: 0 },
            kernel: Kernel::Read,
            isa: Isa::Portable,
            pause: 0,
        }
    }

    /// A thread that works from `begin` to `end` in pieces of one turn per `turn` microseconds,
    /// except for a gap.
    fn tally(begin: u64, end: u64, turn: u64, gap: Range<u64>) -> Tally {
        let mut tally = Tally::default();
        tally.begin(us(begin));
        let mut at = begin;
        while at < end {
            at += if gap.contains(&at) { gap.end - at } else { turn };
            tally.note(us(at), 1);
        }
        tally
    }

    const NONE: Range<u64> = 0..0;

    fn turns_per_s(rates: &WindowRates) -> f64 {
        rates.program_bytes_per_s() / TURN.0 as f64
    }

    #[test]
    fn a_window_counts_its_own_work() {
        let tallies = [tally(0, 20_000, 10, NONE), tally(0, 20_000, 40, NONE)];
        let rates = rates(&[task(0), task(1)], &tallies, us(1000)..us(11_000)).unwrap();
        assert_eq!(rates.window, us(10_000));
        assert!((turns_per_s(&rates) - 125_000.0).abs() < 1.0, "{rates:?}");
    }

    #[test]
    fn a_late_thread_does_not_inflate_rates() {
        // Alone, the first was twice as fast: that does not count.
        let mut alone_first = tally(0, 4000, 10, NONE);
        (1..=800).for_each(|turn| alone_first.note(us(4000 + turn * 20), 1));
        let late = tally(4000, 20_000, 20, NONE);
        let rates = rates(&[task(0), task(1)], &[alone_first, late], us(1000)..us(15_000)).unwrap();
        assert_eq!(rates.window, us(11_000));
        assert!((turns_per_s(&rates) - 100_000.0).abs() < 1.0, "{rates:?}");
    }

    #[test]
    fn a_very_late_thread_invalidates_the_window() {
        let tallies = [tally(0, 20_000, 10, NONE), tally(9000, 20_000, 10, NONE)];
        assert_eq!(
            rates(&[task(0), task(1)], &tallies, us(1000)..us(15_000)),
            Err(DropReason::Stalled)
        );
        assert_eq!(rates(&[task(0)], &[Tally::default()], us(0)..us(1)), Err(DropReason::Stalled));
    }

    #[test]
    fn lost_time_has_a_cause_and_a_tolerance() {
        let mut away = tally(0, 20_000, 10, 5000..6000);
        let window = us(1000)..us(11_000);
        assert_eq!(rates(&[task(0)], &[away.clone()], window.clone()), Err(DropReason::Stalled));
        away.switches = 1;
        assert_eq!(
            rates(&[task(0)], &[away.clone()], window.clone()),
            Err(DropReason::Descheduled)
        );
        let tasks: Vec<StreamTask> = (0..20).map(task).collect();
        let mut crowd = vec![tally(0, 20_000, 10, NONE); 19];
        crowd.push(away.clone());
        assert!(rates(&tasks, &crowd, window.clone()).is_ok());
        crowd[0] = away.clone();
        crowd[1] = away;
        assert_eq!(rates(&tasks, &crowd, window), Err(DropReason::Descheduled));
    }

    #[test]
    fn a_switch_without_cost_is_tolerated() {
        let mut tally = tally(0, 20_000, 10, NONE);
        tally.switches = 3;
        assert!(rates(&[task(0)], &[tally], us(1000)..us(11_000)).is_ok());
    }

    #[test]
    fn the_fastest_undisturbed_window_counts() {
        // Four windows of 10 ms: a neighbour takes half of the bandwidth in the second and third;
        // in the fourth the thread is descheduled.
        let mut busy = tally(0, 11_000, 10, NONE);
        (1..=1000).for_each(|turn| busy.note(us(11_000 + turn * 20), 1));
        (1..=400).for_each(|turn| busy.note(us(31_000 + turn * 10), 1));
        busy.note(us(41_000), 1);
        busy.note(us(42_000), 100);
        let wanted = us(1000)..us(41_000);
        let fastest = fastest(&[task(0)], &[busy.clone()], wanted.clone(), 4).unwrap();
        assert_eq!(fastest.rates.window, us(10_000));
        assert!((turns_per_s(&fastest.rates) - 100_000.0).abs() < 1.0, "{fastest:?}");
        assert_eq!(
            fastest.dropped,
            BTreeMap::from([(DropReason::Stalled, 1)]),
            "the fourth is counted"
        );
        assert!(rates(&[task(0)], &[busy], wanted).is_err());
    }

    #[test]
    fn without_a_valid_window_the_reason_is_reported() {
        let mut away = tally(0, 20_000, 10, 1500..19_500);
        away.switches = 1;
        let (reason, rough) = fastest(&[task(0)], &[away], us(1000)..us(19_000), 3).unwrap_err();
        // Of the first window's 6 ms, 0.5 ms of work were left; a gap counts as even work.
        let rate = turns_per_s(&rough.unwrap());
        assert_eq!(reason, DropReason::Descheduled);
        assert!((50.0..20_000.0).contains(&rate), "{rate}");
        assert_eq!(
            fastest(&[task(0)], &[Tally::default()], us(0)..us(9), 3),
            Err((DropReason::Stalled, None))
        );
    }

    #[test]
    fn no_threads_move_nothing() {
        let idle = rates(&[], &[], us(0)..us(5)).unwrap();
        assert_eq!((idle.window, idle.memory_bytes_per_s()), (us(5), 0.0));
    }

    #[test]
    fn program_and_memory_traffic_differ() {
        let rate = MemberRate { member: 0, kernel: Kernel::Copy, swept_bytes_per_s: 100.0 };
        assert_eq!((rate.program_bytes_per_s(), rate.memory_bytes_per_s()), (100.0, 150.0));
    }

    proptest! {
        #[test]
        fn more_windows_never_lower_the_rate(
            speeds in prop::collection::vec(5u64..60, 8),
            windows in 1u32..8,
        ) {
            let mut tally = Tally::default();
            tally.begin(us(0));
            let mut at = 0;
            for (index, turn) in (1u64..).zip(&speeds) {
                while at < index * 1000 {
                    at += turn;
                    tally.note(us(at), 1);
                }
            }
            let of = |windows: u32| {
                let wanted = us(0)..us(1000 * u64::from(windows));
                let fastest = fastest(&[task(0)], &[tally.clone()], wanted, windows);
                fastest.map_or(0.0, |fastest| turns_per_s(&fastest.rates))
            };
            prop_assert!(of(windows) <= of(windows + 1) + 1e-6);
            prop_assert!(of(windows) <= 1e6 / 5.0 + 1.0);
        }

        #[test]
        fn steady_threads_sum_to_their_speeds(
            begins in prop::collection::vec((0u64..500, 5u64..60), 1..6),
            start in 600u64..900,
            length in 1000u64..9000,
        ) {
            let tallies: Vec<Tally> =
                begins.iter().map(|&(begin, turn)| tally(begin, 10_000, turn, NONE)).collect();
            let tasks: Vec<StreamTask> = (0..tallies.len()).map(task).collect();
            let rates = rates(&tasks, &tallies, us(start)..us(start + length)).unwrap();
            let expected: f64 = begins.iter().map(|&(_, turn)| 1e6 / turn as f64).sum();
            prop_assert!((turns_per_s(&rates) / expected - 1.0).abs() < 1e-6);
        }
    }
}
