//! The targets, and what is done to them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nearfar_model::{Bytes, CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use super::IoEngine;
use super::target_file::FileIdentity;
use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::worker::station::{WorkSetup, sound};

/// The order of accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessPattern {
    /// Blocks anywhere in the target.
    #[default]
    Random,
    /// One block after another.
    Sequential,
}

impl AccessPattern {
    /// Its name in options and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Sequential => "sequential",
        }
    }
}

/// What is done to a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IoOperation {
    /// It is read.
    #[default]
    Read,
    /// It is overwritten: only in files that nearfar made.
    Write,
}

impl IoOperation {
    /// Its name in options and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// One way to access a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IoWorkload {
    /// What is done.
    pub operation: IoOperation,
    /// The number of accesses in flight.
    pub depth: u32,
    /// The size of an access.
    pub size: Bytes,
    /// Their order.
    pub pattern: AccessPattern,
}

/// The CPUs that an interrupt is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptPlace {
    /// The kernel's number.
    pub number: u32,
    /// The CPUs.
    pub cpus: CpuSet,
}

/// Where all interrupts of a target are set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptPlaces {
    /// The name in documents: "near" or "far".
    pub name: String,
    /// Each interrupt.
    pub interrupts: Vec<InterruptPlace>,
}

/// A file or a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoTarget {
    /// Its path.
    pub path: PathBuf,
    /// How it is opened, where not by its path: a file without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<PathBuf>,
    /// Which file it is: another one of its name is not touched.
    pub identity: FileIdentity,
    /// The bytes that accesses stay within.
    pub bytes: Bytes,
    /// The kernel names of the disks that hold it; empty if unknown.
    pub disks: Vec<String>,
    /// The interrupts of its disks; empty if unknown.
    pub interrupts: Vec<u32>,
    /// Settings of interrupts that treatments choose from.
    pub interrupt_places: Vec<InterruptPlaces>,
}

impl IoTarget {
    /// The path by which it is opened.
    pub fn opened_by(&self) -> &Path {
        self.opened_by.as_ref().unwrap_or(&self.path)
    }
}

/// A target, what is done to it, and where its interrupts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IoTreatment {
    /// Index of the target.
    pub target: usize,
    /// What is done to it.
    pub workload: IoWorkload,
    /// Index of the setting of its interrupts; `None`: they stay.
    pub interrupts: Option<usize>,
    /// Whether this is a control: the same as another treatment.
    pub again: bool,
}

/// CPUs, buffers and targets: rows are CPU groups, columns are nodes of buffers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoSetup {
    /// The candidates of each row, one of them drawn per process.
    pub rows: Vec<CpuSet>,
    /// The memory of buffers.
    pub memories: Vec<MemoryJob>,
    /// Files and disks.
    pub targets: Vec<IoTarget>,
    /// The combinations that cells are visited with.
    pub treatments: Vec<IoTreatment>,
    /// How accesses are handed to the kernel.
    pub engine: IoEngine,
    /// The length of a visit, unless few accesses end within it.
    pub window: Duration,
}

/// The most accesses in flight, and the largest access.
pub(super) const MAX_DEPTH: u32 = 1024;
const LARGEST: Bytes = Bytes::mib(64);
/// The smallest unit of direct I/O.
const SECTOR: u64 = 512;

impl IoWorkload {
    /// The memory that all accesses in flight need.
    pub fn footprint(&self) -> Bytes {
        Bytes(self.size.0.saturating_mul(u64::from(self.depth)))
    }

    /// Why this is impossible; `None` if it is possible.
    pub fn why_not(&self) -> Option<String> {
        if !(1..=MAX_DEPTH).contains(&self.depth) {
            return Some(format!("a depth of {} is not between 1 and {MAX_DEPTH}", self.depth));
        }
        if self.size.0 < SECTOR || self.size > LARGEST || self.size.0 % SECTOR != 0 {
            return Some(format!(
                "{} bytes an access are not a multiple of {SECTOR} up to {LARGEST}",
                self.size.0
            ));
        }
        None
    }
}

impl WorkSetup for IoSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape {
            rows: self.rows.len(),
            columns: self.memories.len(),
            treatments: self.treatments.len(),
        }
    }

    fn check(&self) -> Result<(), ProbeError> {
        let is_sound = |treatment: &IoTreatment| {
            let Some(target) = self.targets.get(treatment.target) else { return false };
            let places = target.interrupt_places.len();
            treatment.workload.why_not().is_none()
                && treatment.workload.footprint() <= target.bytes
                && treatment.interrupts.is_none_or(|place| place < places)
        };
        sound(
            self.treatments.iter().all(is_sound),
            "accesses that no disk takes, or that its target is too small for",
        )
    }
}

impl IoSetup {
    /// The memory of one node's buffer: for the largest workload.
    pub fn footprint(&self) -> Bytes {
        let footprints = self.treatments.iter().map(|treatment| treatment.workload.footprint());
        footprints.max().unwrap_or(Bytes(0))
    }

    pub(super) fn depth(&self) -> u32 {
        let depths = self.treatments.iter().map(|treatment| treatment.workload.depth);
        depths.max().unwrap_or(1)
    }

    /// Whether a target is overwritten.
    pub(super) fn is_written(&self, target: usize) -> bool {
        self.treatments.iter().any(|treatment| {
            treatment.target == target && treatment.workload.operation == IoOperation::Write
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_workloads_are_refused() {
        let workload = IoWorkload {
            operation: IoOperation::Read,
            depth: 32,
            size: Bytes::kib(128),
            pattern: AccessPattern::Random,
        };
        assert_eq!(workload.why_not(), None);
        assert_eq!(workload.footprint(), Bytes::mib(4));
        let reasons = [
            IoWorkload { depth: 0, ..workload },
            IoWorkload { depth: MAX_DEPTH + 1, ..workload },
            IoWorkload { size: Bytes(0), ..workload },
            IoWorkload { size: Bytes(700), ..workload },
            IoWorkload { size: Bytes::gib(1), ..workload },
        ];
        for workload in reasons {
            assert!(workload.why_not().is_some(), "{workload:?}");
        }
    }
}
