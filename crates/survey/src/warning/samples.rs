//! Warnings that samples give.

use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

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
