//! Warnings are data: what disturbed a measurement. Reports make sentences and remedies of them.

mod cells;
mod code;
mod skipped;

use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

pub use cells::{CellLevels, CellWarning, FillsContradict, Outlier, TwoLevels};
pub use code::WarningCode;
pub use skipped::{NeedsTime, SkippedWarning};

/// One disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Warning {
    /// What it is, with its figures: `code` is a name for scripts, in kebab-case, never renamed.
    #[serde(flatten)]
    pub kind: WarningKind,
    /// The instrument that it disturbed, by its name for users; null where it bears on all.
    #[serde(default)]
    pub instrument: Option<String>,
}

/// What disturbed a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum WarningKind {
    /// The machine's settings and counters.
    Environment(EnvironmentWarning),
    /// An instrument that was to measure and did not.
    Skipped(SkippedWarning),
    /// Cells without a figure, or with one that is not precise.
    Precision(PrecisionWarning),
    /// What samples show.
    Samples(SampleWarning),
    /// An outlier, a cell with two levels, or one whose fills contradict its placement.
    Cell(CellWarning),
}

impl Warning {
    /// Of the whole machine.
    pub(crate) fn for_all(kind: WarningKind) -> Self {
        Self { kind, instrument: None }
    }

    pub(crate) fn new(instrument: &str, kind: WarningKind) -> Self {
        Self { kind, instrument: Some(instrument.to_owned()) }
    }

    /// What it is about.
    pub fn code(&self) -> WarningCode {
        self.kind.code()
    }
}

/// What happened to samples, and to the processes that take them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SampleWarning {
    /// The same memory measured twice differs too often.
    ControlsDiffer {
        /// Controls that differ.
        differing: usize,
        /// All controls.
        pairs: usize,
        /// The largest difference, as a fraction.
        largest: f64,
    },
    /// Samples far above their cell's median.
    Bursts {
        /// How many.
        above: usize,
        /// All samples.
        samples: usize,
        /// They cost more than this many times the median.
        times: f64,
    },
    /// A process that measured was lost.
    ProcessLost {
        /// What became of it.
        note: String,
    },
    /// A message of placing memory.
    Placement {
        /// The message.
        note: String,
    },
    /// CPUs went offline during the run, or left the process's cpuset.
    CpuOffline {
        /// Which.
        #[schemars(with = "String")]
        cpus: CpuSet,
    },
    /// What base pages cost could not be measured.
    PageSizeUnmeasured {
        /// Why not.
        why: String,
    },
    /// Samples were dropped.
    #[serde(untagged)]
    Dropped {
        /// `dropped-REASON`, the reason as cells name it.
        #[schemars(with = "String")]
        code: DroppedCode,
        /// How many.
        dropped: u32,
        /// All attempts.
        attempts: u64,
        /// What is counted.
        counted: Attempts,
    },
}

/// The code of dropped samples: `dropped-` and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DroppedCode {
    reason: String,
}

impl DroppedCode {
    const START: &str = "dropped-";

    /// The code of a reason, by its name in documents.
    pub fn new(reason: &str) -> Self {
        Self { reason: reason.to_owned() }
    }

    /// The reason, by its name in documents.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl From<DroppedCode> for String {
    fn from(code: DroppedCode) -> Self {
        DroppedCode::START.to_owned() + &code.reason
    }
}

impl TryFrom<String> for DroppedCode {
    type Error = &'static str;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        code.strip_prefix(Self::START).map(Self::new).ok_or("it is no code of dropped samples")
    }
}

/// What is counted where samples are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Attempts {
    /// Samples, each in one piece.
    Samples,
    /// Slices of samples, each measured again where it is dropped.
    Slices,
    /// Attempts at a visit.
    Attempts,
}

/// What made, or may make, memory look other than it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum EnvironmentWarning {
    /// A cgroup limits CPU time.
    CpuQuota {
        /// How many CPUs' time it gives.
        cpus: f64,
    },
    /// A cgroup's limit of CPU time stopped programs during the run.
    Throttled {
        /// In this many of its periods.
        periods: u64,
        /// For how long in all; null where the kernel does not report it.
        throttled_us: Option<u64>,
    },
    /// Automatic NUMA balancing moved pages during the run.
    NumaBalancing {
        /// How many.
        pages: u64,
    },
    /// A hypervisor ran others on these CPUs.
    Steal {
        /// Of the CPUs' time, as a fraction.
        share: f64,
    },
    /// Other programs were running.
    Load {
        /// The load of the last minute before the run.
        average: f64,
        /// The machine's CPUs.
        cpus: usize,
    },
    /// The machine is virtual.
    Hypervisor {
        /// Whose guest it is.
        name: String,
        /// The nodes that it shows.
        nodes: usize,
    },
    /// Clocks follow the load with a delay.
    Governor {
        /// The frequency governors.
        governors: Vec<String>,
    },
    /// There are no transparent huge pages.
    ThpOff {
        /// The kernel's setting.
        thp_enabled: String,
    },
}

/// What an instrument's cells lack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PrecisionWarning {
    /// Cells could not be measured.
    CellUnmeasured {
        /// How many, for this reason.
        unmeasured: usize,
        /// All cells.
        cells: usize,
        /// The reason.
        why: String,
    },
    /// Cells are less precise than was aimed at.
    NotPrecise {
        /// Cells whose standard error is above `aim`, or unknown.
        imprecise: usize,
        /// Cells that were to become precise.
        cells: usize,
        /// The standard error that was aimed at, as a fraction.
        aim: f64,
        /// The largest standard error, as a fraction.
        worst: f64,
        /// After this many rounds.
        rounds: u32,
    },
}

impl PrecisionWarning {
    /// Cells that miss the aim: their standard error is above it, or unknown.
    pub fn count(errors: &[Option<f64>], aim: f64) -> usize {
        errors.iter().filter(|error| error.is_none_or(|error| error > aim)).count()
    }

    /// Whether the largest error deserves a warning. A plan judges samples before they are rounded
    /// for the document, which may move a standard error a little above the aim.
    pub(crate) fn is_reported(errors: &[Option<f64>], aim: f64) -> bool {
        const TOLERANCE: f64 = 1.1;
        Self::count(errors, aim * TOLERANCE) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_have_a_code_and_figures() {
        let dropped = SampleWarning::Dropped {
            code: DroppedCode::new("stalled"),
            dropped: 3,
            attempts: 40,
            counted: Attempts::Samples,
        };
        let throttled = EnvironmentWarning::Throttled { periods: 12, throttled_us: None };
        for (warning, code, name) in [
            (
                Warning::new("latency", WarningKind::Samples(dropped)),
                WarningCode::Dropped,
                "dropped-stalled",
            ),
            (
                Warning::for_all(WarningKind::Environment(throttled)),
                WarningCode::Throttled,
                "throttled",
            ),
        ] {
            let document = serde_json::to_value(&warning).unwrap();
            assert_eq!((warning.code(), &document["code"]), (code, &name.into()));
            assert!(name.starts_with(code.name()));
            assert_eq!(serde_json::from_value::<Warning>(document).unwrap(), warning);
        }
    }
}
