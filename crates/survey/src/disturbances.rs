//! When samples were dropped: by round, so that a picture can show whether a disturbance came once
//! or all the time.
//!
//! Cells count what they lost ([`crate::MatrixCell::dropped`]); this counts the same attempts by
//! time. A round is a slot of time, since each round visits every cell once.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_probe::{DropReason, Dropped, PlanOutcome};
use serde::{Deserialize, Serialize};

/// Samples that an instrument dropped in one round, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Disturbance {
    /// The instrument: "latency", "page size", "bandwidth", "core-to-core", "caches", "loaded",
    /// "interleave" or "hidden".
    pub instrument: String,
    /// Why, by the names of `dropped` of cells: "descheduled", "stalled".
    pub reason: String,
    /// The round, from 0, over all plans of the instrument.
    pub round: u32,
    /// The worker process that made it, from 0, over all plans of the instrument.
    pub process: u32,
    /// How many attempts were dropped: samples, or slices of one, each possibly made
    /// again.
    pub samples: u64,
}

/// How an instrument's rounds followed one another: the time that its [`Disturbance`]s stand in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RoundTimeline {
    /// The instrument, by the names of disturbances.
    pub instrument: String,
    /// Rounds in all, the last one perhaps unfinished. Rounds of disturbances are below.
    pub rounds: u32,
    /// Rounds with which a fresh worker process began, ascending; those of processes that were
    /// lost are left out.
    pub process_starts: Vec<u32>,
}

/// Rounds with drops of an instrument, in order.
pub(crate) fn disturbances(instrument: &str, outcome: &PlanOutcome) -> Vec<Disturbance> {
    let mut drops: BTreeMap<(u32, u32, DropReason), u64> = BTreeMap::new();
    for Dropped { visit, reason, .. } in &outcome.dropped {
        *drops.entry((visit.round, visit.process, *reason)).or_default() += 1;
    }
    let disturbances = drops.into_iter().map(|((round, process, reason), samples)| Disturbance {
        instrument: instrument.to_owned(),
        reason: reason.name().to_owned(),
        round,
        process,
        samples,
    });
    disturbances.collect()
}

/// How an instrument's rounds went.
pub(crate) fn course(instrument: &str, outcome: &PlanOutcome) -> RoundTimeline {
    let mut first: BTreeMap<u32, u32> = BTreeMap::new();
    for (round, process) in outcome.attempts() {
        let known = first.entry(process).or_insert(round);
        *known = round.min(*known);
    }
    let starts: BTreeSet<u32> = first.into_values().collect();
    let process_starts = starts.into_iter().collect();
    RoundTimeline { instrument: instrument.to_owned(), rounds: outcome.reached(), process_starts }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CellIndex;
    use nearfar_probe::Visit;

    use super::*;

    fn outcome(
        rounds: u32,
        processes: u32,
        dropped: &[((u32, u32, DropReason), usize)],
    ) -> PlanOutcome {
        let several = |&((round, process, reason), count)| {
            let visit = Visit { process, round, place: CellIndex::default(), draw: 0 };
            std::iter::repeat_n(Dropped::new(visit, reason), count)
        };
        PlanOutcome {
            rounds,
            processes,
            dropped: dropped.iter().flat_map(several).collect(),
            ..PlanOutcome::default()
        }
    }

    #[test]
    fn rounds_and_processes_continue_across_plans() {
        let mut all = outcome(
            6,
            2,
            &[((0, 0, DropReason::Stalled), 4), ((3, 1, DropReason::Descheduled), 1)],
        );
        all.append(outcome(2, 1, &[((1, 0, DropReason::Stalled), 2)]));
        let disturbances = disturbances("interleave", &all);
        let disturbances: Vec<(u32, u32, &str, u64)> = disturbances
            .iter()
            .map(|disturbance| {
                (
                    disturbance.round,
                    disturbance.process,
                    disturbance.reason.as_str(),
                    disturbance.samples,
                )
            })
            .collect();
        assert_eq!(
            disturbances,
            [(0, 0, "stalled", 4), (3, 1, "descheduled", 1), (7, 2, "stalled", 2)]
        );
        let course = course("interleave", &all);
        assert_eq!((course.rounds, course.process_starts), (8, vec![0, 3, 7]));
    }

    #[test]
    fn incomplete_rounds_count() {
        let cut = outcome(3, 2, &[((4, 1, DropReason::PageMoved), 1)]);
        assert_eq!(course("latency", &cut).rounds, 5);
    }

    #[test]
    fn surveys_without_disturbances_are_read() {
        let mut survey = crate::sketch::survey();
        assert_eq!((survey.disturbances.len(), survey.courses.len()), (0, 0));
        let outcome = outcome(1, 1, &[((0, 0, DropReason::MovedCpu), 9)]);
        survey.disturbances = disturbances("latency", &outcome);
        survey.courses = vec![course("latency", &outcome)];
        let text = serde_json::to_string(&survey).unwrap();
        assert!(text.contains(
            r#"{"instrument":"latency","reason":"moved-cpu","round":0,"process":0,"samples":9}"#
        ));
        assert_eq!(serde_json::from_str::<crate::Survey>(&text).unwrap(), survey);
    }
}
