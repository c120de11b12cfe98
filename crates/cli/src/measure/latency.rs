//! Latency as an instrument: every cell of a layout by one probe; and what base pages cost beside huge ones.

use std::time::Duration;

use nearfar_model::Place;
use nearfar_probe::budget::Extent;
use nearfar_probe::{Layout, Outcome, PageSize, Plan, PlanLimits, ProbeKind, ProbeSpec, Work};
use nearfar_survey::{Instruments, LatencyRun, Mode, PageSizeRun};

use super::Session;
use super::done::Done;
use super::instrument::{Cost, Instrument, least, most_turns, one_process, placing, seed_of_turn};

/// Latency.
pub(super) struct Latency {
    mode: Mode,
    probe: ProbeSpec,
    layout: Layout,
    outcome: Outcome,
    begun: bool,
    turns: u32,
}

impl Latency {
    pub(super) fn new(mode: Mode, probe: ProbeSpec, layout: Layout) -> Self {
        Self { mode, probe, layout, outcome: Outcome::default(), begun: false, turns: 0 }
    }

    fn limits(&self) -> PlanLimits {
        let limits = PlanLimits { deadline: Some(patience(self.mode)), ..self.mode.limits() };
        match self.probe.kind {
            // One sample of these takes a large part of a second.
            ProbeKind::StoreSweep | ProbeKind::CoreWalk => PlanLimits { most_rounds: 15, ..limits },
            _ => limits,
        }
    }

    fn first_limits(&self, extent: Extent) -> PlanLimits {
        match extent {
            Extent::Least => least(self.limits(), 15, 3),
            Extent::Whole => self.limits(),
        }
    }

    fn visit(&mut self, session: &Session, limits: PlanLimits, seed: u64) -> anyhow::Result<()> {
        let plan = plan(&self.layout, limits, seed);
        let heard = session.spaced(&plan, Work::Latency(self.layout.setup()), "latency")?;
        self.begun = true;
        self.outcome.append(heard);
        if self.probe.kind == ProbeKind::Page {
            self.sample().into_iter().for_each(|loads| session.note_page_sample(loads));
        }
        Ok(())
    }

    /// How long the loads of a sample take.
    fn sample(&self) -> Option<Duration> {
        let mut costs: Vec<f64> = self.outcome.samples.iter().map(|sample| sample.value).collect();
        costs.sort_by(f64::total_cmp);
        let middle = costs.get(costs.len() / 2)?;
        Some(Duration::from_nanos((middle * self.probe.accesses as f64) as u64))
    }
}

impl Instrument for Latency {
    fn name(&self) -> &'static str {
        "latency"
    }

    fn expected(&self, extent: Extent) -> Duration {
        cost(&self.layout, self.probe).of(self.first_limits(extent), places(&self.layout))
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        self.visit(session, self.first_limits(extent), session.seed)
    }

    fn aim(&self) -> f64 {
        self.limits().standard_error
    }

    fn worst(&self, session: &Session) -> Option<f64> {
        self.outcome.worst_standard_error(&self.layout.places(), session.seed)
    }

    fn further(&self) -> Option<Duration> {
        let limits = self.limits();
        (self.turns < most_turns(limits))
            .then(|| cost(&self.layout, self.probe).of(one_process(limits), places(&self.layout)))
    }

    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        self.visit(session, one_process(self.limits()), seed_of_turn(session.seed, self.turns))
    }

    fn done(&self) -> Done {
        Done::of([&self.outcome])
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        let (layout, outcome) = (&self.layout, &self.outcome);
        document.latency = self.begun.then_some(LatencyRun { layout, outcome, page_size: None });
    }
}

/// The name of the comparison of page sizes.
pub(super) const PAGE_SIZE: &str = "page size";

/// A chase through both kinds of pages, from one CPU group. It takes half a GiB, and has one turn.
pub(super) struct PageSizes {
    layout: Layout,
    outcome: Outcome,
}

impl PageSizes {
    /// Beside the page probe only: others have the size of their pages as an option.
    pub(super) fn beside(latency: &Latency) -> Option<Self> {
        let layout = latency.layout.page_sizes().filter(|_| latency.probe.kind == ProbeKind::Page)?;
        Some(Self { layout, outcome: Outcome::default() })
    }
}

/// When a comparison of page sizes stops.
fn page_limits() -> PlanLimits {
    PlanLimits { most_rounds: 15, ..PlanLimits::quick() }
}

impl Instrument for PageSizes {
    fn name(&self) -> &'static str {
        PAGE_SIZE
    }

    fn expected(&self, _: Extent) -> Duration {
        cost(&self.layout, ProbeSpec::chase(PageSize::Huge)).of(page_limits(), places(&self.layout))
    }

    fn begin(&mut self, session: &Session, _: Extent) -> anyhow::Result<()> {
        let plan = plan(&self.layout, page_limits(), session.seed);
        self.outcome = session.at_once(&plan, Work::Latency(self.layout.setup()), "page size")?;
        Ok(())
    }

    fn aim(&self) -> f64 {
        page_limits().standard_error
    }

    fn worst(&self, session: &Session) -> Option<f64> {
        self.outcome.worst_standard_error(&self.layout.places(), session.seed)
    }

    fn further(&self) -> Option<Duration> {
        None
    }

    fn go_on(&mut self, _: &Session) -> anyhow::Result<()> {
        Ok(())
    }

    fn done(&self) -> Done {
        Done::of([&self.outcome])
    }

    /// Beside latency, which told before.
    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        let (layout, outcome) = (&self.layout, &self.outcome);
        if let Some(latency) = document.latency.as_mut().filter(|_| outcome.processes > 0) {
            latency.page_size = Some(Ok(PageSizeRun { layout, outcome }));
        }
    }
}

fn plan(layout: &Layout, limits: PlanLimits, seed: u64) -> Plan {
    Plan {
        places: layout.places(),
        controls: layout.controls.iter().map(|pair| Place::new(pair.row, pair.again)).collect(),
        limits,
        seed,
    }
}

/// Visits of a round.
fn places(layout: &Layout) -> usize {
    layout.places().len() + layout.controls.len()
}

fn cost(layout: &Layout, probe: ProbeSpec) -> Cost {
    let columns = layout.columns.iter().chain(&layout.control_columns);
    let bytes: u64 = columns.map(|column| column.probe.size.0 * u64::from(column.pages)).sum();
    let access_ns = match probe.kind {
        ProbeKind::Page | ProbeKind::Chase | ProbeKind::Rmw => 150,
        ProbeKind::StoreSweep | ProbeKind::CoreWalk => 3,
    };
    let sample = Duration::from_nanos(probe.accesses.saturating_mul(access_ns));
    Cost { process: placing(bytes), visit: sample + Duration::from_millis(1) }
}

/// The longest that anybody waits: only machines with thousands of cells, and emulated ones, come near.
const fn patience(mode: Mode) -> Duration {
    match mode {
        Mode::Quick => Duration::from_secs(2 * 60),
        Mode::Default => Duration::from_secs(10 * 60),
        Mode::Thorough => Duration::from_secs(60 * 60),
    }
}
