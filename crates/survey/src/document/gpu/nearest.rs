//! To which node each GPU is nearest.

use nearfar_infer::{AccessDesign, InferError, NearestNode, NearestVerdict, SampleMatrix};
use serde::{Deserialize, Serialize};

use super::super::placement::{
    PlacedTreatment, PlacementFactor, THRESHOLD, accesses, design, placed_cells,
};
use super::{Gpu, GpuCopy, GpuFacts};
use crate::TreatmentMatrix;

/// The node that is nearest to a GPU, by its copies alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GpuNearest {
    /// The GPU's label.
    pub gpu: String,
    /// Its PCI address; null if unknown.
    pub address: Option<String>,
    /// The decision, and the nearest nodes.
    #[serde(flatten)]
    pub nearest: NearestNode,
    /// The copy that the ratio is of; null without one.
    pub copy: Option<GpuCopy>,
    /// What was varied in it: the node of the memory, or of the program; null without a ratio.
    pub factor: Option<PlacementFactor>,
    /// Whether the node in sysfs is among the nearest; null if there is none, or undecided.
    pub kernel_is_right: Option<bool>,
    /// Whether the driver's node is among the nearest; null if it names none, or undecided.
    pub driver_is_right: Option<bool>,
}

/// A kind of copy that shows where a GPU is.
struct CopyKind<'s> {
    copy: GpuCopy,
    factor: PlacementFactor,
    design: AccessDesign<'s>,
}

impl Gpu {
    /// The verdict on each GPU; `None` without samples.
    ///
    /// Copies of pinned memory show it by the memory's node, and latencies by the program's node,
    /// too. Pageable memory passes through memory of the driver, so that it shows nothing.
    pub(super) fn find_nearest(&self, seed: u64) -> Result<Option<Vec<GpuNearest>>, InferError> {
        let rates = self.bandwidth.as_ref().map(|table| samples(&table.part)).transpose()?;
        let latencies = self.latency.as_ref().map(|table| samples(&table.part)).transpose()?;
        let (rates, latencies) = (rates.flatten(), latencies.flatten());
        if rates.is_none() && latencies.is_none() {
            return Ok(None);
        }
        let of_gpu = |gpu: &GpuFacts| {
            let mut kinds = Vec::new();
            if let Some((table, samples)) = self.bandwidth.as_ref().zip(rates.as_ref()) {
                kinds.extend(kinds_of(&table.part, samples, gpu, PlacementFactor::Buffer));
            }
            if let Some((table, samples)) = self.latency.as_ref().zip(latencies.as_ref()) {
                kinds.extend(kinds_of(&table.part, samples, gpu, PlacementFactor::Buffer));
                kinds.extend(kinds_of(&table.part, samples, gpu, PlacementFactor::Program));
            }
            GpuNearest::new(gpu, &kinds, seed)
        };
        Ok(Some(self.gpus.iter().map(of_gpu).collect()))
    }
}

fn samples<T: PlacedTreatment>(
    part: &TreatmentMatrix<T>,
) -> Result<Option<SampleMatrix>, InferError> {
    part.samples.as_ref().map(|samples| samples.readings(part.shape())).transpose()
}

fn kinds_of<'s, T: PlacedTreatment<Access = GpuCopy>>(
    part: &TreatmentMatrix<T>,
    samples: &'s SampleMatrix,
    gpu: &GpuFacts,
    factor: PlacementFactor,
) -> Vec<CopyKind<'s>> {
    let cells = placed_cells(part, part.shape());
    let copies = accesses(&cells)
        .into_iter()
        .filter(|copy| copy.is_pinned() && copy.gpus.contains(&gpu.label));
    let kind = |copy: GpuCopy| {
        let cells = design(&cells, &copy);
        let design = AccessDesign { samples, cells, factor: factor as usize };
        CopyKind { copy, factor, design }
    };
    copies.map(kind).collect()
}

impl GpuNearest {
    fn new(gpu: &GpuFacts, kinds: &[CopyKind<'_>], seed: u64) -> Self {
        let designs: Vec<AccessDesign<'_>> = kinds.iter().map(|kind| kind.design.clone()).collect();
        let nearest = nearfar_infer::nearest_node(&designs, THRESHOLD, seed);
        let kind = nearest.kind.and_then(|kind| kinds.get(kind));
        let is_decided = nearest.verdict == NearestVerdict::Nearest;
        let is_near =
            |node: Option<u32>| Some(nearest.nodes.contains(&node?)).filter(|_| is_decided);
        Self {
            gpu: gpu.label.clone(),
            address: gpu.address.clone(),
            copy: kind.map(|kind| kind.copy.clone()),
            factor: kind.map(|kind| kind.factor),
            kernel_is_right: is_near(gpu.kernel_node.map(|node| node.0)),
            driver_is_right: is_near(gpu.driver_node.and_then(|node| u32::try_from(node).ok())),
            nearest,
        }
    }
}
