//! The figures of one kind of copy: by the program's CPUs, the memory's node, and the GPUs.

use nearfar_infer::InferError;
use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use super::super::placement::{CellControl, JudgedPlacement, PlacementEffect};
use super::GpuPlanRun;
use super::{CopyTreatment, GpuCopy};
use crate::TreatmentMatrix;

/// Figures by row, column and copy, and what follows from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(bound(deserialize = "T: serde::de::DeserializeOwned"))]
pub struct GpuTable<T> {
    /// The figures.
    #[serde(flatten)]
    pub part: TreatmentMatrix<T>,
    /// What the node of the program and the node of its memory cost.
    pub factors: Vec<PlacementEffect<GpuCopy>>,
    /// Cells that were measured twice.
    pub controls: Vec<CellControl>,
}

impl<T: CopyTreatment> GpuTable<T> {
    pub(super) fn new(run: &GpuPlanRun<'_>) -> Self {
        let treatments = run.setup.treatments.iter();
        let treatments =
            treatments.map(|treatment| T::new(GpuCopy::new(run.setup, treatment))).collect();
        let part = TreatmentMatrix::new(run.layout, run.outcome, treatments, run.visited);
        Self { part, factors: vec![], controls: vec![] }
    }

    /// Derives figures, effects and controls. Effects are compared with the node of the copy's GPU
    /// that the kernel names. Without samples nothing changes.
    pub(super) fn judge(
        &mut self,
        kernel_node: impl Fn(&GpuCopy) -> Option<NodeId>,
        seed: u64,
    ) -> Result<(), InferError> {
        self.part.judge(seed)?;
        if let Some(judged) = JudgedPlacement::new(&self.part, kernel_node, seed)? {
            (self.factors, self.controls) = (judged.effects, judged.controls);
        }
        Ok(())
    }
}
