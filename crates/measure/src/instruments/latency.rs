//! Latency: every cell of a layout by one probe.

use std::time::Duration;

use nearfar_model::{Instrument, Place};
use nearfar_probe::{Layout, Plan, PlanLimits, ProbeKind, ProbeSpec, Work};
use nearfar_survey::{Instruments, LatencyRun, Mode, Options};

use crate::cost::{Cost, placing};
use crate::run::{Run, minimal, one_process};
use crate::{Done, Effort, Experiment, MeasureError, Scope, Session, Settings, Spacing, Turn};

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct LatencySettings {
    /// The timed loop and its sizes.
    pub probe: ProbeSpec,
}

impl Settings for LatencySettings {
    fn experiment(self, session: &Session, scope: &Scope) -> Result<Box<dyn Experiment>, MeasureError> {
        Ok(Box::new(Latency::new(session, scope, self.probe)?))
    }
}

/// Latency on one machine.
pub(crate) struct Latency {
    scope: Scope,
    pub(crate) probe: ProbeSpec,
    pub(crate) layout: Layout,
    seed: u64,
    run: Run,
}

impl Latency {
    pub(crate) fn new(session: &Session, scope: &Scope, probe: ProbeSpec) -> Result<Self, MeasureError> {
        let layout = match probe.kind {
            ProbeKind::CoreWalk => Layout::core_walk(&session.topology, &scope.wanted, &probe)?,
            _ => Layout::new(&session.topology, &scope.wanted, &probe)?,
        };
        Ok(Self { scope: scope.clone(), probe, layout, seed: session.seed, run: Run::default() })
    }

    fn limits(&self) -> PlanLimits {
        let limits = PlanLimits { deadline: Some(timeout(self.scope.mode)), ..self.scope.mode.limits() };
        match self.probe.kind {
            // One sample of these takes a large part of a second.
            ProbeKind::StoreSweep | ProbeKind::CoreWalk => PlanLimits { most_rounds: 15, ..limits },
            _ => limits,
        }
    }

    fn first_limits(&self, effort: Effort) -> PlanLimits {
        match effort {
            Effort::Minimal => minimal(self.limits(), 15, 3),
            Effort::Full => self.limits(),
        }
    }

    fn visit(&mut self, turn: &mut Turn<'_>, limits: PlanLimits, seed: u64) -> Result<(), MeasureError> {
        let plan = plan(&self.layout, limits, seed);
        let outcome = turn.run(&plan, Work::Latency(self.layout.setup()), Spacing::Spaced, "latency")?;
        self.run.add(&plan.places, outcome);
        if self.probe.kind == ProbeKind::Page {
            *turn.page_sample = self.sample().or(*turn.page_sample);
        }
        Ok(())
    }

    /// How long the loads of a sample take.
    fn sample(&self) -> Option<Duration> {
        let mut costs: Vec<f64> = self.run.outcome.samples.iter().map(|sample| sample.value).collect();
        costs.sort_by(f64::total_cmp);
        let middle = costs.get(costs.len() / 2)?;
        Some(Duration::from_nanos((middle * self.probe.accesses as f64) as u64))
    }
}

impl Experiment for Latency {
    fn instrument(&self) -> Instrument {
        Instrument::Latency
    }

    fn options(&self) -> Options {
        self.scope.options(self.probe.size, self.probe.accesses)
    }

    fn expected(&self, effort: Effort) -> Duration {
        cost(&self.layout, self.probe).of(self.first_limits(effort), places(&self.layout))
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        self.visit(turn, self.first_limits(effort), self.seed)
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        self.run.next_process(self.limits(), cost(&self.layout, self.probe), places(&self.layout))
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let seed = self.run.refine(self.seed);
        self.visit(turn, one_process(self.limits()), seed)
    }

    fn target_error(&self) -> f64 {
        self.limits().standard_error
    }

    fn worst_error(&self) -> Option<f64> {
        self.run.worst_error(self.seed)
    }

    fn done(&self) -> Done {
        self.run.done()
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let run = LatencyRun { layout: &self.layout, outcome: &self.run.outcome };
        document.latency = self.run.begun.then_some(run);
    }
}

/// Every cell of a layout, and its controls.
pub(crate) fn plan(layout: &Layout, limits: PlanLimits, seed: u64) -> Plan {
    Plan {
        places: layout.places(),
        controls: layout.controls.iter().map(|pair| Place::new(pair.row, pair.again)).collect(),
        limits,
        seed,
    }
}

/// Visits of a round.
pub(crate) fn places(layout: &Layout) -> usize {
    layout.places().len() + layout.controls.len()
}

pub(crate) fn cost(layout: &Layout, probe: ProbeSpec) -> Cost {
    let columns = layout.columns.iter().chain(&layout.control_columns);
    let bytes: u64 = columns.map(|column| column.probe.size.0 * u64::from(column.pages)).sum();
    let access_ns = match probe.kind {
        ProbeKind::Page | ProbeKind::Chase | ProbeKind::Rmw => 150,
        ProbeKind::StoreSweep | ProbeKind::CoreWalk => 3,
    };
    let sample = Duration::from_nanos(probe.accesses.saturating_mul(access_ns));
    Cost { process: placing(bytes), visit: sample + Duration::from_millis(1) }
}

/// Only machines with thousands of cells, and emulated ones, come near.
const fn timeout(mode: Mode) -> Duration {
    match mode {
        Mode::Quick => Duration::from_secs(2 * 60),
        Mode::Default => Duration::from_secs(10 * 60),
        Mode::Thorough => Duration::from_secs(60 * 60),
    }
}
