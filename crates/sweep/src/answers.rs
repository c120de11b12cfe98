//! What follows from the runs: who is fastest, who is steadiest, what to use.

mod finding;

use std::collections::BTreeMap;

use nearfar_infer::response::Response;
use nearfar_infer::trials::RatioTest;
use nearfar_infer::trials::predictors::Predictor;
use nearfar_infer::trials::scaling::Scaling;
use serde::{Deserialize, Serialize};

pub use finding::{BestConfiguration, FailureCount, Lead, RunVariability, SweepFinding};

use crate::record::SweepRun;

/// All answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Answers {
    /// The configuration with the best median of those that failed least, by its id.
    pub fastest: Option<String>,
    /// Those that are not distinguishable from it.
    pub as_fast: Vec<String>,
    /// The one with the smallest spread of those that failed least; null where there are too few
    /// runs.
    pub steadiest: Option<String>,
    /// How often chance alone makes the steadiest of all this much steadier than the fastest;
    /// than the next steadiest, where it is the fastest itself. Null where there are too few runs.
    pub steadiest_p: Option<f64>,
    /// Those that no other beats in both, speed and variability.
    pub front: Vec<String>,
    /// What differences are taken to: the reference's id.
    pub default: Option<String>,
    /// Each other configuration against the reference.
    pub difference_to_default: BTreeMap<String, RatioTest>,
    /// Two modes, and what differs between them.
    pub bimodal: Vec<Bimodal>,
    /// Curves over jobs, one for everything else that is equal.
    pub scaling: Vec<JobsCurve>,
    /// What hardware threads gain, where the sweep switched them on and off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smt: Vec<SmtGain>,
    /// What interrupts near their device gain, where the sweep ran them near and far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub irq: Vec<IrqGain>,
    /// What remote memory costs the program, of a sweep over doses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// How much of the reference's figures goes up (or down) with the time of the sweep.
    pub drift: Option<ReferenceDrift>,
    /// What deserves a sentence, the most important first.
    pub findings: Vec<SweepFinding>,
    /// The line to use: of the best, where it is faster than the reference or is the reference, and
    /// faster than some other beyond chance.
    pub run_line: Option<String>,
}

/// A configuration with two typical figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bimodal {
    /// Its id.
    pub id: String,
    /// What goes with the modes, the clearest first.
    pub differs: Vec<Predictor<PredictorFigure>>,
}

/// A figure of a run that may go with its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PredictorFigure {
    /// The share of its pages that were remote.
    RemoteShare,
    /// Pages that the kernel moved.
    PagesMigrated,
    /// Pages that were not had from the wanted node.
    NumaMiss,
    /// Page faults without reading from a disk.
    MinorFaults,
    /// Page faults that had to read from a disk.
    MajorFaults,
    /// CPU time in the kernel, in seconds.
    SysS,
}

/// A curve over jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JobsCurve {
    /// Its placement, and variables.
    pub of: String,
    /// (jobs, median) in the objective's unit.
    pub points: Vec<(usize, f64)>,
    /// Where it stops paying, and by which law.
    #[serde(flatten)]
    pub scaling: Scaling,
}

/// A trend of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReferenceDrift {
    /// From the first to the last block, as a fraction.
    pub change: f64,
    /// How often chance alone orders this many runs this well (Kendall).
    pub p: f64,
}

/// Hardware threads on against off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SmtGain {
    /// The placement, variables and other settings that both have.
    pub of: String,
    /// How many jobs ran with hardware threads on.
    pub jobs: usize,
    /// How many ran with them off: as many, unless each had one for each of its CPUs.
    pub jobs_off: usize,
    /// The figure with them on over that with them off; called real over all these pairs.
    #[serde(flatten)]
    pub compared: RatioTest,
}

/// Interrupts near their device against interrupts far from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqGain {
    /// The placement, variables and other settings that both have.
    pub of: String,
    /// How many jobs.
    pub jobs: usize,
    /// The figure with near interrupts over that with far ones; called real over all these pairs.
    #[serde(flatten)]
    pub compared: RatioTest,
}

/// Spreads differ where chance alone makes such a difference less often than this.
const SPREADS_APART: f64 = 0.05;

impl Answers {
    /// Whether the steadiest is so beyond chance.
    pub fn is_really_steadiest(&self) -> bool {
        self.steadiest_p.is_some_and(|p| p < SPREADS_APART)
    }
}

impl PredictorFigure {
    pub(crate) const ALL: [Self; 6] = [
        Self::RemoteShare,
        Self::PagesMigrated,
        Self::NumaMiss,
        Self::MinorFaults,
        Self::MajorFaults,
        Self::SysS,
    ];

    /// A run's figure, where it was recorded.
    pub(crate) fn of(self, run: &SweepRun) -> Option<f64> {
        let count = |pages: Option<u64>| pages.map(|pages| pages as f64);
        match self {
            Self::RemoteShare => run.remote_share,
            Self::PagesMigrated => count(run.allocations.pages_migrated),
            Self::NumaMiss => count(run.allocations.numa_miss),
            Self::MinorFaults => count(Some(run.used.minor_faults)),
            Self::MajorFaults => count(Some(run.used.major_faults)),
            Self::SysS => Some(run.used.sys_s),
        }
    }
}
