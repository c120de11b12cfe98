//! CPUs that a file names, or why there are none.

use nearfar_machine::interrupts::FileValue;
use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

/// CPUs of one of the kernel's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum CpuFact {
    /// The file names these; empty: none.
    Cpus {
        /// The CPUs.
        #[schemars(with = "String")]
        cpus: CpuSet,
    },
    /// The file exists, and is not readable.
    NotReadable,
    /// The file does not exist.
    Absent,
    /// The file's text is no set of CPUs.
    Malformed {
        /// The text, at most 40 characters.
        text: String,
    },
}

impl CpuFact {
    /// The CPUs, if the file names them.
    pub fn cpus(&self) -> Option<&CpuSet> {
        match self {
            Self::Cpus { cpus } => Some(cpus),
            Self::NotReadable | Self::Absent | Self::Malformed { .. } => None,
        }
    }
}

impl From<&FileValue<CpuSet>> for CpuFact {
    fn from(value: &FileValue<CpuSet>) -> Self {
        match value {
            FileValue::Value(cpus) => Self::Cpus { cpus: cpus.clone() },
            FileValue::NotReadable => Self::NotReadable,
            FileValue::Absent => Self::Absent,
            FileValue::Malformed(text) => Self::Malformed { text: text.clone() },
        }
    }
}
