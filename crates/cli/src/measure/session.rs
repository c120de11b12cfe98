//! What every measuring command begins with: the machine read, a seed drawn, Ctrl-C heard.

use std::cell::Cell;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use jiff::Timestamp;
use nearfar_diagnose::Witnesses;
use nearfar_infer::core_to_core::Explorer;
use nearfar_machine::{
    Activity, Environment, InterleaveWeights, MachineError, MemoryRoom, Source, Topology, memory_limits,
};
use nearfar_model::CpuSet;
use nearfar_probe::core_to_core::{self, Exploration, PairSetup};
use nearfar_probe::{Outcome, Plan, PlanLimits, Silicon, Stop, Work};
use nearfar_survey::{Instruments, Machine, Observed, Options, Provenance, Survey};

use super::done::Done;
use crate::exit::Interrupted;
use crate::interrupt::Interrupt;
use crate::progress::{Bar, Left};

/// Seeds that are drawn stay short enough to be typed.
const SEEDS: u64 = 1_000_000;

/// How far apart processes start at least: a machine's speed wanders over about this time, and intervals should hold that.
pub(super) const SPACING: Duration = Duration::from_secs(1);
/// Ctrl-C is looked for so often while nothing happens.
const WHILE: Duration = Duration::from_millis(100);

/// A machine that is about to be measured.
pub(crate) struct Session {
    pub(crate) topology: Topology,
    pub(crate) environment: Environment,
    pub(crate) witnesses: Witnesses,
    pub(crate) seed: u64,
    source: Source,
    before: Activity,
    begun: Instant,
    started: Timestamp,
    interrupt: Interrupt,
    turn: Cell<Turn>,
    /// When the last plan began whose processes start a while apart.
    spaced: Cell<Option<Instant>>,
    /// How long the loads of a page probe's sample take here, once that is known.
    page_sample: Cell<Option<Duration>>,
}

/// Whose turn it is among several instruments; none of it where one measures alone, without a budget.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// The instrument at work.
    pub(super) name: Option<&'static str>,
    /// When it shall end in any case.
    pub(super) ends: Option<Instant>,
    /// When all will have ended, and whether that is sure.
    pub(super) all_end: Option<Left>,
}

impl Session {
    /// Reads the machine. From here on Ctrl-C ends the command in order.
    pub(crate) fn begin(seed: Option<u64>) -> anyhow::Result<Self> {
        let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
        let source = Source::live();
        Ok(Self {
            topology: Topology::read(&source)?,
            environment: Environment::read(&source),
            witnesses: Witnesses::read(&source),
            seed: seed.unwrap_or_else(|| fastrand::u64(..SEEDS)),
            before: Activity::read(&source),
            begun: Instant::now(),
            started: Timestamp::now(),
            interrupt,
            source,
            turn: Cell::default(),
            spaced: Cell::default(),
            page_sample: Cell::default(),
        })
    }

    /// A name for the survey's file: machine and time.
    pub(crate) fn name(&self) -> String {
        let machine = Machine::of(&self.topology, &self.environment).short_name();
        format!("{machine}-{}", self.started.strftime("%Y%m%d-%H%M%S"))
    }

    /// The time since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Says whose turn it is.
    pub(super) fn turn(&self, turn: Turn) {
        self.turn.set(turn);
    }

    /// How long the loads of a page probe's sample take on this machine; `None` while nothing has measured it.
    pub(super) fn page_sample(&self) -> Option<Duration> {
        self.page_sample.get()
    }

    /// Notes how long they take.
    pub(super) fn note_page_sample(&self, loads: Duration) {
        self.page_sample.set(Some(loads));
    }

    /// What is left of this turn, where it is limited.
    pub(super) fn left(&self) -> Option<Duration> {
        self.turn.get().ends.map(|ends| ends.saturating_duration_since(Instant::now()))
    }

    /// Does something in a share of what is left of this turn.
    pub(super) fn in_a_share<T>(&self, share: f64, work: impl FnOnce() -> T) -> T {
        let turn = self.turn.get();
        let ends = self.left().map(|left| Instant::now() + left.mul_f64(share));
        self.turn.set(Turn { ends, ..turn });
        let done = work();
        self.turn.set(turn);
        done
    }

    /// Carries out a plan of an instrument, whose processes start a while apart.
    pub(crate) fn spaced(&self, plan: &Plan, work: Work, what: &str) -> anyhow::Result<Outcome> {
        // A plan of one process may have ended just now.
        while let Some(wait) = self.spaced.get().and_then(|begun| SPACING.checked_sub(begun.elapsed())) {
            self.check()?;
            thread::sleep(wait.min(WHILE));
        }
        self.spaced.set(Some(Instant::now()));
        self.carry_out(plan, Silicon::new(work, Box::new(worker)).spaced(SPACING), what)
    }

    /// Carries out a plan of an instrument, whose processes follow one another at once: for what is compared within processes.
    pub(crate) fn at_once(&self, plan: &Plan, work: Work, what: &str) -> anyhow::Result<Outcome> {
        self.carry_out(plan, Silicon::new(work, Box::new(worker)), what)
    }

    fn carry_out(&self, plan: &Plan, mut silicon: Silicon, what: &str) -> anyhow::Result<Outcome> {
        let left = self.left();
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(Outcome { stopped: Stop::TimeLimit, ..Outcome::default() });
        }
        let deadline = [plan.limits.deadline, left].into_iter().flatten().min();
        let plan = &Plan { limits: PlanLimits { deadline, ..plan.limits }, ..plan.clone() };
        let bar = Bar::new(&self.at_work(what), plan.limits.most_rounds);
        let begun = Instant::now();
        let outcome = nearfar_probe::run(plan, &mut silicon, &|| begun.elapsed(), &mut |progress| {
            let all_end = self.turn.get().all_end;
            bar.at(progress.rounds, progress.worst_standard_error, plan.limits.standard_error, all_end);
            !self.interrupt.came()
        })?;
        match outcome.stopped {
            Stop::Interrupted => Err(Interrupted.into()),
            _ => Ok(outcome),
        }
    }

    /// Has pairs of CPUs explored, as far as there is time for.
    pub(crate) fn explore(&self, setup: &PairSetup, explorer: Explorer) -> anyhow::Result<Exploration> {
        let bar = Bar::of_pairs();
        let mut silicon = Silicon::new(Work::CoreToCore(setup.clone()), Box::new(worker));
        let mut explored = core_to_core::explore(explorer, self.seed, &mut silicon, &mut |explored| {
            bar.pairs(explored.pairs, explored.samples, explored.wanted, self.turn.get().all_end);
            !self.interrupt.came() && self.left().is_none_or(|left| !left.is_zero())
        })?;
        self.check()?;
        if explored.outcome.stopped == Stop::Interrupted {
            explored.outcome.stopped = Stop::TimeLimit;
        }
        Ok(explored)
    }

    /// "bandwidth: kernels", or only what is done where one instrument measures alone.
    fn at_work(&self, what: &str) -> String {
        match self.turn.get().name {
            Some(name) if name != what => format!("{name}: {what}"),
            _ => what.to_owned(),
        }
    }

    /// What counters rose by since the beginning.
    pub(crate) fn activity(&self) -> Activity {
        Activity::read(&self.source).since(&self.before)
    }

    /// The kernel's weights of interleaving, where it has any.
    pub(crate) fn interleave_weights(&self) -> Option<InterleaveWeights> {
        InterleaveWeights::read(&self.source)
    }

    /// The machine as it is now: what is free changes.
    pub(super) fn topology_now(&self) -> Result<Topology, MachineError> {
        Topology::read(&self.source)
    }

    /// What limits of memory stand above this process.
    pub(super) fn memory_limits(&self) -> Vec<MemoryRoom> {
        memory_limits(&self.source)
    }

    /// How the document came about, of which this plan was the main part.
    pub(super) fn provenance(&self, done: Done, options: Options) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: self.seed,
            started: self.started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            duration_s: (self.begun.elapsed().as_secs_f64() * 10.0).round() / 10.0,
            processes: done.processes,
            rounds: done.rounds,
            stopped: done.stopped.name().to_owned(),
            budget_s: None,
            instruments: vec![],
            left_out: vec![],
            options,
        }
    }

    /// The document of what instruments heard. Ctrl-C does not stop this: what was measured is kept.
    pub(crate) fn document(
        &self,
        instruments: Instruments<'_>,
        threshold: f64,
        provenance: Provenance,
    ) -> anyhow::Result<Survey> {
        Ok(nearfar_survey::assemble(Observed {
            topology: &self.topology,
            environment: &self.environment,
            witnesses: &self.witnesses,
            activity: &self.activity(),
            went_offline: self.went_offline(),
            instruments,
            threshold,
            provenance,
        })?)
    }

    /// CPUs that this process might use as it began, and may use no more.
    fn went_offline(&self) -> CpuSet {
        let now = self.topology_now().map(|now| self.topology.allowed.cpus.difference(&now.allowed.cpus));
        now.unwrap_or_default()
    }

    /// An error once Ctrl-C came.
    pub(crate) fn check(&self) -> Result<(), Interrupted> {
        if self.interrupt.came() { Err(Interrupted) } else { Ok(()) }
    }
}

/// A fresh process of this very program.
fn worker() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg("worker");
    command
}
