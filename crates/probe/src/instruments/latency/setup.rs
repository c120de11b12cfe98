//! Which CPUs access which memory, and with which probe.

use nearfar_model::{Bytes, CpuSet, NodeId, Shape};
use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;
use crate::spec::ProbeSpec;
use crate::worker::station::WorkSetup;

/// Who measures what: the same for every process of a survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Each row's candidate CPUs. A process measures on one of them, which its seed draws: so intervals carry the choice.
    pub rows: Vec<CpuSet>,
    /// Each column's memory.
    pub columns: Vec<ColumnJob>,
    /// CPUs on which a thread spins to keep their package awake.
    pub spinners: CpuSet,
}

impl WorkSetup for Setup {
    fn shape(&self) -> Shape {
        Shape::new(self.rows.len(), self.columns.len())
    }

    fn check(&self) -> Result<(), ProbeError> {
        self.columns.iter().try_for_each(ColumnJob::check)
    }
}

/// One column's memory, and the probe that runs over it. Columns of one survey may have different probes, so that these are
/// compared interleaved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnJob {
    /// The probe.
    pub probe: ProbeSpec,
    /// The node to bind to; none leaves it to the kernel.
    pub node: Option<NodeId>,
    /// How many pages (page probe) or buffers (the others) of the probe's size.
    pub pages: u32,
    /// CPUs to touch the memory from first; empty: wherever the process runs.
    pub touch_from: CpuSet,
    /// What is free on the node before anything is placed, if known. Columns on one node share it.
    pub free: Option<Bytes>,
    /// Why this column cannot be measured, where that is known beforehand.
    pub why_not: Option<String>,
}

impl ColumnJob {
    /// The memory that the column takes.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.probe.size.0.saturating_mul(u64::from(self.pages)))
    }

    /// Whether there is memory to measure, and not more than can be counted.
    pub(crate) fn check(&self) -> Result<(), ProbeError> {
        self.probe.check()?;
        let (pages, size) = (self.pages, self.probe.size.0);
        match size.checked_mul(u64::from(pages)) {
            Some(1..) => Ok(()),
            _ => Err(ProbeError::BadJob(format!("a column of {pages} pages of {size} bytes"))),
        }
    }
}
