//! When samples were dropped: by round, so that a picture can show whether a disturbance came once or all the time.
//!
//! Cells count what they lost ([`crate::Cell::dropped`]); this counts the same attempts by time. A round is a slot of time, since each
//! round visits every cell once.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_probe::{DropReason, Outcome};
use serde::{Deserialize, Serialize};

/// Samples that an instrument dropped in one round, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disturbance {
    /// The instrument: "latency", "page size", "bandwidth", "core-to-core", "caches", "loaded", "interleave" or "hidden".
    pub instrument: String,
    /// Why, by the names of `dropped` of cells: "descheduled", "stalled".
    pub reason: String,
    /// The round, from 0, over all plans of the instrument.
    pub round: u32,
    /// The worker process that made it, from 0, over all plans of the instrument.
    pub process: u32,
    /// How many attempts were dropped: samples, or slices of one, each of which may have been made again.
    pub samples: u64,
}

/// How an instrument's rounds followed one another: the time that its [`Disturbance`]s stand in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Course {
    /// The instrument, by the names of disturbances.
    pub instrument: String,
    /// Rounds in all, the last one perhaps unfinished. Rounds of disturbances are below.
    pub rounds: u32,
    /// Rounds with which a fresh worker process began, ascending; those of processes that were lost are left out.
    pub process_starts: Vec<u32>,
}

/// What one instrument heard in all its plans, one after another.
pub(crate) struct Heard<'o> {
    pub(crate) instrument: &'static str,
    pub(crate) outcomes: Vec<&'o Outcome>,
}

/// Drops by round, process and reason, over several plans that count on.
type Drops = BTreeMap<(u32, u32, DropReason), u64>;

impl Heard<'_> {
    /// Rounds with drops, in order.
    pub(crate) fn disturbances(&self) -> Vec<Disturbance> {
        let mut drops = Drops::new();
        for (outcome, (rounds, processes)) in self.counting_on() {
            for (&(round, process, reason), &count) in &outcome.disturbed {
                let at = (round.saturating_add(rounds), process.saturating_add(processes), reason);
                *drops.entry(at).or_default() += u64::from(count);
            }
        }
        let told = drops.into_iter().map(|((round, process, reason), samples)| Disturbance {
            instrument: self.instrument.to_owned(),
            reason: reason.name().to_owned(),
            round,
            process,
            samples,
        });
        told.collect()
    }

    /// How its rounds went.
    pub(crate) fn course(&self) -> Course {
        let mut starts = BTreeSet::new();
        let mut rounds = 0;
        for (outcome, (before, _)) in self.counting_on() {
            starts.extend(first_rounds(outcome).into_values().map(|round| round.saturating_add(before)));
            rounds = before.saturating_add(reached(outcome));
        }
        Course { instrument: self.instrument.to_owned(), rounds, process_starts: starts.into_iter().collect() }
    }

    /// Each plan's outcome, and the rounds and processes before it.
    fn counting_on(&self) -> impl Iterator<Item = (&Outcome, (u32, u32))> + '_ {
        self.outcomes.iter().scan((0u32, 0u32), |before, outcome| {
            let now = *before;
            *before = (now.0.saturating_add(reached(outcome)), now.1.saturating_add(outcome.processes));
            Some((*outcome, now))
        })
    }
}

/// Rounds of a plan, one that was cut short included.
fn reached(outcome: &Outcome) -> u32 {
    rounds_and_processes(outcome).map(|(round, _)| round.saturating_add(1)).fold(outcome.rounds, u32::max)
}

/// The first round of each process that anything was heard of.
fn first_rounds(outcome: &Outcome) -> BTreeMap<u32, u32> {
    let mut first = BTreeMap::new();
    for (round, process) in rounds_and_processes(outcome) {
        let known = first.entry(process).or_insert(round);
        *known = round.min(*known);
    }
    first
}

/// Of every sample, kept or dropped.
fn rounds_and_processes(outcome: &Outcome) -> impl Iterator<Item = (u32, u32)> + '_ {
    let kept = outcome.readings.iter().map(|taken| (taken.reading.visit.round, taken.process));
    kept.chain(outcome.disturbed.keys().map(|&(round, process, _)| (round, process)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(rounds: u32, processes: u32, disturbed: &[((u32, u32, DropReason), u32)]) -> Outcome {
        Outcome { rounds, processes, disturbed: disturbed.iter().copied().collect(), ..Outcome::default() }
    }

    #[test]
    fn rounds_and_processes_count_on_over_an_instruments_plans() {
        let first = outcome(6, 2, &[((0, 0, DropReason::Stalled), 4), ((3, 1, DropReason::Descheduled), 1)]);
        let second = outcome(2, 1, &[((1, 0, DropReason::Stalled), 2)]);
        let heard = Heard { instrument: "interleave", outcomes: vec![&first, &second] };
        let told: Vec<(u32, u32, String, u64)> =
            heard.disturbances().into_iter().map(|one| (one.round, one.process, one.reason, one.samples)).collect();
        let all = [(0, 0, "stalled", 4), (3, 1, "descheduled", 1), (7, 2, "stalled", 2)];
        assert_eq!(told, all.map(|(round, process, reason, samples)| (round, process, reason.to_owned(), samples)));
        let course = heard.course();
        assert_eq!((course.rounds, course.process_starts), (8, vec![0, 3, 7]));
    }

    #[test]
    fn a_round_that_was_cut_short_counts() {
        let cut = outcome(3, 2, &[((4, 1, DropReason::PageMoved), 1)]);
        assert_eq!(Heard { instrument: "latency", outcomes: vec![&cut] }.course().rounds, 5);
    }

    #[test]
    fn a_survey_from_before_reads_without_them_and_new_ones_survive_the_document() {
        let mut survey = crate::sketch::survey();
        assert_eq!((survey.disturbances.len(), survey.courses.len()), (0, 0));
        let heard = outcome(1, 1, &[((0, 0, DropReason::MovedCpu), 9)]);
        let heard = Heard { instrument: "latency", outcomes: vec![&heard] };
        survey.disturbances = heard.disturbances();
        survey.courses = vec![heard.course()];
        let text = serde_json::to_string(&survey).unwrap();
        assert!(text.contains(r#"{"instrument":"latency","reason":"moved-cpu","round":0,"process":0,"samples":9}"#));
        assert_eq!(serde_json::from_str::<crate::Survey>(&text).unwrap(), survey);
    }
}
