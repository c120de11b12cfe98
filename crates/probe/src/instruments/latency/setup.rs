//! Which CPUs access which memory, and with which probe.

use nearfar_model::{CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use crate::layout_column::LayoutColumn;
use crate::probe_error::ProbeError;
use crate::worker::station::WorkSetup;

/// Who measures what: the same for every process of a survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencySetup {
    /// Each row's candidate CPUs. A process measures on one of them, which its seed draws: so
    /// intervals carry the choice.
    pub rows: Vec<CpuSet>,
    /// Each column's memory.
    pub columns: Vec<LayoutColumn>,
    /// CPUs on which a thread spins to keep their package awake.
    pub spinners: CpuSet,
}

impl WorkSetup for LatencySetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape::new(self.rows.len(), self.columns.len())
    }

    fn check(&self) -> Result<(), ProbeError> {
        self.columns.iter().try_for_each(LayoutColumn::check)
    }
}
