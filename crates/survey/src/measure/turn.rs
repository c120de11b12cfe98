//! One turn of an experiment: it executes plans until its time is over.

use std::time::Duration;

use nearfar_infer::core_to_core::Explorer;
use nearfar_model::Instrument;
use nearfar_probe::core_to_core::{Exploration, PairSetup};
use nearfar_probe::{Plan, PlanLimits, PlanOutcome, PlanStopReason, Work};

use crate::measure::cost::VisitCost;
use crate::measure::{Backend, MeasureError, PlanTask, StartSpacing, TimeLeft};

/// The time of an experiment's turn, and its backend.
pub struct Turn<'t> {
    pub(crate) backend: &'t mut dyn Backend,
    /// The time of the loads of a page sample on this machine, once measured.
    pub(crate) page_sample: &'t mut Option<Duration>,
    /// The name in progress, if several instruments measure.
    pub(crate) instrument: Option<Instrument>,
    /// The end on the backend's clock.
    pub(crate) ends: Option<Duration>,
    pub(crate) all_end: Option<TimeLeft>,
    /// The estimated time of what follows the next plan, on an ordinary idle machine.
    pub(crate) later: Duration,
    /// The expected cost of the next plan's processes and visits there, if known.
    pub(crate) cost: Option<VisitCost>,
    /// The least time of a turn after this one, where a budget decides whether there is one.
    pub(crate) least_next: Option<Duration>,
    /// The worst standard error before the turn, over its target.
    pub(crate) uncertainty: Option<f64>,
}

impl Turn<'_> {
    /// The remaining time, if limited.
    pub fn left(&self) -> Option<Duration> {
        self.ends.map(|ends| ends.saturating_sub(self.backend.elapsed()))
    }

    /// A turn with this fraction of the remaining time.
    pub fn share(&mut self, share: f64) -> Turn<'_> {
        let ends = self.left().map(|left| self.backend.elapsed() + left.mul_f64(share));
        Turn { backend: &mut *self.backend, page_sample: &mut *self.page_sample, ends, ..*self }
    }

    /// A turn before another one, which is expected to take this long.
    pub(crate) fn before(&mut self, next: Duration) -> Turn<'_> {
        let later = self.later + next;
        Turn { backend: &mut *self.backend, page_sample: &mut *self.page_sample, later, ..*self }
    }

    /// Executes a plan of this name. Without remaining time, the outcome is empty.
    pub fn run(
        &mut self,
        plan: &Plan,
        work: Work,
        spacing: StartSpacing,
        name: &str,
    ) -> Result<PlanOutcome, MeasureError> {
        if spacing == StartSpacing::Spaced {
            // A plan of one process may have ended just now.
            self.backend.wait_for_spacing(plan.limits.spacing)?;
        }
        let left = self.left();
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(PlanOutcome {
                stopped: PlanStopReason::TimeLimit,
                ..PlanOutcome::default()
            });
        }
        let deadline = [plan.limits.deadline, left].into_iter().flatten().min();
        let plan = Plan { limits: PlanLimits { deadline, ..plan.limits }, ..plan.clone() };
        let task = self.task(name, plan.seed);
        self.backend.run(&plan, work, spacing, &task)
    }

    /// Measures the pairs of CPUs that an explorer requests.
    pub(crate) fn explore(
        &mut self,
        explorer: Explorer,
        setup: &PairSetup,
        seed: u64,
    ) -> Result<Exploration, MeasureError> {
        let task =
            self.task(if self.instrument.is_some() { "pairs" } else { "core to core" }, seed);
        self.backend.explore(explorer, setup, &task)
    }

    fn task(&self, name: &str, seed: u64) -> PlanTask {
        let name = match self.instrument {
            Some(instrument) if instrument.name() != name => format!("{instrument}: {name}"),
            _ => name.to_owned(),
        };
        PlanTask {
            name,
            seed,
            ends: self.ends,
            all_end: self.all_end,
            later: self.later,
            cost: self.cost,
            least_next: self.least_next,
            uncertainty: self.uncertainty,
            is_alone: self.instrument.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;
    use nearfar_probe::LatencySetup;

    use super::*;
    use crate::measure::tests::{Clock, turn};

    fn run(turn: &mut Turn<'_>, seconds: u64) -> PlanOutcome {
        let limits =
            PlanLimits { deadline: Some(Duration::from_secs(seconds)), ..PlanLimits::quick() };
        let plan = Plan { places: vec![], controls: vec![], limits, seed: 1 };
        let setup =
            LatencySetup { rows: vec![], columns: vec![], spinners: CpuSet::new(), fills: None };
        turn.run(&plan, Work::Latency(setup), StartSpacing::AtOnce, "latency").unwrap()
    }

    #[test]
    fn a_plan_ends_with_its_own_deadline_or_with_the_turn() {
        let (mut clock, mut page_sample) = (Clock::default(), None);
        let mut turn =
            Turn { ends: Some(Duration::from_secs(10)), ..turn(&mut clock, &mut page_sample) };
        run(&mut turn, 4);
        assert_eq!(turn.left(), Some(Duration::from_secs(6)));
        run(&mut turn.share(0.5), 4);
        assert_eq!(turn.left(), Some(Duration::from_secs(3)));
        run(&mut turn, 4);
        assert_eq!(turn.left(), Some(Duration::ZERO));
        assert_eq!(run(&mut turn, 4).stopped, PlanStopReason::TimeLimit, "no time is left");
        assert_eq!(turn.backend.elapsed(), Duration::from_secs(10));
    }

    #[test]
    fn tasks_have_the_instruments_name_where_several_measure() {
        let (mut clock, mut page_sample) = (Clock::default(), None);
        let mut turn = turn(&mut clock, &mut page_sample);
        assert_eq!(turn.task("kernels", 1).name, "kernels");
        turn.instrument = Some(Instrument::Bandwidth);
        assert_eq!(
            (turn.task("kernels", 1).name, turn.task("bandwidth", 1).name),
            ("bandwidth: kernels".to_owned(), "bandwidth".to_owned())
        );
    }
}
