//! Findings of a sweep: each answer that deserves a sentence, with its figures.

use nearfar_infer::trials::predictors::Predictor;
use nearfar_infer::trials::{Law, Modes};
use serde::{Deserialize, Serialize};

use super::{IrqGain, PredictorFigure, SmtGain};

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SweepFinding {
    /// One has the best median, and there are too few runs to compare it with the others.
    TooFewRuns {
        /// Which.
        best: BestConfiguration,
    },
    /// Only one ran.
    NothingToCompare {
        /// Which.
        best: BestConfiguration,
    },
    /// No other is distinguishable from the best.
    AllAlike {
        /// Which has the best median.
        best: BestConfiguration,
        /// Whether others are distinguishable from each other.
        others_differ: bool,
    },
    /// One is the fastest, or the best where a program's own figure counts.
    Fastest {
        /// Which.
        best: BestConfiguration,
        /// How far it is ahead of the reference; null where it is the reference, or too close.
        ahead: Option<Lead>,
        /// Those that are not distinguishable from it.
        ties: Vec<String>,
    },
    /// Runs of one vary least.
    VariesLeast {
        /// Which.
        id: String,
        /// Standard deviation over mean, as a fraction.
        cv: f64,
        /// The fastest; null where it is the fastest itself.
        fastest: Option<RunVariability>,
        /// Whether that is beyond chance.
        real: bool,
    },
    /// One has two typical figures.
    Bimodal {
        /// Which.
        id: String,
        /// The two.
        modes: Modes,
        /// The figure that goes with them most clearly.
        goes_with: Option<Predictor<PredictorFigure>>,
        /// Whether there are enough runs to find such a figure.
        #[serde(rename = "can_tell")]
        enough_runs: bool,
    },
    /// Too few runs to decide where more jobs stop paying.
    #[serde(rename = "jobs-untold")]
    JobsUndetermined {
        /// The placement and variables.
        of: String,
    },
    /// How far more jobs pay.
    JobsPay {
        /// The placement and variables.
        of: String,
        /// More than these do not pay; null where the most pay.
        until: Option<u32>,
        /// The most that were tried.
        most: usize,
        /// The law that fits. Its peak stands here only where it is near to what was tried.
        law: Option<Law>,
    },
    /// What hardware threads gain under one placement.
    Smt {
        /// The placement, variables and other settings.
        of: String,
        /// By jobs.
        gains: Vec<SmtGain>,
    },
    /// What interrupts near their device gain under one placement.
    Irq {
        /// The placement, variables and other settings.
        of: String,
        /// The device.
        device: String,
        /// By jobs.
        gains: Vec<IrqGain>,
    },
    /// The device had hardly any interrupts during runs: where they run is without effect.
    IrqIdle {
        /// The device.
        device: String,
        /// Interrupts in a second of runs.
        per_second: f64,
    },
    /// Interrupts did not run where they were set.
    IrqElsewhere {
        /// The device.
        device: String,
        /// Such runs.
        runs: usize,
        /// All runs whose interrupts were counted.
        counted: usize,
    },
    /// Interrupts of runs could not be counted: where they ran is unknown.
    IrqUncounted {
        /// The device.
        device: String,
        /// Such runs.
        runs: usize,
    },
    /// irqbalance may have moved interrupts.
    Irqbalance {
        /// The device.
        device: String,
        /// The interrupts.
        interrupts: Vec<u32>,
    },
    /// Runs failed.
    RunsFailed {
        /// Those with runs that failed.
        all: Vec<FailureCount>,
    },
    /// The machine drifted.
    Drifted {
        /// The reference, which shows it.
        reference: String,
        /// From the first to the last block, as a fraction.
        change: f64,
    },
    /// The reference always fails, so that drift could not be watched.
    DriftUnwatched {
        /// The reference.
        reference: String,
    },
    /// Other programs were running.
    Load {
        /// Programs that ran or wanted to, on average.
        load: f64,
        /// CPUs that could be used.
        cpus: usize,
    },
    /// Looking at its pages slowed a configuration: a run was repeated without, and later ones were
    /// not looked at.
    SlowedByLooks {
        /// Which.
        id: String,
        /// The time of the looks in that of the run, as a fraction.
        share: f64,
    },
    /// Runs vary so much that differences may be missed.
    Scattered {
        /// The configuration whose runs vary most.
        id: String,
        /// Standard deviation over mean, as a fraction.
        cv: f64,
    },
}

/// The configuration with the best median of those that failed least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BestConfiguration {
    /// Which, and its failures.
    #[serde(flatten)]
    pub failures: FailureCount,
    /// Whether another has a better median, and failed more often.
    pub others_failed_more: bool,
}

/// How often a configuration failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FailureCount {
    /// Which.
    pub id: String,
    /// Runs that failed.
    pub failed: usize,
    /// All its runs.
    pub runs: usize,
}

/// How far the best is ahead of the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Lead {
    /// The reference.
    pub of: String,
    /// How much less time, or how much more of what is better, as a fraction.
    pub gain: f64,
    /// Whether that is beyond chance.
    pub real: bool,
}

/// How much a configuration's runs vary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunVariability {
    /// Which.
    pub id: String,
    /// Standard deviation over mean, as a fraction.
    pub cv: f64,
}
