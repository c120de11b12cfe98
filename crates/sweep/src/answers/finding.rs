//! What is said of a sweep: each answer that deserves a sentence, with its figures.

use nearfar_infer::trials::predictors::Predictor;
use nearfar_infer::trials::{Law, Modes};
use serde::{Deserialize, Serialize};

use super::{SmtGain, Suspect};

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Finding {
    /// One has the best median, and there are too few runs to compare it with the others.
    TooFewRuns {
        /// Which.
        best: Best,
    },
    /// Only one ran.
    NothingToCompare {
        /// Which.
        best: Best,
    },
    /// None of the others can be told from the best.
    AllAlike {
        /// Which has the best median.
        best: Best,
        /// Whether others can be told from each other.
        others_differ: bool,
    },
    /// One is the fastest, or the best where a program's own figure counts.
    Fastest {
        /// Which.
        best: Best,
        /// How far it is ahead of the reference; none where it is the reference, or too close.
        ahead: Option<Ahead>,
        /// Those that cannot be told from it.
        ties: Vec<String>,
    },
    /// Runs of one vary least.
    VariesLeast {
        /// Which.
        id: String,
        /// Standard deviation over mean, as a fraction.
        cv: f64,
        /// The fastest; none where it is the fastest itself.
        fastest: Option<Varies>,
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
        goes_with: Option<Predictor<Suspect>>,
        /// Whether there are runs enough to tell what goes with them.
        can_be_significant: bool,
    },
    /// Too few runs tell where more jobs stop paying.
    JobsUntold {
        /// The placement and variables.
        of: String,
    },
    /// How far more jobs pay.
    JobsPay {
        /// The placement and variables.
        of: String,
        /// More than these do not pay; none where the most pay.
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
    /// Runs failed.
    RunsFailed {
        /// Those with runs that failed.
        all: Vec<Failures>,
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
    /// Runs vary so much that differences may be missed.
    Scattered {
        /// Those of which vary most.
        id: String,
        /// Standard deviation over mean, as a fraction.
        cv: f64,
    },
}

/// The configuration with the best median of those that failed least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Best {
    /// Which, and its failures.
    #[serde(flatten)]
    pub failures: Failures,
    /// Whether another has a better median, and failed more often.
    pub others_failed_more: bool,
}

/// How often a configuration failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// Which.
    pub id: String,
    /// Runs that failed.
    pub failed: usize,
    /// All its runs.
    pub runs: usize,
}

/// How far the best is ahead of the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ahead {
    /// The reference.
    pub of: String,
    /// How much less time, or how much more of what is better, as a fraction.
    pub gain: f64,
    /// Whether that is beyond chance.
    pub real: bool,
}

/// How much a configuration's runs vary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Varies {
    /// Which.
    pub id: String,
    /// Standard deviation over mean, as a fraction.
    pub cv: f64,
}
