//! GPUs: rates and latencies of copies between every node's memory and every GPU, and between GPUs.

mod facts;
mod nearest;
mod tables;
#[cfg(test)]
mod tests;
mod treatments;

use nearfar_infer::InferError;
use nearfar_model::CellIndex;
use nearfar_probe::gpu::GpuSetup;
use nearfar_probe::{Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use super::streamed;
use crate::InstrumentTable;

pub use facts::{GpuDriverFacts, GpuFacts};
pub use nearest::GpuNearest;
pub use tables::GpuTable;
pub use treatments::{CopyTreatment, GpuCopy, GpuLatencyCopy, GpuRateCopy};

/// The figures of one instrument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Gpu {
    /// The driver.
    pub driver: GpuDriverFacts,
    /// The GPUs that were measured, in the driver's order.
    pub gpus: Vec<GpuFacts>,
    /// The least time that a visit copied for, in milliseconds.
    pub window_ms: f64,
    /// Bytes a second between memory and GPUs: rows are programs, columns are nodes of memory. Null
    /// where it was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub bandwidth: Option<GpuTable<GpuRateCopy>>,
    /// Nanoseconds of small copies, likewise.
    #[serde(default, deserialize_with = "streamed::part")]
    pub latency: Option<GpuTable<GpuLatencyCopy>>,
    /// Bytes a second from GPU to GPU, in one row and one column. Null with one GPU, and where it
    /// was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub peer_bandwidth: Option<GpuTable<GpuRateCopy>>,
    /// Nanoseconds of small copies from GPU to GPU, likewise.
    #[serde(default, deserialize_with = "streamed::part")]
    pub peer_latency: Option<GpuTable<GpuLatencyCopy>>,
    /// To which node each GPU is nearest.
    pub verdicts: Vec<GpuNearest>,
}

/// What was measured of GPUs.
pub struct GpuMeasured<'a> {
    /// The driver.
    pub driver: &'a GpuDriverFacts,
    /// The GPUs.
    pub gpus: &'a [GpuFacts],
    /// Rates, where they were measured.
    pub bandwidth: Option<GpuPlanRun<'a>>,
    /// Latencies, likewise.
    pub latency: Option<GpuPlanRun<'a>>,
    /// Rates between GPUs, likewise.
    pub peer_bandwidth: Option<GpuPlanRun<'a>>,
    /// Latencies between GPUs, likewise.
    pub peer_latency: Option<GpuPlanRun<'a>>,
}

/// What one plan measured.
pub struct GpuPlanRun<'a> {
    /// The rows and columns.
    pub layout: &'a Layout,
    /// What was measured.
    pub outcome: &'a PlanOutcome,
    /// What was visited, without controls.
    pub visited: &'a [CellIndex],
    /// The workers' setup.
    pub setup: &'a GpuSetup,
}

impl Gpu {
    /// The part before its figures.
    pub fn new(measured: &GpuMeasured<'_>) -> Self {
        let window = measured.bandwidth.iter().chain(&measured.latency).map(|run| run.setup.window);
        Self {
            driver: measured.driver.clone(),
            gpus: measured.gpus.to_vec(),
            window_ms: window.max().unwrap_or_default().as_secs_f64() * 1e3,
            bandwidth: measured.bandwidth.as_ref().map(GpuTable::new),
            latency: measured.latency.as_ref().map(GpuTable::new),
            peer_bandwidth: measured.peer_bandwidth.as_ref().map(GpuTable::new),
            peer_latency: measured.peer_latency.as_ref().map(GpuTable::new),
            verdicts: vec![],
        }
    }

    fn rates(&self) -> impl Iterator<Item = &GpuTable<GpuRateCopy>> {
        self.bandwidth.iter().chain(&self.peer_bandwidth)
    }

    fn latencies(&self) -> impl Iterator<Item = &GpuTable<GpuLatencyCopy>> {
        self.latency.iter().chain(&self.peer_latency)
    }
}

impl InstrumentPart for Gpu {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        let gpus = &self.gpus;
        // GPUs that copy together may be on several nodes.
        let kernel_node = |copy: &GpuCopy| {
            let of_label = |label: &String| gpus.iter().find(|gpu| gpu.label == *label);
            let nodes = copy.gpus.iter().map(|label| of_label(label)?.kernel_node);
            nodes.reduce(|a, b| a.filter(|_| a == b))?
        };
        for table in self.bandwidth.iter_mut().chain(&mut self.peer_bandwidth) {
            table.judge(kernel_node, seed)?;
        }
        for table in self.latency.iter_mut().chain(&mut self.peer_latency) {
            table.judge(kernel_node, seed)?;
        }
        if let Some(verdicts) = self.find_nearest(seed)? {
            self.verdicts = verdicts;
        }
        Ok(())
    }

    fn strip_samples(&mut self) {
        let rates = self.bandwidth.iter_mut().chain(&mut self.peer_bandwidth);
        rates.for_each(|table| table.part.samples = None);
        let latencies = self.latency.iter_mut().chain(&mut self.peer_latency);
        latencies.for_each(|table| table.part.samples = None);
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        let rates = self.rates().map(|table| table.part.table(|_| true));
        rates.chain(self.latencies().map(|table| table.part.table(|_| true))).collect()
    }
}
