//! The remaining time, estimated from what a plan has done.

use std::time::Duration;

use nearfar_probe::{Plan, PlanLimits, PlanProgress};

use crate::measure::{PlanTask, TimeLeft};

/// The times of a plan's processes.
#[derive(Default)]
pub(crate) struct PlanClock {
    current: ProcessClock,
    /// Of the last process that has ended.
    known: Option<ProcessTime>,
}

/// A process in progress.
#[derive(Default)]
struct ProcessClock {
    /// Its number; 0 before the first one.
    number: u32,
    begun: Duration,
    /// Samples of the plan before it, and when it sent its first and its last ones.
    samples_before: usize,
    first: Option<(Duration, usize)>,
    last: (Duration, usize),
}

/// How long a process takes.
#[derive(Clone, Copy)]
struct ProcessTime {
    /// Until it measures.
    start: Duration,
    /// A visit.
    visit: Duration,
}

impl ProcessTime {
    fn of(self, visits: usize) -> Duration {
        self.start + self.visit * u32::try_from(visits).unwrap_or(u32::MAX)
    }
}

impl ProcessClock {
    fn note(&mut self, samples: usize, elapsed: Duration) {
        let samples = samples.saturating_sub(self.samples_before);
        if samples > self.last.1 {
            self.last = (elapsed, samples);
            self.first = self.first.or(Some(self.last));
        }
    }

    fn time(&self) -> Option<ProcessTime> {
        let (first, samples) = self.first?;
        let more = u32::try_from(self.last.1 - samples).unwrap_or(u32::MAX);
        let visit = (self.last.0 - first).checked_div(more).unwrap_or_default();
        let start = (first - self.begun).saturating_sub(visit * samples as u32);
        Some(ProcessTime { start, visit })
    }
}

impl PlanClock {
    /// The remaining time of the plan, `elapsed` after its start; `None` while nothing is known.
    pub(crate) fn left(
        &mut self,
        plan: &Plan,
        spacing: Duration,
        progress: &PlanProgress,
        elapsed: Duration,
    ) -> Option<Duration> {
        let (limits, samples) = (&plan.limits, progress.samples);
        if progress.processes > self.current.number {
            self.known = self.current.time().or(self.known);
            let (number, begun) = (progress.processes, elapsed);
            self.current =
                ProcessClock { number, begun, samples_before: samples, ..ProcessClock::default() };
        }
        self.current.note(samples, elapsed);
        let process = self.known.or_else(|| self.current.time())?;
        let places = plan.places.len() + plan.controls.len();
        let time = |rounds: u32| process.of(rounds as usize * places);
        let mut end = self.current.begun + time(limits.next_rounds(progress.rounds));
        let mut begun = self.current.begun;
        for rounds in later_rounds(limits, progress) {
            let next = end.max(begun + spacing);
            if limits.deadline.is_some_and(|deadline| next + time(rounds) > deadline) {
                break;
            }
            (begun, end) = (next, next + time(rounds));
        }
        Some(end.saturating_sub(elapsed))
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
    ) -> Option<TimeLeft> {
        let about = plan_left.map(|left| left + self.later);
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

    /// The estimates of a simulated plan whose visits take `visit`, from a fifth of it on, over
    /// what then remained.
    fn estimates(limits: PlanLimits, spacing: Duration, visit: Duration) -> Vec<f64> {
        let plan = plan(limits);
        let (mut clock, mut now, mut seen) = (PlanClock::default(), Duration::ZERO, vec![]);
        let (mut rounds, mut processes, mut samples) = (0, 0, 0);
        while rounds < limits.max_rounds {
            (now, processes) = (now.max(spacing * processes), processes + 1);
            let next = limits.next_rounds(rounds);
            for _ in 0..next as usize * PLACES {
                (now, samples) = (now + visit, samples + 1);
                let progress =
                    PlanProgress { rounds, processes, samples, worst_standard_error: Some(1.0) };
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
                &PlanProgress { rounds, processes: 5, samples: 60, worst_standard_error },
            )
        };
        assert!(rounds(0.004, 12).is_empty(), "the first rounds are the last");
        assert_eq!(rounds(0.01, 12), [5; 7], "four times as many");
        assert_eq!(rounds(0.9, 12), [5; 9]);
    }

    #[test]
    fn a_budget_ends_with_its_time_or_with_precision() {
        let seconds = Duration::from_secs;
        let task = |uncertainty| PlanTask {
            name: String::new(),
            seed: 0,
            ends: None,
            all_end: Some(TimeLeft::AtMost(seconds(10))),
            later: seconds(0),
            uncertainty,
            is_alone: true,
        };
        let left = |uncertainty| {
            let unknown =
                PlanProgress { rounds: 0, processes: 1, samples: 0, worst_standard_error: None };
            match task(uncertainty).left(Some(seconds(1)), &unknown, 0.01, seconds(4)) {
                Some(TimeLeft::About(left)) => (left.as_secs(), "about"),
                Some(TimeLeft::AtMost(left)) => (left.as_secs(), "at most"),
                None => (0, "unknown"),
            }
        };
        assert_eq!(left(None), (6, "at most"));
        assert_eq!(left(Some(0.9)), (1, "about"));
        assert_eq!(left(Some(1.5)), (5, "about"));
        assert_eq!(left(Some(9.0)), (6, "at most"));
    }
}
