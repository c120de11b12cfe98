//! The CPUs, the memory that they access, and the probes.

use nearfar_machine::pmu::FillEvents;
use nearfar_model::{CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use crate::layout_column::LayoutColumn;
use crate::probe_error::ProbeError;
use crate::worker::station::WorkSetup;

/// The setup of every process of a survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencySetup {
    /// Each row's candidates. A process measures on one of them, drawn from its seed, so that
    /// intervals include the choice.
    pub rows: Vec<CpuSet>,
    /// Each column's memory.
    pub columns: Vec<LayoutColumn>,
    /// CPUs on which a thread spins so that their package stays awake.
    pub spinners: CpuSet,
    /// Events to count during each visit, where they can be counted.
    #[serde(default)]
    pub fills: Option<FillEvents>,
}

impl WorkSetup for LatencySetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape::new(self.rows.len(), self.columns.len())
    }

    fn check(&self) -> Result<(), ProbeError> {
        self.columns.iter().try_for_each(LayoutColumn::check)
    }
}
