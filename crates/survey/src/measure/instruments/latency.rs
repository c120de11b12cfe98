//! Latency: every cell of a layout by one probe.

use std::time::Duration;

use nearfar_machine::EventSources;
use nearfar_machine::pmu::{FillEvents, LivePmu, PmuRefusal, thread_fills};
use nearfar_model::{Bytes, CellIndex, Instrument};
use nearfar_probe::{
    LatencySetup, Layout, LayoutColumn, Plan, PlanLimits, ProbeKind, ProbeSpec, Work,
};

use crate::measure::cost::{VisitCost, placing};
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, Scope, Session, Settings,
    StartSpacing, Turn,
};
use crate::{FillCounting, Instruments, LatencyRun};

/// Settings of latency.
#[derive(Clone, Copy, Debug)]
pub struct LatencySettings {
    /// The timed loop and its sizes.
    pub probe: ProbeSpec,
    /// The standard error to reach, instead of the mode's; time alone then limits the rounds.
    pub target_error: Option<f64>,
}

impl Settings for LatencySettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let mut experiment = LatencyExperiment::new(session, scope, self.probe)?;
        if let Some(standard_error) = self.target_error {
            let limits = &mut experiment.run.limits;
            *limits = PlanLimits { standard_error, max_rounds: MAX_ROUNDS, ..*limits };
        }
        Ok(Box::new(experiment))
    }
}

/// Rounds of a measurement that only time and precision limit: samples fit into memory.
const MAX_ROUNDS: u32 = 5000;

/// Latency on one machine.
pub(crate) struct LatencyExperiment {
    pub(crate) probe: ProbeSpec,
    pub(crate) layout: Layout,
    run: ExperimentRun,
    sources: EventSources,
    /// Events that workers count, or why they cannot.
    fills: Result<FillEvents, PmuRefusal>,
}

impl LatencyExperiment {
    pub(crate) fn new(
        session: &Session,
        scope: &Scope,
        probe: ProbeSpec,
    ) -> Result<Self, MeasureError> {
        let layout = match probe.kind {
            ProbeKind::CoreWalk => Layout::core_walk(&session.topology, &scope.wanted, &probe)?,
            _ => Layout::new(&session.topology, &scope.wanted, &probe)?,
        };
        let options = scope.options(probe.size, probe.accesses);
        let mut run = ExperimentRun::new(Instrument::Latency, options, session.seed);
        if matches!(probe.kind, ProbeKind::StoreSweep | ProbeKind::CoreWalk) {
            // One sample of these takes a large part of a second.
            run.limits.max_rounds = 15;
        }
        let sources = EventSources::read(&session.source);
        // Opened as workers will open it, and closed.
        let fills = thread_fills(&LivePmu, &sources).map(|(events, _)| events);
        Ok(Self { probe, layout, run, sources, fills })
    }

    fn first_limits(&self, effort: Effort) -> PlanLimits {
        effort.limits(self.run.limits, 15, 3)
    }

    fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        limits: PlanLimits,
        seed: u64,
    ) -> Result<(), MeasureError> {
        let plan = plan(&self.layout, limits, seed);
        turn.cost = Some(cost(&self.layout, self.probe));
        self.run.visit(
            turn,
            &plan,
            Work::Latency(self.setup()),
            StartSpacing::Spaced,
            "latency",
        )?;
        if self.probe.kind == ProbeKind::Page {
            *turn.page_sample = self.sample().or(*turn.page_sample);
        }
        Ok(())
    }

    fn setup(&self) -> LatencySetup {
        LatencySetup { fills: self.fills.clone().ok(), ..self.layout.setup() }
    }

    /// The time of a sample's loads.
    fn sample(&self) -> Option<Duration> {
        let mut costs: Vec<f64> =
            self.run.outcome.samples.iter().map(|sample| sample.value).collect();
        costs.sort_by(f64::total_cmp);
        let middle = costs.get(costs.len() / 2)?;
        Some(Duration::from_nanos((middle * self.probe.accesses as f64) as u64))
    }
}

impl Experiment for LatencyExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    fn expected(&self, effort: Effort) -> Duration {
        cost(&self.layout, self.probe).of(self.first_limits(effort), places(&self.layout))
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        self.visit(turn, self.first_limits(effort), self.run.seed)
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        self.run.next_process(cost(&self.layout, self.probe), places(&self.layout))
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let (limits, seed) = self.run.refine();
        self.visit(turn, limits, seed)
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let run = LatencyRun { layout: &self.layout, outcome: &self.run.outcome };
        document.latency = self.run.begun.then_some(run);
        document.fills = Some(FillCounting { events: &self.fills, sources: &self.sources });
    }
}

/// Every cell of a layout, and its controls.
pub(crate) fn plan(layout: &Layout, limits: PlanLimits, seed: u64) -> Plan {
    Plan {
        places: layout.places(),
        controls: layout.controls.iter().map(|pair| CellIndex::new(pair.row, pair.again)).collect(),
        limits,
        seed,
    }
}

pub(crate) fn places(layout: &Layout) -> usize {
    layout.places().len() + layout.controls.len()
}

pub(crate) fn cost(layout: &Layout, probe: ProbeSpec) -> VisitCost {
    let bytes: Bytes =
        layout.columns.iter().chain(&layout.control_columns).map(LayoutColumn::bytes).sum();
    let access_ns = match probe.kind {
        ProbeKind::Page | ProbeKind::Chase | ProbeKind::Rmw => 150,
        ProbeKind::StoreSweep | ProbeKind::CoreWalk => 3,
    };
    let sample = Duration::from_nanos(probe.accesses.saturating_mul(access_ns));
    VisitCost { process: placing(bytes.0), visit: sample + Duration::from_millis(1) }
}
