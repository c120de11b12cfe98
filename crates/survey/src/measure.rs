//! Runs measurements: what is planned, for how long, and when it is done.
//!
//! A [`Measurement`] consists of a [`Scope`] (CPUs, memory, precision, time limit) and an
//! instrument's [`Settings`]; running it gives a [`Survey`](nearfar_survey::Survey). Each
//! instrument has a file with its settings and an [`Experiment`]: a first [`Turn`], and further
//! ones while they make its figures more precise. [`Measurement::survey`] runs several instruments;
//! `schedule` allocates their time. `live` starts worker processes and is one [`Backend`]; tests
//! have simulated ones.
//!
//! What is measured is decided here. This module does not time an access (`probe`), does not
//! interpret figures (`infer`), and prints nothing: the caller's [`Progress`] does.

mod cost;
mod error;
mod instruments;
mod live;
mod measurement;
mod plan_parts;
mod run;
mod schedule;
#[cfg(test)]
mod tests;
mod time_left;
mod turn;

use std::rc::Rc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use nearfar_diagnose::Witnesses;
use nearfar_infer::MIN_PROCESSES;
use nearfar_infer::core_to_core::Explorer;
use nearfar_machine::interrupts::InterruptSnapshot;
use nearfar_machine::{Activity, Environment, Source, Topology};
use nearfar_model::{Bytes, CpuSet, Instrument};
use nearfar_probe::core_to_core::{Exploration, ExplorationProgress, PairSetup};
use nearfar_probe::{LayoutRequest, Plan, PlanLimits, PlanOutcome, RowKind, Work};

use crate::{Instruments, MachineSummary, Mode, Observed, Options, Provenance, Survey};
use cost::VisitCost;
use run::minimal;

pub use error::{MeasureError, SettingsError};
pub use instruments::*;
pub use live::WorkerCommand;
pub use measurement::{HIDDEN_SEARCH, Measurement, SurveySettings};
pub use run::{ExperimentRun, RunSummary};
pub use turn::Turn;

/// Shows progress, and knows whether the user interrupts.
pub trait Progress {
    /// Shows a task's progress. Called with every message, and several times per second without
    /// one.
    fn show(&mut self, status: &TaskProgress<'_>);

    /// The last shown task has ended.
    fn finish(&mut self);

    /// Whether the user interrupted the measurement.
    fn is_interrupted(&self) -> bool;
}

/// The progress of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskProgress<'s> {
    /// The task's name.
    pub task: &'s str,
    /// What it has done.
    pub state: TaskState,
    /// Time until the whole measurement ends, if known.
    pub left: Option<TimeLeft>,
}

/// What a task has done.
#[derive(Clone, Copy, Debug)]
pub enum TaskState {
    /// Rounds of a plan.
    Rounds {
        /// Its progress.
        plan: nearfar_probe::PlanProgress,
        /// Its limits.
        limits: PlanLimits,
    },
    /// Pairs of CPUs. Their total is unknown in advance.
    Pairs(ExplorationProgress),
}

/// Time until a measurement ends, from its start or from now.
#[derive(Clone, Copy, Debug)]
pub enum TimeLeft {
    /// By a budget: no longer than this.
    AtMost(Duration),
    /// Estimated; zero once it takes longer.
    About(Duration),
}

impl TimeLeft {
    /// The remaining time after this much has passed.
    pub(crate) fn after(self, passed: Duration) -> Self {
        match self {
            Self::AtMost(left) => Self::AtMost(left.saturating_sub(passed)),
            Self::About(left) => Self::About(left.saturating_sub(passed)),
        }
    }
}

/// The effort of a first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The cheapest that gives figures with intervals: three processes of two rounds; for latency
    /// five of three, for disks and GPUs six of one.
    Minimal,
    /// Until figures reach the mode's precision.
    Full,
}

impl Effort {
    /// The limits of a first turn: the full ones, or minimally `rounds` rounds, `per_process` in
    /// each process.
    pub(crate) const fn limits(
        self,
        full: PlanLimits,
        rounds: u32,
        per_process: u32,
    ) -> PlanLimits {
        match self {
            Self::Minimal => minimal(full, rounds, per_process),
            Self::Full => full,
        }
    }
}

/// The measurement of one instrument on one machine, turn by turn.
pub trait Experiment {
    /// The options, and what was measured.
    fn run(&self) -> &ExperimentRun;

    /// Which instrument.
    fn instrument(&self) -> Instrument {
        self.run().instrument
    }

    /// The expected time of its first turn on an ordinary idle machine.
    fn expected(&self, effort: Effort) -> Duration;

    /// The time that a quick measurement without a budget promises: some seconds, or half as much
    /// again as expected. Loops over caches, latency and a search for hidden nodes take the time
    /// that a machine needs.
    fn promised(&self) -> Option<Duration> {
        let run = self.run();
        let is_timed = !matches!(
            run.instrument,
            Instrument::Latency | Instrument::PageSize | Instrument::Hidden
        );
        let promised = || QUICK.max(self.expected(Effort::Full).mul_f64(1.5));
        (run.options.mode == Mode::Quick && is_timed).then(promised)
    }

    /// Makes its first turn. When the turn's time is over, it ends with what it has.
    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError>;

    /// The expected time of a further turn on an ordinary machine; `None` if it would bring
    /// nothing.
    fn next_turn_cost(&self) -> Option<Duration>;

    /// Makes a further turn: one process over everything measured before. When the turn's time is
    /// over, it ends with what it has.
    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError>;

    /// The target standard error of its figures, as a fraction.
    fn target_error(&self) -> f64 {
        self.run().limits.standard_error
    }

    /// Its worst standard error, as a fraction; `None` while unknown.
    fn worst_error(&self) -> Option<f64> {
        self.run().worst_error()
    }

    /// Whether it searches for something that is not found yet, whatever the precision.
    fn is_searching(&self) -> bool {
        false
    }

    /// The sums of its rounds and processes.
    fn done(&self) -> RunSummary {
        RunSummary::from_outcomes([&self.run().outcome])
    }

    /// Adds its results to the document, if there are any.
    fn record_into<'e>(&'e self, document: &mut Instruments<'e>);
}

/// An experiment that is laid out, or why there is none.
pub type NewExperiment = Result<Box<dyn Experiment>, MeasureError>;

/// Settings of an instrument, which make its experiment.
pub trait Settings {
    /// Lays out the measurement. Fails if the settings do not fit the machine; touches nothing.
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment;
}

/// The CPUs and memory to measure, the precision and the time limit.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The precision.
    pub mode: Mode,
    /// Rows, CPUs and nodes.
    pub wanted: LayoutRequest,
    /// The time limit; without one each instrument measures until its figures are precise.
    pub budget: Option<Duration>,
    /// The seed of every random choice; random if absent.
    pub seed: Option<u64>,
}

impl Scope {
    /// The same by groups of CPUs, unless rows were requested: a single core neither fills a node's
    /// channels nor has neighbours to load it.
    pub(crate) fn by_group(&self) -> LayoutRequest {
        let rows =
            if self.wanted.rows == RowKind::Auto { RowKind::Group } else { self.wanted.rows };
        LayoutRequest { rows, ..self.wanted.clone() }
    }

    /// The scope as the document records it, with memory and accesses of one sample.
    pub(crate) fn options(&self, size: Bytes, accesses: u64) -> Options {
        Options {
            mode: self.mode,
            rows: self.wanted.rows.name().to_owned(),
            cpus: self.wanted.cpus.clone(),
            nodes: self.wanted.nodes.clone(),
            size_bytes: size.0,
            accesses,
        }
    }
}

/// A quick measurement on a busy machine ends after this time, unless it expects to take longer.
const QUICK: Duration = Duration::from_secs(18);

/// The limits of an instrument's whole plan. Where effects of 2 % are to be decided, or a cost is
/// to be compared with latency, figures are as precise as latency.
pub(crate) fn plan_limits(instrument: Instrument, mode: Mode) -> PlanLimits {
    let usual = mode.limits();
    let twice_the_error = 2.0 * usual.standard_error;
    let by_mode = |[quick, default, thorough]: [u32; 3]| match mode {
        Mode::Quick => quick,
        Mode::Default => default,
        Mode::Thorough => thorough,
    };
    let deadline = |seconds| Some(Duration::from_secs(by_mode(seconds).into()));
    let promised = |seconds, processes| {
        (mode == Mode::Quick).then(|| (Duration::from_secs(seconds), processes))
    };
    // Visits far longer than a page sample: first ten rounds in five processes.
    let slow = |rounds, step_rounds, seconds| PlanLimits {
        first_rounds: 10,
        first_rounds_per_process: 2,
        step_rounds,
        max_rounds: by_mode(rounds),
        deadline: deadline(seconds),
        ..usual
    };
    // Cells are compared with one another: the first turn has all processes that effects need.
    let crossed = |rounds, seconds| PlanLimits {
        first_rounds: 2 * MIN_PROCESSES as u32,
        ..slow(rounds, 5, seconds)
    };
    match instrument {
        // Only machines with thousands of cells, and emulated ones, come near this time.
        Instrument::Latency => {
            PlanLimits { deadline: deadline([120, 600, 3_600]), promised: promised(4, 4), ..usual }
        }
        // Its memory takes a busy machine a second a process, and no verdict depends on it.
        Instrument::PageSize => {
            PlanLimits { max_rounds: 15, promised: promised(2, 3), ..PlanLimits::quick() }
        }
        // A visit takes forty times as long as a page sample, so there are fewer of them.
        Instrument::Bandwidth => slow([15, 30, 90], 5, [60, 300, 1_800]),
        // A loaded sample takes twenty times as long as an idle one, and scatters more.
        Instrument::Loaded => PlanLimits {
            standard_error: twice_the_error,
            ..slow([15, 30, 90], 5, [60, 300, 1_800])
        },
        Instrument::CoreToCore => PlanLimits {
            first_rounds: 9,
            step_rounds: 3,
            max_rounds: by_mode([15, 30, 90]),
            deadline: deadline([60, 300, 1_800]),
            ..usual
        },
        // A round takes seconds, mostly to warm sizes beyond the caches.
        Instrument::Caches => slow([10, 20, 60], 2, [90, 300, 1_800]),
        Instrument::Interleave => usual,
        // Most disks need all of the budget.
        Instrument::Io => crossed([200, 1_000, 4_000], [60, 600, 3_600]),
        Instrument::Gpu => crossed([100, 500, 2_000], [60, 600, 3_600]),
        // Coarser than latency's, since each process has its own pages.
        Instrument::Hidden => PlanLimits { standard_error: twice_the_error, ..usual },
    }
}

/// Executes plans.
pub trait Backend {
    /// Time since the measurement began.
    fn elapsed(&self) -> Duration;

    /// Waits until a [spaced](Spacing::Spaced) process may start.
    fn wait_for_spacing(&mut self, _: Duration) -> Result<(), MeasureError> {
        Ok(())
    }

    /// Executes a plan. At its deadline it ends with what it has measured.
    fn run(
        &mut self,
        plan: &Plan,
        work: Work,
        spacing: StartSpacing,
        task: &PlanTask,
    ) -> Result<PlanOutcome, MeasureError>;

    /// Measures the pairs of CPUs that an explorer requests, until the structure is known or the
    /// task's time is over.
    fn explore(
        &mut self,
        explorer: Explorer,
        setup: &PairSetup,
        task: &PlanTask,
    ) -> Result<Exploration, MeasureError>;
}

/// How far apart worker processes start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartSpacing {
    /// At least as far apart as the plan's limits set: intervals should include a machine's drift.
    Spaced,
    /// At once: for what is compared within processes.
    AtOnce,
}

/// The purpose of a plan.
#[derive(Clone, Debug)]
pub struct PlanTask {
    /// Its name in progress: "bandwidth: kernels", or "kernels" with a single instrument.
    pub name: String,
    /// The seed of choices outside the plan.
    pub seed: u64,
    /// When the turn ends, on the backend's clock.
    pub ends: Option<Duration>,
    /// When the whole measurement ends, on the backend's clock.
    pub all_end: Option<TimeLeft>,
    /// The estimated time of what follows the plan, on an ordinary idle machine.
    pub later: Duration,
    /// The expected cost of the plan's processes and visits there, if known.
    pub(crate) cost: Option<VisitCost>,
    /// The least time of a turn after this one, where a budget decides whether there is one.
    pub least_next: Option<Duration>,
    /// The worst standard error before the turn, over its target.
    pub uncertainty: Option<f64>,
    /// Whether nothing else measures.
    pub is_alone: bool,
}

/// Random seeds are short enough to be typed.
const SEEDS: u64 = 1_000_000;

/// The measured machine.
pub struct Session {
    pub(crate) topology: Rc<Topology>,
    pub(crate) environment: Environment,
    pub(crate) witnesses: Witnesses,
    pub(crate) seed: u64,
    pub(crate) begun: Instant,
    /// For later reads: free memory changes.
    pub(crate) source: Rc<Source>,
    pub(crate) started: Timestamp,
    before: Activity,
}

impl Session {
    pub(crate) fn begin(seed: Option<u64>) -> Result<Self, MeasureError> {
        let source = Source::live();
        Ok(Self {
            topology: Rc::new(Topology::read(&source)?),
            environment: Environment::read(&source),
            witnesses: Witnesses::read(&source),
            seed: seed.unwrap_or_else(|| fastrand::u64(..SEEDS)),
            before: Activity::read(&source),
            begun: Instant::now(),
            started: Timestamp::now(),
            source: Rc::new(source),
        })
    }

    /// A name for the survey's file: machine and time.
    pub(crate) fn name(&self) -> String {
        let machine = MachineSummary::new(&self.topology, &self.environment).short_name();
        format!("{machine}-{}", self.started.strftime("%Y%m%d-%H%M%S"))
    }

    /// The document of what was measured.
    pub(crate) fn document(
        &self,
        instruments: Instruments<'_>,
        threshold: f64,
        provenance: Provenance,
    ) -> Result<Survey, MeasureError> {
        let devices = nearfar_diagnose::usual_devices(&self.witnesses, &self.source);
        // The witnesses have the first reading of the counters, from just before `begun`.
        let now = InterruptSnapshot::read(&self.source).ok();
        let now = now.as_ref().map(|now| (now, self.begun.elapsed().as_secs_f64()));
        let interrupts = devices.as_ref().zip(now).and_then(|(devices, now)| {
            nearfar_diagnose::interrupts(&self.witnesses, devices, Some(now))
        });
        Ok(crate::assemble(Observed {
            topology: &self.topology,
            environment: &self.environment,
            witnesses: &self.witnesses,
            devices,
            interrupts,
            activity: &Activity::read(&self.source).since(&self.before),
            went_offline: self.went_offline(),
            instruments,
            threshold,
            provenance,
        })?)
    }

    /// CPUs that this process could use at the beginning and cannot use now.
    fn went_offline(&self) -> CpuSet {
        let now = Topology::read(&self.source);
        let now = now.map(|now| self.topology.allowed.cpus.difference(&now.allowed.cpus));
        now.unwrap_or_default()
    }
}

/// Seconds to a tenth.
pub(crate) fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}
