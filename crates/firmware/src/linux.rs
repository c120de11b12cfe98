//! Linux's NUMA decisions: predicted from firmware's tables, and observed on a machine.
//!
//! Both answers should be the same:
//!
//! - [`predict`]: Linux's decision, rule by rule, from the tables, the memory map, the CPUs, the
//!   command line and the kernel's version ([`PredictionInput`]). A [`Prediction`] lists each
//!   [`KernelCause`] with the table entry, the kernel's message and the source file that prints it.
//!   Suspicious data that the kernel accepts is a [`KernelDoubt`].
//! - [`ObservedNuma`]: the result on a machine: sysfs, the command line and the kernel's log
//!   ([`KernelLog`]).
//!
//! [`KernelCause::code`] and [`LogEventKind::code`] use the same codes, so that prediction and
//! observation can be compared. Codes are never renamed, because documents contain them.
//!
//! Sources: Linux 6.1.192, 6.12.117 and 7.x, `drivers/acpi/numa`, `arch/x86/mm`,
//! `mm/numa_memblks.c`, `drivers/base/arch_numa.c`, `drivers/of/of_numa.c`. The rules are compared
//! with logs of real kernels (tests/it).
//!
//! ```
//! use nearfar_firmware::Firmware;
//! use nearfar_firmware::linux::{Architecture, PredictionInput, NumaOutcome, predict};
//!
//! let firmware = Firmware::default();
//! let prediction = predict(&PredictionInput::new(&firmware, Architecture::X86));
//! assert_eq!(prediction.outcome, NumaOutcome::Withheld);
//! assert_eq!(prediction.causes[0].code, "no-srat");
//! assert_eq!(prediction.causes[0].message.as_deref(), Some("No NUMA configuration found"));
//! ```

mod command_line;
pub mod log;
mod memory_map;
mod observed;
mod parameters;
mod prediction;
mod prediction_input;
mod rules;

use std::fmt;

use serde::{Serialize, Serializer};

use crate::acpi::HexBytes;

pub use command_line::{CommandLine, Emulation};
pub use log::{KernelLog, LogEvent, LogEventKind};
pub use memory_map::{MapOrigin, MemoryMap, MemoryRange};
pub use observed::{ObservedNode, ObservedNuma, SysfsNodes};
pub use parameters::{KernelParameter, KernelParameters, ParameterReader};
pub use prediction::{DistanceOrigin, HmatUse, NodeRange, NumaOutcome, PredictedNode, Prediction};
pub use prediction_input::{Architecture, PredictionInput, PresentCpu};
pub use rules::predict;
pub(crate) use rules::{invalid_distance, is_known_revision, rejected_entry};

/// Major and minor number of a release: 6.12 of "6.12.117-amd64".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl KernelVersion {
    /// A version from its two numbers.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Parses a release ("6.1.0-28-amd64"), or a whole line with one ("Linux version 6.1.0-28-amd64
    /// (debian..."). `None` for other text.
    ///
    /// # References
    ///
    /// uname(2)
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.split_once("Linux version ").map_or(text, |(_, rest)| rest).trim_start();
        let (major, rest) = text.split_once('.')?;
        let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

/// A current kernel.
impl Default for KernelVersion {
    fn default() -> Self {
        Self::new(6, 12)
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for KernelVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The kind of memory in a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Memory that the kernel may use.
    Ram,
    /// Specific-purpose memory that the kernel reserves (`soft reserved`).
    SpecialPurpose,
    /// Non-volatile memory.
    Persistent,
    /// Anything else, in the kernel's words: "reserved", "ACPI data".
    Other(String),
}

impl MemoryKind {
    /// From the kernel's name: "System RAM" in sysfs, "usable" in the log.
    pub fn from_words(words: &str) -> Self {
        let lower = words.to_ascii_lowercase();
        if lower == "usable" || lower == "system ram" || lower == "conventional memory" {
            Self::Ram
        } else if lower.starts_with("soft reserved") {
            Self::SpecialPurpose
        } else if lower.starts_with("persistent memory") {
            Self::Persistent
        } else {
            Self::Other(words.to_owned())
        }
    }
}

/// Maximum number of bytes that evidence shows.
const MAX_SHOWN_BYTES: usize = 64;

/// One reason why the kernel does not use firmware's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelCause {
    /// Its code in kebab-case, the same for a prediction and for a log line.
    pub code: &'static str,
    /// What is lost because of it.
    pub effect: CauseEffect,
    /// A sentence that describes it.
    pub what: String,
    /// The kernel's message without its timestamp; `None` if the kernel is silent, or a number in
    /// it is unknown.
    pub message: Option<String>,
    /// Source file and function in Linux.
    pub linux_source: &'static str,
    /// Differences between versions of Linux, if there are any.
    pub versions: Option<&'static str>,
    /// The table entries at fault; empty if something is missing.
    pub evidence: Vec<TableEvidence>,
}

/// What is lost because of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseEffect {
    /// All nodes: all memory becomes one node.
    Numa,
    /// The distances: the kernel uses 10 and 20.
    Distances,
    /// Latencies and bandwidths: no `access0`, no tiers.
    Hmat,
    /// The CPUs' nodes: the kernel assigns them round-robin.
    CpuPlaces,
}

/// Data that the kernel accepts and that is likely wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelDoubt {
    /// Its code in kebab-case.
    pub code: &'static str,
    /// Its description and consequence, in a sentence or two.
    pub what: String,
    /// The table entries it is about.
    pub evidence: Vec<TableEvidence>,
}

/// A position in a table, and the bytes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableEvidence {
    /// The table: "SRAT", "SLIT", "device tree".
    pub table: String,
    /// Path of its file, or in the device tree.
    pub path: String,
    /// Offset in bytes from the start of the table; `None` in a device tree.
    pub offset: Option<usize>,
    /// The bytes there, at most 64.
    pub bytes: HexBytes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_version_lines_are_parsed() {
        assert_eq!(KernelVersion::parse("6.1.0-28-amd64"), Some(KernelVersion::new(6, 1)));
        assert_eq!(
            KernelVersion::parse("Linux version 6.12.117 (gcc)"),
            Some(KernelVersion::new(6, 12))
        );
        assert_eq!(KernelVersion::parse("7.0-rc1"), Some(KernelVersion::new(7, 0)));
        assert_eq!(KernelVersion::parse("six"), None);
        assert_eq!(KernelVersion::parse("99999999999.1"), None);
        assert!(KernelVersion::new(6, 9) < KernelVersion::new(6, 12));
    }
}
