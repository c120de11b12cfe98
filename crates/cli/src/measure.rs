//! One measurement from request to survey: read the machine, lay out, run the plan, assemble.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use jiff::Timestamp;
use nearfar_diagnose::Witnesses;
use nearfar_machine::{Activity, Environment, Source, Topology};
use nearfar_probe::{Layout, Outcome, Plan, PlanLimits, ProbeKind, ProbeSpec, Silicon, Stop, Wanted, Work};
use nearfar_survey::{Machine, Mode, Observed, Options, PageSizeRun, Provenance, Survey};

use crate::exit::Interrupted;
use crate::interrupt::Interrupt;
use crate::progress::Bar;

/// What is to be measured.
pub(crate) struct Request {
    pub(crate) mode: Mode,
    pub(crate) probe: ProbeSpec,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    pub(crate) threshold: f64,
    pub(crate) seed: Option<u64>,
    /// Whether base pages are compared with huge pages, too.
    pub(crate) page_size: bool,
}

/// Seeds that are drawn stay short enough to be typed.
const SEEDS: u64 = 1_000_000;

/// How far apart processes start at least: a machine's speed wanders over about this time, and intervals should hold that.
const SPACING: Duration = Duration::from_secs(1);

/// A measurement that can begin: the request fits this machine.
pub(crate) struct Measurement {
    request: Request,
    source: Source,
    topology: Topology,
    environment: Environment,
    witnesses: Witnesses,
    layout: Layout,
    seed: u64,
    started: Timestamp,
    interrupt: Interrupt,
}

impl Measurement {
    /// Reads the machine and lays out what was asked for. From here on Ctrl-C ends the command in order.
    pub(crate) fn prepare(request: Request) -> anyhow::Result<Self> {
        let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
        let source = Source::live();
        let topology = Topology::read(&source)?;
        let environment = Environment::read(&source);
        let witnesses = Witnesses::read(&source);
        let layout = match request.probe.kind {
            ProbeKind::CoreWalk => Layout::core_walk(&topology, &request.wanted, &request.probe)?,
            _ => Layout::new(&topology, &request.wanted, &request.probe)?,
        };
        let seed = request.seed.unwrap_or_else(|| fastrand::u64(..SEEDS));
        Ok(Self {
            request,
            source,
            topology,
            environment,
            witnesses,
            layout,
            seed,
            started: Timestamp::now(),
            interrupt,
        })
    }

    /// A name for the survey's file: machine and time.
    pub(crate) fn name(&self) -> String {
        let machine = Machine::of(&self.topology, &self.environment).short_name();
        format!("{machine}-{}", self.started.strftime("%Y%m%d-%H%M%S"))
    }

    /// Measures.
    pub(crate) fn survey(self) -> anyhow::Result<Survey> {
        let begun = Instant::now();
        let before = Activity::read(&self.source);
        let limits = limits(self.request.mode, self.request.probe.kind);
        let silicon = Silicon::new(Work::Latency(self.layout.setup()), Box::new(worker)).spaced(SPACING);
        let outcome = self.run(&self.layout, silicon, limits, "latency")?;
        let page_size = self.page_size()?;
        let activity = Activity::read(&self.source).since(&before);
        let survey = nearfar_survey::assemble(Observed {
            topology: &self.topology,
            environment: &self.environment,
            witnesses: &self.witnesses,
            activity: &activity,
            layout: &self.layout,
            outcome: &outcome,
            page_size: page_size.as_ref().map(|run| match run {
                Ok((layout, outcome)) => Ok(PageSizeRun { layout, outcome }),
                Err(why) => Err(why.clone()),
            }),
            threshold: self.request.threshold,
            provenance: self.provenance(&outcome, begun.elapsed()),
        })?;
        if self.interrupt.came() { Err(Interrupted.into()) } else { Ok(survey) }
    }

    fn run(&self, layout: &Layout, mut silicon: Silicon, limits: PlanLimits, what: &str) -> anyhow::Result<Outcome> {
        let plan = Plan {
            rows: layout.rows.len(),
            columns: layout.columns.len(),
            cells: layout.cells(),
            controls: layout.controls.iter().map(|pair| (pair.row, pair.again)).collect(),
            limits,
            seed: self.seed,
        };
        let bar = Bar::new(what, limits.most_rounds);
        let begun = Instant::now();
        let outcome = nearfar_probe::run(&plan, &mut silicon, &|| begun.elapsed(), &mut |progress| {
            bar.at(progress.rounds, progress.worst_standard_error, limits.standard_error);
            !self.interrupt.came()
        })?;
        match outcome.stopped {
            Stop::Interrupted => Err(Interrupted.into()),
            _ => Ok(outcome),
        }
    }

    /// What base pages cost: a chase through both kinds of pages, from one CPU group. It takes half a GiB; where that kills its workers,
    /// the survey goes on without it.
    fn page_size(&self) -> anyhow::Result<Option<Result<(Layout, Outcome), String>>> {
        if !self.request.page_size || self.request.probe.kind != ProbeKind::Page {
            return Ok(None);
        }
        let Some(layout) = self.layout.page_sizes() else { return Ok(None) };
        let limits = PlanLimits { most_rounds: 15, ..PlanLimits::quick() };
        let silicon = Silicon::new(Work::Latency(layout.setup()), Box::new(worker));
        match self.run(&layout, silicon, limits, "page size") {
            Ok(outcome) => Ok(Some(Ok((layout, outcome)))),
            Err(error) if error.is::<Interrupted>() => Err(error),
            Err(error) => Ok(Some(Err(error.to_string()))),
        }
    }

    fn provenance(&self, outcome: &Outcome, duration: Duration) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: self.seed,
            started: self.started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            duration_s: (duration.as_secs_f64() * 10.0).round() / 10.0,
            processes: outcome.processes,
            rounds: outcome.rounds,
            stopped: outcome.stopped.name().to_owned(),
            options: Options {
                mode: self.request.mode,
                rows: self.request.rows_name.clone(),
                cpus: self.request.wanted.cpus.clone(),
                nodes: self.request.wanted.nodes.clone(),
                size_bytes: self.request.probe.size.0,
                accesses: self.request.probe.accesses,
            },
        }
    }
}

/// The longest that anybody waits: only machines with thousands of cells, and emulated ones, come near.
const fn patience(mode: Mode) -> Duration {
    match mode {
        Mode::Quick => Duration::from_secs(2 * 60),
        Mode::Default => Duration::from_secs(10 * 60),
        Mode::Thorough => Duration::from_secs(60 * 60),
    }
}

fn limits(mode: Mode, probe: ProbeKind) -> PlanLimits {
    let limits = PlanLimits { deadline: Some(patience(mode)), ..mode.limits() };
    match probe {
        // One sample of these takes a large part of a second.
        ProbeKind::StoreSweep | ProbeKind::CoreWalk => PlanLimits { most_rounds: 15, ..limits },
        _ => limits,
    }
}

/// A fresh process of this very program.
fn worker() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg("worker");
    command
}
