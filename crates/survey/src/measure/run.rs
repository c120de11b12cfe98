//! The results of an experiment over all its turns, and the limits of turns.

use std::collections::BTreeSet;
use std::time::Duration;

use nearfar_model::{CellIndex, Instrument};
use nearfar_probe::{Plan, PlanLimits, PlanOutcome, PlanStopReason, Work};

use crate::Options;
use crate::measure::cost::VisitCost;
use crate::measure::plan_limits;
use crate::measure::{MeasureError, StartSpacing, Turn};

/// An experiment's options, and what it has measured.
#[derive(Debug)]
pub struct ExperimentRun {
    pub(crate) instrument: Instrument,
    /// As the document records them.
    pub(crate) options: Options,
    pub(crate) seed: u64,
    /// The limits of a whole plan.
    pub(crate) limits: PlanLimits,
    pub(crate) outcome: PlanOutcome,
    /// Places in the order of their first visit.
    pub(crate) visited: Vec<CellIndex>,
    /// Whether a plan was executed, even one that could measure nothing.
    pub(crate) begun: bool,
    pub(crate) refinements: u32,
}

impl ExperimentRun {
    /// Nothing is measured yet.
    pub(crate) fn new(instrument: Instrument, options: Options, seed: u64) -> Self {
        let limits = plan_limits(instrument, options.mode);
        let (outcome, visited) = (PlanOutcome::default(), vec![]);
        Self { instrument, options, seed, limits, outcome, visited, begun: false, refinements: 0 }
    }

    /// The same options, with nothing measured.
    pub(crate) fn empty_copy(&self) -> Self {
        let new = Self::new(self.instrument, self.options.clone(), self.seed);
        Self { limits: self.limits, ..new }
    }

    /// Executes a plan of this name, and adds its result.
    pub(crate) fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        plan: &Plan,
        work: Work,
        spacing: StartSpacing,
        name: &str,
    ) -> Result<(), MeasureError> {
        let outcome = turn.run(plan, work, spacing, name)?;
        self.add(&plan.places, outcome);
        Ok(())
    }

    /// Adds a plan's result for these places.
    pub(crate) fn add(&mut self, places: &[CellIndex], outcome: PlanOutcome) {
        let known: BTreeSet<CellIndex> = self.visited.iter().copied().collect();
        self.visited.extend(places.iter().filter(|place| !known.contains(place)));
        self.begun = true;
        self.outcome.append(outcome);
    }

    /// The worst standard error of a place, as a fraction of its median.
    pub(crate) fn worst_error(&self) -> Option<f64> {
        self.outcome.worst_standard_error(&self.visited, self.seed)
    }

    /// Counts a further turn: one process, and a seed that no first turn uses.
    pub(crate) fn refine(&mut self) -> (PlanLimits, u64) {
        self.refinements += 1;
        (one_process(self.limits), seed_of_turn(self.seed, self.refinements))
    }

    /// The expected time of one more process; `None` once further turns have reached a plan's round
    /// limit.
    pub(crate) fn next_process(&self, cost: VisitCost, places: usize) -> Option<Duration> {
        let may_refine = self.refinements < max_turns(self.limits);
        may_refine.then(|| cost.of(one_process(self.limits), places))
    }
}

/// The sums over an experiment's plans.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunSummary {
    /// Rounds of all its plans.
    pub rounds: u32,
    /// Worker processes of all its plans.
    pub processes: u32,
    /// Why its last plan stopped.
    pub stopped: PlanStopReason,
}

impl RunSummary {
    /// The sums of these outcomes.
    pub fn from_outcomes<'o>(outcomes: impl IntoIterator<Item = &'o PlanOutcome>) -> Self {
        outcomes.into_iter().fold(Self::default(), |done, outcome| Self {
            rounds: done.rounds + outcome.rounds,
            processes: done.processes + outcome.processes,
            stopped: outcome.stopped,
        })
    }
}

/// A fixed number of rounds, whatever the precision.
pub(crate) const fn minimal(limits: PlanLimits, rounds: u32, per_process: u32) -> PlanLimits {
    PlanLimits {
        first_rounds: rounds,
        first_rounds_per_process: per_process,
        max_rounds: rounds,
        ..limits
    }
}

/// One process of a further turn.
pub(crate) const fn one_process(limits: PlanLimits) -> PlanLimits {
    let rounds = limits.step_rounds;
    PlanLimits {
        first_rounds: rounds,
        first_rounds_per_process: rounds,
        max_rounds: rounds,
        ..limits
    }
}

/// Further turns until a plan's round limit.
pub(crate) const fn max_turns(limits: PlanLimits) -> u32 {
    limits.max_rounds / limits.step_rounds
}

/// Seeds of further turns, which no first turn uses.
pub(crate) const fn seed_of_turn(seed: u64, turn: u32) -> u64 {
    seed.wrapping_add(0x5eed_0000).wrapping_add(turn as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_further_turn_is_one_process() {
        let limits = one_process(PlanLimits::usual());
        assert_eq!(
            (limits.first_rounds, limits.max_rounds, limits.first_rounds_per_process),
            (5, 5, 5)
        );
        assert_eq!(max_turns(PlanLimits::usual()), 12);
    }

    #[test]
    fn places_are_listed_once_in_the_order_of_their_first_visit() {
        let options = crate::measure::Scope::default().options(nearfar_model::Bytes(0), 0);
        let mut run = ExperimentRun::new(Instrument::Latency, options, 1);
        let [a, b, c] = [2, 0, 1].map(|row| CellIndex::new(row, 0));
        run.add(&[a, b], PlanOutcome::default());
        run.add(&[b, c, a], PlanOutcome::default());
        assert_eq!(run.visited, [a, b, c]);
    }
}
