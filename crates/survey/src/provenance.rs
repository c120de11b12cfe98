//! How a survey came about: enough to repeat it.

use nearfar_model::{CpuSet, NodeSet};
use nearfar_probe::PlanLimits;
use serde::{Deserialize, Serialize};

/// Version, seed, time and effort of a survey.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Provenance {
    /// nearfar's version.
    pub version: String,
    /// The seed of every random choice: order, pages, cycles, resamples.
    pub seed: u64,
    /// When it began, UTC (RFC 3339).
    pub started: String,
    /// How long it took.
    pub duration_s: f64,
    /// Freshly started worker processes.
    pub processes: u32,
    /// Rounds: visits to every cell.
    pub rounds: u32,
    /// Why it stopped: "precise", "round-limit", "time-limit", "nothing-to-measure" or
    /// "interrupted".
    pub stopped: String,
    /// The time limit of `--budget`. Null where it was not limited.
    #[serde(default)]
    pub budget_s: Option<f64>,
    /// What each instrument did, where several measured. `processes`, `rounds` and `stopped` above
    /// are then the first one's.
    #[serde(default)]
    pub instruments: Vec<InstrumentRun>,
    /// Instruments that were to measure and did not, or not to their end.
    #[serde(default)]
    pub left_out: Vec<Skipped>,
    /// The options.
    pub options: Options,
}

impl Provenance {
    /// What stands for the time of a document whose samples were replayed.
    pub const REPLAYED: &str = "replayed, not measured";

    /// Whether its samples were replayed, not measured.
    pub fn is_replayed(&self) -> bool {
        self.started == Self::REPLAYED
    }
}

/// What one of several instruments did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct InstrumentRun {
    /// Its name.
    pub instrument: String,
    /// Freshly started worker processes.
    pub processes: u32,
    /// Rounds, over all its plans.
    pub rounds: u32,
    /// How long it measured.
    pub duration_s: f64,
    /// Why its last plan stopped.
    pub stopped: String,
    /// The worst standard error of its figures, as a fraction. Null while it is unknown.
    pub standard_error: Option<f64>,
    /// The standard error that it aims at, as a fraction.
    pub aim: f64,
}

/// An instrument that did not measure, or not to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Skipped {
    /// Its name.
    pub instrument: String,
    /// The shortest time that it needs, where the budget left too little.
    pub needs_s: Option<f64>,
    /// Why it failed, where it did.
    pub why: Option<String>,
}

impl Skipped {
    /// One that could not measure.
    pub fn because(instrument: &str, why: String) -> Self {
        Self { instrument: instrument.to_owned(), needs_s: None, why: Some(why) }
    }
}

/// How much effort a survey makes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Standard error 1 %, at most 25 rounds.
    Quick,
    /// Standard error 0.5 %, at most 60 rounds.
    #[default]
    Default,
    /// Standard error 0.25 %, at most 240 rounds.
    Thorough,
}

impl Mode {
    /// When its plan stops.
    pub const fn limits(self) -> PlanLimits {
        match self {
            Self::Quick => PlanLimits::quick(),
            Self::Default => PlanLimits::usual(),
            Self::Thorough => PlanLimits::thorough(),
        }
    }

    /// The standard error, as a fraction of the median, at which every cell is precise enough.
    pub const fn standard_error(self) -> f64 {
        self.limits().standard_error
    }
}

/// What the user asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Options {
    /// The effort.
    pub mode: Mode,
    /// What a row is: "auto", "core", "group" or "node".
    pub rows: String,
    /// The requested CPUs; null for all allowed ones.
    #[schemars(with = "Option<String>")]
    pub cpus: Option<CpuSet>,
    /// The requested nodes; null for all allowed ones.
    #[schemars(with = "Option<String>")]
    pub nodes: Option<NodeSet>,
    /// Memory of one sample.
    pub size_bytes: u64,
    /// Accesses of one sample.
    pub accesses: u64,
}
