//! The document of a sweep: `nearfar.sweep/2`.

use std::collections::BTreeMap;

use nearfar_infer::trials::{Modes, Summary, Trials, median};
use serde::{Deserialize, Serialize};

use crate::answers::Answers;
use crate::axes::Variable;
use crate::configuration::Configuration;
use crate::cpusets::Enforcement;
use crate::doses::SweepDoses;
use crate::interrupts::SweepInterrupts;
use crate::limits::{Limits, SweepStopReason};
use crate::objective::Objective;
use crate::placement::{ChosenBy, Unavailable};
use crate::system::SystemSetting;

/// The schema's name. Parts may be added, never changed, within a number.
pub const SCHEMA: &str = "nearfar.sweep/2";

/// A sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sweep {
    /// `nearfar.sweep/2`.
    pub schema: String,
    /// The nearfar that made it.
    pub version: String,
    /// When it began.
    pub started: String,
    /// Where.
    pub machine: SweepMachine,
    /// What was varied.
    pub axes: Axes,
    /// What runs are judged by.
    pub objective: Objective,
    /// The command, before anything is filled in.
    pub command: Vec<String>,
    /// How it is run.
    pub settings: RunSettings,
    /// How placements were enforced; null before the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enforcement: Option<Enforcement>,
    /// The device whose interrupts are varied; null without the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<SweepInterrupts>,
    /// The doses that the placements are; null without `--dose`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doses: Option<SweepDoses>,
    /// The recipe that the program and the placements are of; null without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<SweepRecipe>,
    /// When it stops.
    #[serde(default)]
    pub limits: Limits,
    /// The seed of the order of runs.
    pub seed: u64,
    /// Why it stopped; null while it has not.
    pub stopped: Option<SweepStopReason>,
    /// Placements that are unavailable on this machine.
    pub unavailable: Vec<Unavailable>,
    /// Each way to run the command, the reference first.
    pub configurations: Vec<ConfigurationResult>,
    /// What follows.
    pub answers: Answers,
}

/// A recipe, as far as its answer needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepRecipe {
    /// Its name.
    pub name: String,
    /// What it answers.
    pub question: String,
    /// The systemd unit that starts the program, where there is one.
    pub unit: Option<String>,
    /// How the program is started by hand.
    pub command: String,
    /// What the unit gets, by the id of a configuration.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unit_lines: BTreeMap<String, String>,
}

impl SweepRecipe {
    /// The program as it is started by hand. `$NAME` stands for the value of a variable.
    fn started_by_hand(&self, configuration: &Configuration) -> Configuration {
        let mut line = self.command.clone();
        let mut environment = configuration.environment.clone();
        environment.retain(|(name, value)| {
            let name = format!("${name}");
            let is_there = line.contains(&name);
            line = line.replace(&name, value);
            !is_there
        });
        let command = shlex::split(&line).unwrap_or_else(|| vec![line]);
        Configuration { command, environment, ..configuration.clone() }
    }
}

/// The machine, as far as comparisons of sweeps need it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepMachine {
    /// The processor's model; hosts have no names here, as in surveys.
    pub model: Option<String>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// CPUs that could be used.
    pub cpus: String,
    /// Nodes whose memory could be used.
    pub nodes: String,
    /// Whether two threads share a core.
    pub smt: Option<bool>,
    /// Load average of the minute before the sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average: Option<f64>,
}

/// What was varied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Axes {
    /// Placements.
    pub placements: Vec<String>,
    /// What the placements were chosen by, where the user named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placements_from: Option<ChosenBy>,
    /// Numbers of jobs; empty: one for each CPU of the placement.
    pub jobs: Vec<usize>,
    /// Environment variables.
    pub environment: Vec<Variable>,
    /// Settings of the machine.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub system: BTreeMap<SystemSetting, Vec<String>>,
}

/// How each run is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunSettings {
    /// Time limit of a run, in seconds.
    pub timeout_s: Option<f64>,
    /// A shell's line before each run, outside its time.
    pub prepare: Option<String>,
    /// A shell's line after each run, outside its time.
    pub cleanup: Option<String>,
    /// Runs of the reference before the first that counts.
    pub warmup: u32,
    /// Whether to sample the nodes of the program's pages.
    pub looks_at_pages: bool,
    /// Whether runs are placed by cpusets where those are available.
    #[serde(default)]
    pub cpusets: bool,
}

/// A configuration with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ConfigurationResult {
    /// What was run, and its runs.
    #[serde(flatten)]
    pub configuration: Configuration,
    /// The median of the runs that count, in the objective's unit.
    pub median: Option<f64>,
    /// 95 % interval of the median.
    pub ci95: Option<[f64; 2]>,
    /// Standard deviation over mean, as a fraction.
    pub cv: Option<f64>,
    /// Smallest figure of the runs that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest figure of the runs that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Median of their CPU time in the program, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_s: Option<f64>,
    /// Median of their CPU time in the kernel, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sys_s: Option<f64>,
    /// Two typical figures instead of one.
    pub modes: Option<Modes>,
    /// How many runs failed.
    pub failed: usize,
}

impl ConfigurationResult {
    /// A configuration before its first run.
    pub fn new(configuration: Configuration) -> Self {
        Self {
            configuration,
            median: None,
            ci95: None,
            cv: None,
            min: None,
            max: None,
            user_s: None,
            sys_s: None,
            modes: None,
            failed: 0,
        }
    }

    fn summarise(&mut self, objective: &Objective, summary: Option<Summary>) {
        self.median = summary.map(|summary| summary.median);
        self.ci95 = summary.and_then(|summary| summary.ci95);
        self.cv = summary.and_then(|summary| summary.cv);
        let successes = || self.configuration.successes();
        let figures = || successes().filter_map(|run| objective.figure(run));
        self.min = figures().reduce(f64::min);
        self.max = figures().reduce(f64::max);
        self.user_s = median(successes().map(|run| run.used.user_s));
        self.sys_s = median(successes().map(|run| run.used.sys_s));
        self.failed = self.configuration.failures().count();
    }
}

impl Sweep {
    /// Medians, intervals and spreads, which decide when a sweep stops.
    pub(crate) fn summarise(&mut self) {
        let trials = self.trials();
        for (at, measured) in self.configurations.iter_mut().enumerate() {
            let summary = trials.summary(at).map(|summary| self.objective.summary(summary));
            measured.summarise(&self.objective, summary);
        }
    }

    pub(crate) fn trials(&self) -> Trials {
        self.objective
            .trials(self.configurations.iter().map(|configuration| &configuration.configuration))
    }

    /// The shell line that runs the program under a configuration: of a recipe, the user's own.
    pub fn run_line(&self, configuration: &Configuration) -> String {
        let own = self.recipe.as_ref().map(|recipe| recipe.started_by_hand(configuration));
        own.as_ref().unwrap_or(configuration).run_line()
    }

    /// Runs of all configurations.
    pub fn runs(&self) -> usize {
        self.configurations.iter().map(|configuration| configuration.configuration.runs.len()).sum()
    }

    /// How many blocks have begun.
    pub fn blocks(&self) -> u32 {
        let runs =
            self.configurations.iter().flat_map(|configuration| &configuration.configuration.runs);
        runs.map(|run| run.block.saturating_add(1)).max().unwrap_or(0)
    }
}
