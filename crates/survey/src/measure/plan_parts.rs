//! An experiment of several plans, each with figures of its own.

use std::time::Duration;

use nearfar_infer::MIN_PROCESSES;
use nearfar_model::CellIndex;
use nearfar_probe::{Plan, PlanLimits, PlanScope, Work};

use crate::measure::cost::VisitCost;
use crate::measure::run::{max_turns, one_process};
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, RunSummary, StartSpacing, Turn,
};
use crate::{Instruments, Survey};

/// A plan before it has limits and a seed.
pub(crate) trait PartPlan {
    /// Its name in progress.
    fn name(&self) -> &'static str;

    /// The cells that each round visits.
    fn places(&self) -> &[CellIndex];

    /// The cells that each round visits beside them, which repeat some.
    fn controls(&self) -> &[CellIndex];

    /// The work of its processes.
    fn work(&self) -> Work;

    /// The expected cost of its processes and visits.
    fn cost(&self) -> VisitCost;
}

/// A plan, and what it has measured.
pub(crate) struct PlanPart<P> {
    pub(crate) plan: P,
    pub(crate) run: ExperimentRun,
}

impl<P: PartPlan> PlanPart<P> {
    fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        limits: PlanLimits,
        seed: u64,
    ) -> Result<(), MeasureError> {
        // What has failed keeps no samples, and each further try may cost a timeout of the driver.
        let places = self.available(self.plan.places());
        let controls = self.available(self.plan.controls());
        let plan = Plan { places, controls, limits, seed };
        turn.cost = Some(self.plan.cost());
        self.run.visit(turn, &plan, self.plan.work(), StartSpacing::Spaced, self.plan.name())?;
        self.run.outcome.drop_unavailable();
        Ok(())
    }

    /// Gives up the cells that `is_lost`, for a reason that no visit has found. Those that failed
    /// in a visit keep its reason.
    pub(crate) fn give_up(&mut self, is_lost: impl Fn(&P, CellIndex) -> bool, why: &str) {
        let cells = self.plan.places().iter().chain(self.plan.controls());
        for &cell in cells.filter(|cell| is_lost(&self.plan, **cell)) {
            let unavailable = self.run.outcome.unavailable.entry(PlanScope::Cell(cell));
            unavailable.or_insert_with(|| why.to_owned());
        }
        self.run.outcome.drop_unavailable();
    }

    fn available(&self, cells: &[CellIndex]) -> Vec<CellIndex> {
        let outcome = &self.run.outcome;
        cells.iter().copied().filter(|&cell| outcome.why_not(cell).is_none()).collect()
    }

    /// Whether a further turn may improve a figure.
    fn is_open(&self) -> bool {
        self.run.refinements < max_turns(self.run.limits)
            && !self.available(self.plan.places()).is_empty()
    }

    fn expected(&self, limits: PlanLimits) -> Duration {
        self.plan.cost().of(limits, self.plan.places().len() + self.plan.controls().len())
    }
}

/// All plans of an experiment, the most important first; never empty.
pub(crate) struct PlanParts<P> {
    pub(crate) parts: Vec<PlanPart<P>>,
    /// The options and limits; parts have the results.
    pub(crate) run: ExperimentRun,
}

impl<P: PartPlan> PlanParts<P> {
    /// Nothing is measured yet. Plans differ in their seeds.
    pub(crate) fn new(plans: impl IntoIterator<Item = P>, run: ExperimentRun) -> Self {
        let part = |(plan, number): (P, u64)| {
            let seed = run.seed.wrapping_add(number);
            PlanPart { plan, run: ExperimentRun { seed, ..run.empty_copy() } }
        };
        Self { parts: plans.into_iter().zip(0..).map(part).collect(), run }
    }

    /// The first turn of each plan, with time by its expected cost.
    pub(crate) fn begin(
        &mut self,
        turn: &mut Turn<'_>,
        effort: Effort,
    ) -> Result<(), MeasureError> {
        let limits = self.first_limits(effort);
        let costs: Vec<f64> =
            self.parts.iter().map(|part| part.expected(limits).as_secs_f64()).collect();
        self.run.begun = true;
        for (index, part) in self.parts.iter_mut().enumerate() {
            let share = costs[index] / costs[index..].iter().sum::<f64>();
            let seed = part.run.seed;
            let later = Duration::from_secs_f64(costs[index + 1..].iter().sum());
            part.visit(&mut turn.share(share).before(later), limits, seed)?;
        }
        Ok(())
    }

    /// A further turn of the least precise plan.
    pub(crate) fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let Some(open) = self.open() else { return Ok(()) };
        self.run.refine();
        let (limits, seed) = self.parts[open].run.refine();
        self.parts[open].visit(turn, limits, seed)
    }

    /// The plan with the least precise cell that a further turn may improve.
    fn open(&self) -> Option<usize> {
        let worst = |part: &PlanPart<P>| part.run.worst_error().unwrap_or(f64::INFINITY);
        let open = (0..self.parts.len()).filter(|&part| self.parts[part].is_open());
        open.max_by(|&a, &b| worst(&self.parts[a]).total_cmp(&worst(&self.parts[b])))
    }

    /// Cheap first turns have all processes that effects need, with a round each.
    fn first_limits(&self, effort: Effort) -> PlanLimits {
        effort.limits(self.run.limits, MIN_PROCESSES as u32, 1)
    }
}

/// An experiment of several plans.
pub(crate) trait PlannedExperiment {
    /// The kind of its plans.
    type Plan: PartPlan;

    fn plans(&self) -> &PlanParts<Self::Plan>;

    fn plans_mut(&mut self) -> &mut PlanParts<Self::Plan>;

    /// What follows each turn, whether it failed or not.
    fn end_turn(&mut self) {}

    /// Adds its part to the document, before its figures.
    fn add_part(&self, survey: &mut Survey);
}

impl<E: PlannedExperiment> Experiment for E {
    fn run(&self) -> &ExperimentRun {
        &self.plans().run
    }

    fn expected(&self, effort: Effort) -> Duration {
        let limits = self.plans().first_limits(effort);
        self.plans().parts.iter().map(|part| part.expected(limits)).sum()
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        let done = self.plans_mut().begin(turn, effort);
        self.end_turn();
        done
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        let plans = self.plans();
        Some(plans.parts[plans.open()?].expected(one_process(plans.run.limits)))
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let done = self.plans_mut().refine(turn);
        self.end_turn();
        done
    }

    fn worst_error(&self) -> Option<f64> {
        let errors: Option<Vec<f64>> =
            self.plans().parts.iter().map(|part| part.run.worst_error()).collect();
        errors?.into_iter().reduce(f64::max)
    }

    fn done(&self) -> RunSummary {
        RunSummary::from_outcomes(self.plans().parts.iter().map(|part| &part.run.outcome))
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let plans = self.plans();
        if plans.run.begun {
            let outcomes = plans.parts.iter().map(|part| &part.run.outcome);
            self.add_part(document.add(plans.run.instrument, outcomes));
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Instrument, Sample};
    use nearfar_probe::PlanOutcome;

    use super::*;

    /// A plan of two cells that are never visited.
    struct Idle([CellIndex; 2]);

    impl PartPlan for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }

        fn places(&self) -> &[CellIndex] {
            &self.0
        }

        fn controls(&self) -> &[CellIndex] {
            &[]
        }

        fn work(&self) -> Work {
            unreachable!("no process starts")
        }

        fn cost(&self) -> VisitCost {
            VisitCost { process: Duration::from_secs(1), visit: Duration::from_secs(1) }
        }
    }

    #[test]
    fn plans_that_have_failed_have_no_further_turn() {
        let cells = [0, 1].map(|row| CellIndex::new(row, 0));
        let options = crate::measure::Scope::default().options(nearfar_model::Bytes(0), 0);
        let run = ExperimentRun::new(Instrument::Io, options, 1);
        let mut parts = PlanParts::new([Idle(cells), Idle(cells)], run);
        let samples = cells.map(|cell| Sample::new(0, 0, cell, 5.0)).to_vec();
        parts.parts[0].run.add(&cells, PlanOutcome { samples, ..PlanOutcome::default() });

        parts.parts[0].give_up(|_, cell| cell == cells[0], "it became shorter");
        let outcome = &parts.parts[0].run.outcome;
        assert_eq!(outcome.samples, [Sample::new(0, 0, cells[1], 5.0)]);
        assert_eq!(parts.parts[0].available(&cells), [cells[1]]);
        assert!(parts.parts[0].is_open());

        parts.parts[0].give_up(|_, _| true, "it is gone");
        let outcome = &parts.parts[0].run.outcome;
        assert_eq!(outcome.why_not(cells[0]).unwrap(), "it became shorter");
        assert_eq!(outcome.why_not(cells[1]).unwrap(), "it is gone");
        assert_eq!((outcome.samples.len(), parts.open()), (0, Some(1)));

        parts.parts[1].give_up(|_, _| true, "it is gone");
        assert_eq!(parts.open(), None);
    }
}
