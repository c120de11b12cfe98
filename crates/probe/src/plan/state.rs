//! The state of a plan between two processes: its results, and the failures so far.

use std::collections::BTreeMap;
use std::fmt::Display;

use nearfar_model::CellIndex;

use super::BatchResult;
use super::failure_history::FailureHistory;
use super::{DISTURBED, Plan, PlanOutcome, PlanProgress, PlanStopReason};
use crate::{Batch, PlanScope};

/// A plan in progress.
#[derive(Debug, Default)]
pub(super) struct PlanState {
    pub(super) outcome: PlanOutcome,
    /// The worst standard error of a cell; `None` while unknown.
    pub(super) worst: Option<f64>,
    history: FailureHistory,
    last_was_lost: bool,
}

impl PlanState {
    pub(super) fn progress(&self) -> PlanProgress {
        let PlanOutcome { rounds, processes, .. } = self.outcome;
        PlanProgress {
            rounds,
            processes,
            samples: self.outcome.samples.len(),
            visits: 0,
            is_disturbed: self.is_disturbed(),
            worst_standard_error: self.worst,
        }
    }

    pub(super) fn is_disturbed(&self) -> bool {
        let dropped = self.outcome.dropped.len();
        dropped * DISTURBED > self.outcome.samples.len() + dropped
    }

    /// Adds the result of a process that ended normally or was interrupted.
    pub(super) fn add(&mut self, batch: &Batch, batch_result: BatchResult) {
        self.last_was_lost = false;
        let tried =
            batch.visits.iter().flat_map(|visit| PlanScope::containing(visit.place)).collect();
        let failures = self.history.note(&tried, batch_result.failed.clone());
        self.outcome.add(batch.process, batch_result);
        self.outcome.lost.extend(lost(batch.process, failures.passing));
        self.outcome.unavailable.extend(failures.for_good);
    }

    /// Completes the rounds of a batch.
    pub(super) fn end_of(&mut self, batch: &Batch, plan: &Plan) {
        self.outcome.rounds =
            batch.visits.last().map_or(self.outcome.rounds, |visit| visit.round + 1);
        // Unavailable places have few samples and become no more precise.
        let left: Vec<CellIndex> =
            plan.places.iter().copied().filter(|&place| self.outcome.is_available(place)).collect();
        self.worst = self.outcome.worst_standard_error(&left, plan.seed);
    }

    pub(super) fn finish(mut self, stop: PlanStopReason) -> PlanOutcome {
        self.outcome.finish(stop);
        self.outcome
    }

    /// Continues without a process that died; `false` if it was the second in a row, or if nothing
    /// has been measured yet.
    pub(super) fn continue_after(&mut self, batch: &Batch, death: &dyn Display) -> bool {
        if self.last_was_lost || self.outcome.samples.is_empty() {
            return false;
        }
        self.last_was_lost = true;
        self.outcome
            .lost
            .push(format!("process {} was lost with all its samples: {death}", batch.process));
        true
    }
}

/// A sentence for each reason and kind, since a process without memory loses all its columns at
/// once.
fn lost(process: u32, passing: BTreeMap<PlanScope, String>) -> Vec<String> {
    let mut by_reason: BTreeMap<(&'static str, String), Vec<PlanScope>> = BTreeMap::new();
    for (scope, why) in passing {
        by_reason.entry((scope.plural(), why)).or_default().push(scope);
    }
    let sentence = |((all, why), scopes): ((&str, String), Vec<PlanScope>)| match scopes.as_slice()
    {
        [only] => format!("process {process} lost its samples of {only}: {why}"),
        several => format!("process {process} lost its samples of {} {all}: {why}", several.len()),
    };
    by_reason.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_reported_once_per_reason() {
        let passing = [(1, "no memory"), (2, "no memory"), (5, "it moved")];
        let passing = passing.map(|(column, why)| (PlanScope::Column(column), why.to_owned()));
        let lines = lost(3, BTreeMap::from(passing));
        assert_eq!(
            lines,
            [
                "process 3 lost its samples of column 5: it moved",
                "process 3 lost its samples of 2 columns: no memory"
            ]
        );
    }
}
