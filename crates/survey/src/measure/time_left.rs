//! The remaining time, estimated from what a plan has done.

use std::time::Duration;

use nearfar_probe::{Plan, PlanLimits, PlanProgress};

use crate::measure::cost::VisitCost;
use crate::measure::{PlanTask, TimeLeft};

/// The times of a plan's processes.
pub(crate) struct PlanClock {
    current: ProcessClock,
    /// Of processes that have ended, and their number.
    ended: (VisitCost, u32),
    /// On an ordinary idle machine, if known.
    usual: Option<VisitCost>,
    /// The time of processes over that on an ordinary idle machine.
    pace: f64,
}

/// A process in progress.
#[derive(Default)]
struct ProcessClock {
    /// Its number; 0 before the first one.
    number: u32,
    begun: Duration,
    /// When its first and its last visit were answered, and how many were by then.
    first: Option<(Duration, usize)>,
    last: (Duration, usize),
}

impl ProcessClock {
    fn note(&mut self, visits: usize, elapsed: Duration) {
        if visits > self.last.1 {
            self.last = (elapsed, visits);
            self.first = self.first.or(Some(self.last));
        }
    }

    fn cost(&self) -> Option<VisitCost> {
        let (first, visits) = self.first?;
        let more = u32::try_from(self.last.1 - visits).unwrap_or(u32::MAX);
        let visit = (self.last.0 - first).checked_div(more).unwrap_or_default();
        let process = first.saturating_sub(self.begun + visit * visits as u32);
        Some(VisitCost { process, visit })
    }
}

impl PlanClock {
    /// The clock of a plan whose processes and visits cost this on an ordinary idle machine, after
    /// plans that took `pace` times as long as there.
    pub(crate) fn new(usual: Option<VisitCost>, pace: f64) -> Self {
        let none = VisitCost { process: Duration::ZERO, visit: Duration::ZERO };
        Self { current: ProcessClock::default(), ended: (none, 0), usual, pace }
    }

    /// The time of processes so far over that on an ordinary idle machine.
    pub(crate) fn pace(&self) -> f64 {
        self.pace
    }

    /// The remaining time of the plan, `elapsed` after its start; `None` while nothing is known.
    pub(crate) fn left(
        &mut self,
        plan: &Plan,
        spacing: Duration,
        progress: &PlanProgress,
        elapsed: Duration,
    ) -> Option<Duration> {
        let limits = &plan.limits;
        if progress.processes > self.current.number {
            self.start_process(progress.processes, elapsed, spacing);
        }
        self.current.note(progress.visits, elapsed);
        let places = plan.places.len() + plan.controls.len();
        let process = self.process(limits.next_rounds(progress.rounds) as usize * places)?;
        let time = |rounds: u32| process.process(rounds as usize * places);
        let mut done = progress.rounds + limits.next_rounds(progress.rounds);
        let mut begun = self.current.begun;
        let mut end = (begun + time(done - progress.rounds)).max(elapsed);
        for (rounds, processes) in later_rounds(limits, progress).into_iter().zip(1..) {
            let limit =
                limits.time_limit(progress.processes + processes - 1, progress.is_disturbed);
            if limit.is_some_and(|limit| end + end * rounds / done.max(1) > limit) {
                break;
            }
            begun = end.max(begun + spacing);
            end = begun + time(rounds);
            done += rounds;
        }
        Some(end.saturating_sub(elapsed))
    }

    /// The pace after the plan, for the next one.
    pub(crate) fn finish(mut self) -> f64 {
        self.note_end();
        self.pace
    }

    /// Notes that a further process starts.
    fn start_process(&mut self, number: u32, elapsed: Duration, spacing: Duration) {
        self.note_end();
        let is_first = self.current.number == 0;
        let begun = if is_first { elapsed } else { elapsed.max(self.current.begun + spacing) };
        self.current = ProcessClock { number, begun, ..ProcessClock::default() };
    }

    /// Notes what the current process took.
    fn note_end(&mut self) {
        let Some(cost) = self.current.cost() else { return };
        let (sum, processes) = &mut self.ended;
        sum.process += cost.process;
        sum.visit += cost.visit;
        *processes += 1;
        let visits = self.current.last.1;
        let usual = self.usual.map_or(Duration::ZERO, |usual| usual.process(visits));
        if let Some(mean) = self.mean().filter(|_| !usual.is_zero()) {
            self.pace = mean.process(visits).div_duration_f64(usual);
        }
    }

    /// The mean of processes that have ended.
    fn mean(&self) -> Option<VisitCost> {
        let (sum, processes) = self.ended;
        Some(VisitCost {
            process: sum.process.checked_div(processes)?,
            visit: sum.visit.checked_div(processes)?,
        })
    }

    /// The cost of a process: of those that have ended; else of the current one, once it has made a
    /// quarter of its visits; else the usual one at this machine's pace.
    fn process(&self, visits: usize) -> Option<VisitCost> {
        let current = self.current.cost();
        let is_known = self.current.last.1 > 1 && 4 * self.current.last.1 >= visits;
        let usual = self.usual.map(|usual| usual.at_pace(self.pace));
        self.mean().or(if is_known { current } else { usual.or(current) })
    }
}

/// The rounds of each process after the current one: until precision is expected, which grows with
/// the root of rounds; until the limit while precision is unknown.
fn later_rounds(limits: &PlanLimits, progress: &PlanProgress) -> Vec<u32> {
    let expected = progress.worst_standard_error.filter(|_| limits.standard_error > 0.0);
    let expected = expected.map(|error| {
        let times = (error / limits.standard_error).powi(2);
        (f64::from(progress.rounds) * times).ceil() as u32
    });
    let most = limits.max_rounds.max(limits.first_rounds);
    let until = expected.map_or(most, |rounds| rounds.clamp(limits.first_rounds, most));
    let mut done = progress.rounds + limits.next_rounds(progress.rounds);
    let mut rounds = Vec::new();
    while done < until {
        rounds.push(limits.next_rounds(done));
        done += rounds[rounds.len() - 1];
    }
    rounds
}

impl PlanTask {
    /// The remaining time of the whole measurement, `elapsed` after its start.
    pub(crate) fn left(
        &self,
        plan_left: Option<Duration>,
        progress: &PlanProgress,
        target: f64,
        elapsed: Duration,
        pace: f64,
    ) -> Option<TimeLeft> {
        // What is quick because the machine is idle now may take its usual time later.
        let about = plan_left.map(|left| left + self.later.mul_f64(pace.max(1.0)));
        match (self.all_end, about) {
            (Some(TimeLeft::AtMost(end)), Some(about)) if self.is_alone => {
                let known = progress.worst_standard_error.map(|error| error / target);
                let left = end.saturating_sub(elapsed);
                let precise = self
                    .uncertainty
                    .or(known)
                    .map(|times| elapsed.mul_f64((times.powi(2) - 1.0).clamp(0.0, 1e6)));
                let about = about.max(precise.unwrap_or(left));
                Some(if about < left { TimeLeft::About(about) } else { TimeLeft::AtMost(left) })
            }
            // After this turn no time is left for another one.
            (Some(TimeLeft::AtMost(end)), Some(_))
                if self.least_next.is_some_and(|least| {
                    (elapsed + plan_left.unwrap_or_default()).saturating_add(least) > end
                }) =>
            {
                let left = plan_left.unwrap_or_default();
                Some(TimeLeft::About(left.min(end.saturating_sub(elapsed))))
            }
            (Some(end @ TimeLeft::AtMost(_)), _) | (Some(end), None) => Some(end.after(elapsed)),
            (_, Some(about)) => Some(TimeLeft::About(about)),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CellIndex;

    use super::*;

    const PLACES: usize = 4;

    fn plan(limits: PlanLimits) -> Plan {
        let places = (0..PLACES).map(|column| CellIndex::new(0, column)).collect();
        Plan { places, controls: vec![], limits, seed: 1 }
    }

    fn unknown() -> PlanProgress {
        PlanProgress {
            rounds: 0,
            processes: 1,
            samples: 0,
            visits: 0,
            is_disturbed: false,
            worst_standard_error: None,
        }
    }

    /// The estimates of a simulated plan whose visits take `visit`, from a fifth of it on, over
    /// what then remained.
    fn estimates(limits: PlanLimits, spacing: Duration, visit: Duration) -> Vec<f64> {
        let plan = plan(limits);
        let (mut clock, mut now, mut seen) = (PlanClock::new(None, 1.0), Duration::ZERO, vec![]);
        let (mut rounds, mut processes, mut samples) = (0, 0, 0);
        while rounds < limits.max_rounds {
            (now, processes) = (now.max(spacing * processes), processes + 1);
            let next = limits.next_rounds(rounds);
            for visits in 1..=next as usize * PLACES {
                (now, samples) = (now + visit, samples + 1);
                let progress = PlanProgress { rounds, processes, samples, visits, ..unknown() };
                seen.push((now, clock.left(&plan, spacing, &progress, now)));
            }
            rounds += next;
        }
        let late = seen.into_iter().filter(|(at, _)| *at > now / 5 && *at < now.mul_f64(0.95));
        late.map(|(at, left)| left.unwrap().as_secs_f64() / (now - at).as_secs_f64()).collect()
    }

    #[test]
    fn estimates_are_within_a_third() {
        let slow =
            PlanLimits { first_rounds: 10, first_rounds_per_process: 2, ..PlanLimits::quick() };
        for limits in [PlanLimits::quick(), slow, PlanLimits::usual()] {
            for (spacing, visit_ms) in [(500, 5), (500, 60), (1000, 1), (0, 30)] {
                let spacing = Duration::from_millis(spacing);
                let all = estimates(limits, spacing, Duration::from_millis(visit_ms));
                let is_near = |ratio: &f64| (0.7..1.3).contains(ratio);
                assert!(
                    all.len() > 10 && all.iter().all(is_near),
                    "{spacing:?} {visit_ms} {all:?}"
                );
            }
        }
    }

    #[test]
    fn precision_ends_a_plan_early() {
        let rounds = |error, rounds| {
            let worst_standard_error = Some(error);
            later_rounds(
                &PlanLimits::usual(),
                &PlanProgress { rounds, worst_standard_error, ..unknown() },
            )
        };
        assert!(rounds(0.004, 12).is_empty(), "the first rounds are the last");
        assert_eq!(rounds(0.01, 12), [5; 7], "four times as many");
        assert_eq!(rounds(0.9, 12), [5; 9]);
    }

    /// All ends after ten seconds.
    fn with_budget() -> PlanTask {
        PlanTask {
            name: String::new(),
            seed: 0,
            ends: None,
            all_end: Some(TimeLeft::AtMost(Duration::from_secs(10))),
            later: Duration::ZERO,
            cost: None,
            least_next: None,
            uncertainty: None,
            is_alone: false,
        }
    }

    #[test]
    fn a_budget_ends_with_its_time_or_with_precision() {
        let seconds = Duration::from_secs;
        let task = |uncertainty| PlanTask { uncertainty, is_alone: true, ..with_budget() };
        let left = |uncertainty| match task(uncertainty).left(
            Some(seconds(1)),
            &unknown(),
            0.01,
            seconds(4),
            1.0,
        ) {
            Some(TimeLeft::About(left)) => (left.as_secs(), "about"),
            Some(TimeLeft::AtMost(left)) => (left.as_secs(), "at most"),
            None => (0, "unknown"),
        };
        assert_eq!(left(None), (6, "at most"));
        assert_eq!(left(Some(0.9)), (1, "about"));
        assert_eq!(left(Some(1.5)), (5, "about"));
        assert_eq!(left(Some(9.0)), (6, "at most"));
    }

    /// A plan of a recorded survey: its limits, visits of a round, usual cost, and when each of its
    /// processes began and ended, in seconds. Where it promises a time, others disturbed it.
    struct Recorded {
        limits: PlanLimits,
        spacing: Duration,
        places: usize,
        usual: VisitCost,
        processes: Vec<[f64; 2]>,
    }

    impl Recorded {
        fn expected(&self) -> Duration {
            self.usual.of(self.limits, self.places)
        }

        /// The estimates of this plan and of what is expected later, with their times.
        fn estimates(&self, later: Duration, pace: &mut f64, seen: &mut Vec<[f64; 2]>) {
            let places = (0..self.places).map(|column| CellIndex::new(0, column)).collect();
            let plan = Plan { places, controls: vec![], limits: self.limits, seed: 1 };
            let rounds = |processes: usize| {
                (0..processes).fold(0, |done, _| done + self.limits.next_rounds(done))
            };
            let all = rounds(self.processes.len());
            let mut clock = PlanClock::new(Some(self.usual), *pace);
            let start = self.processes[0][0];
            for (number, [begun, end]) in self.processes.iter().enumerate() {
                let done = rounds(number);
                let visits = (rounds(number + 1) - done) as usize * self.places;
                let error = self.limits.standard_error * (f64::from(all) / f64::from(done)).sqrt();
                for at in 0..=20_u32 {
                    // The first third of a process is its start.
                    let now = begun + (end - begun) * f64::from(at) / 20.0;
                    let progress = PlanProgress {
                        rounds: done,
                        processes: number as u32 + 1,
                        visits: (visits * at.saturating_sub(6) as usize) / 14,
                        is_disturbed: self.limits.promised.is_some(),
                        worst_standard_error: (done > 0).then_some(error),
                        ..unknown()
                    };
                    let elapsed = Duration::from_secs_f64(now - start);
                    let left = clock.left(&plan, self.spacing, &progress, elapsed).unwrap();
                    let left = left + later.mul_f64(clock.pace().max(1.0));
                    seen.push([now, left.as_secs_f64()]);
                }
            }
            *pace = clock.finish();
        }
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn latency(mode: PlanLimits, processes: Vec<[f64; 2]>) -> Recorded {
        let usual = VisitCost { process: ms(148), visit: Duration::from_micros(2229) };
        Recorded { limits: mode, spacing: mode.spacing, places: 10, usual, processes }
    }

    fn page_sizes(processes: Vec<[f64; 2]>) -> Recorded {
        let usual = VisitCost { process: ms(368), visit: ms(11) };
        let limits = PlanLimits { max_rounds: 15, ..PlanLimits::quick() };
        Recorded { limits, spacing: Duration::ZERO, places: 2, usual, processes }
    }

    fn hidden(processes: Vec<[f64; 2]>) -> Recorded {
        let limits = PlanLimits {
            first_rounds: 12,
            first_rounds_per_process: 4,
            max_rounds: 12,
            standard_error: 0.0,
            ..PlanLimits::usual()
        };
        let usual = VisitCost { process: ms(500), visit: Duration::from_micros(1870) };
        Recorded { limits, spacing: Duration::ZERO, places: 138, usual, processes }
    }

    /// Surveys of 2026-11-29 on two CPUs, beside several compilers.
    #[test]
    fn estimates_of_recorded_surveys_are_near() {
        let every_second = (0..14).map(|at| [f64::from(at) + 0.08, f64::from(at) + 0.28]).collect();
        let usual = vec![
            latency(PlanLimits::usual(), every_second),
            hidden(vec![[13.3, 15.5], [15.5, 17.4], [17.4, 20.0]]),
            page_sizes(vec![[20.0, 20.6], [20.6, 21.3], [21.3, 21.8], [21.8, 22.3], [22.3, 22.8]]),
        ];
        let twice_a_second = (0..7).map(|at| f64::from(at) / 2.0).map(|at| [at + 0.11, at + 0.25]);
        let mut pages = page_sizes(vec![[3.2, 3.8], [3.8, 4.4], [4.4, 4.8], [4.8, 5.3]]);
        pages.limits.promised = Some((ms(2000), 4));
        let quick = vec![latency(PlanLimits::quick(), twice_a_second.collect()), pages];
        for survey in [usual, quick] {
            let (mut pace, mut seen) = (1.0, vec![]);
            for (index, plan) in survey.iter().enumerate() {
                let later = survey[index + 1..].iter().map(Recorded::expected).sum();
                plan.estimates(later, &mut pace, &mut seen);
            }
            let end = seen[seen.len() - 1][0];
            let late = seen.iter().filter(|[at, _]| *at > end / 5.0);
            let off: Vec<_> = late
                .filter(|[at, left]| (at + left - end).abs() > 0.3 * (end - at) + 0.5)
                .collect();
            assert!(off.len() * 10 <= seen.len(), "{} of {}: {off:?}", off.len(), seen.len());
        }
    }

    #[test]
    fn the_last_turn_of_a_budget_ends_before_it() {
        let seconds = Duration::from_secs;
        let task = |least_next| PlanTask { least_next, ..with_budget() };
        let left = |least_next| {
            let left = task(least_next).left(Some(seconds(2)), &unknown(), 0.01, seconds(5), 1.0);
            matches!(left, Some(TimeLeft::About(left)) if left == seconds(2))
        };
        assert!(!left(None) && !left(Some(seconds(3))));
        assert!(left(Some(seconds(4))) && left(Some(Duration::MAX)));
    }
}
