//! The figures of one kind of copy: by the program's CPUs, the memory's node, and the GPUs.

use nearfar_infer::InferError;
use serde::{Deserialize, Serialize};

use super::GpuPlanRun;
use super::treatments::{CopyTreatment, GpuCopy};
use crate::TreatmentMatrix;

/// Figures by row, column and copy, and what follows from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound(deserialize = "T: serde::de::DeserializeOwned"))]
pub struct GpuTable<T> {
    /// The figures.
    #[serde(flatten)]
    pub part: TreatmentMatrix<T>,
}

impl<T: CopyTreatment> GpuTable<T> {
    pub(super) fn new(run: &GpuPlanRun<'_>) -> Self {
        let treatments = run.setup.treatments.iter();
        let treatments = treatments.map(|one| T::new(GpuCopy::new(run.setup, one))).collect();
        Self { part: TreatmentMatrix::new(run.layout, run.outcome, treatments, run.visited) }
    }

    /// Derives figures and effects. Without samples nothing changes.
    pub(super) fn judge(&mut self, seed: u64) -> Result<(), InferError> {
        self.part.judge(seed)
    }
}
