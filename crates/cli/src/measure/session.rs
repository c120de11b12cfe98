//! What every measuring command begins with: the machine read, a seed drawn, Ctrl-C heard.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use jiff::Timestamp;
use nearfar_diagnose::Witnesses;
use nearfar_infer::core_to_core::Explorer;
use nearfar_machine::{Activity, Environment, InterleaveWeights, Source, Topology};
use nearfar_probe::core_to_core::{self, Exploration, PairSetup};
use nearfar_probe::{Outcome, Plan, Silicon, Stop, Work};
use nearfar_survey::{Instruments, Machine, Observed, Options, Provenance, Survey};

use crate::exit::Interrupted;
use crate::interrupt::Interrupt;
use crate::progress::Bar;

/// Seeds that are drawn stay short enough to be typed.
const SEEDS: u64 = 1_000_000;

/// How far apart processes start at least: a machine's speed wanders over about this time, and intervals should hold that.
const SPACING: Duration = Duration::from_secs(1);

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
        })
    }

    /// A name for the survey's file: machine and time.
    pub(crate) fn name(&self) -> String {
        let machine = Machine::of(&self.topology, &self.environment).short_name();
        format!("{machine}-{}", self.started.strftime("%Y%m%d-%H%M%S"))
    }

    /// Carries out a plan of an instrument, whose processes start a while apart.
    pub(crate) fn spaced(&self, plan: &Plan, work: Work, what: &str) -> anyhow::Result<Outcome> {
        self.carry_out(plan, Silicon::new(work, Box::new(worker)).spaced(SPACING), what)
    }

    /// Carries out a plan of an instrument, whose processes follow one another at once: for what is compared within processes.
    pub(crate) fn at_once(&self, plan: &Plan, work: Work, what: &str) -> anyhow::Result<Outcome> {
        self.carry_out(plan, Silicon::new(work, Box::new(worker)), what)
    }

    fn carry_out(&self, plan: &Plan, mut silicon: Silicon, what: &str) -> anyhow::Result<Outcome> {
        let bar = Bar::new(what, plan.limits.most_rounds);
        let begun = Instant::now();
        let outcome = nearfar_probe::run(plan, &mut silicon, &|| begun.elapsed(), &mut |progress| {
            bar.at(progress.rounds, progress.worst_standard_error, plan.limits.standard_error);
            !self.interrupt.came()
        })?;
        match outcome.stopped {
            Stop::Interrupted => Err(Interrupted.into()),
            _ => Ok(outcome),
        }
    }

    /// Has pairs of CPUs explored.
    pub(crate) fn explore(&self, setup: &PairSetup, explorer: Explorer) -> anyhow::Result<Exploration> {
        let bar = Bar::of_pairs();
        let mut silicon = Silicon::new(Work::CoreToCore(setup.clone()), Box::new(worker));
        let explored = core_to_core::explore(setup, explorer, self.seed, &mut silicon, &mut |explored| {
            bar.pairs(explored.pairs, explored.samples, explored.wanted);
            !self.interrupt.came()
        })?;
        match explored.outcome.stopped {
            Stop::Interrupted => Err(Interrupted.into()),
            _ => Ok(explored),
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

    /// How the document came about, of which this plan was the main part.
    pub(crate) fn provenance(&self, outcome: &Outcome, options: Options) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: self.seed,
            started: self.started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            duration_s: (self.begun.elapsed().as_secs_f64() * 10.0).round() / 10.0,
            processes: outcome.processes,
            rounds: outcome.rounds,
            stopped: outcome.stopped.name().to_owned(),
            options,
        }
    }

    /// The document of what instruments heard; an error when Ctrl-C came meanwhile.
    pub(crate) fn document(
        &self,
        instruments: Instruments<'_>,
        threshold: f64,
        provenance: Provenance,
    ) -> anyhow::Result<Survey> {
        let survey = nearfar_survey::assemble(Observed {
            topology: &self.topology,
            environment: &self.environment,
            witnesses: &self.witnesses,
            activity: &self.activity(),
            instruments,
            threshold,
            provenance,
        })?;
        self.check()?;
        Ok(survey)
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
