//! GPUs: rates and latencies of copies between every node's memory and every GPU, and between GPUs.

mod tables;
#[cfg(test)]
mod tests;

use nearfar_infer::{AccessDesign, InferError, NearestNode, NearestVerdict, SampleMatrix};
use nearfar_model::{CellIndex, Instrument, NodeId};
use nearfar_probe::gpu::{CopyRoute, GpuInventory, GpuSetup, GpuTreatment};
use nearfar_probe::{Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use super::placement::{
    PlacedAccess, PlacedTreatment, PlacementFactor, THRESHOLD, accesses, design, placed_cells,
    placed_treatments,
};
use super::streamed;
use crate::{InstrumentTable, TreatmentMatrix};

pub use tables::GpuTable;

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

/// One kind of copy.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct GpuCopy {
    /// Labels of the GPUs that copy at once; of a copy between GPUs, the source.
    pub gpus: Vec<String>,
    /// "to-device", "from-device" or "both"; "peer" of a copy between GPUs.
    pub direction: String,
    /// The host's memory: "pinned" (registered with the driver) or "pageable"; null of a copy
    /// between GPUs.
    pub memory: Option<String>,
    /// The label of the GPU that a copy between GPUs goes to; null of all others.
    pub peer: Option<String>,
    /// Bytes of a copy; of several GPUs, or both ways, of each.
    pub size_bytes: u64,
    /// "again" of a control, which repeats a cell; null of all others.
    pub control: Option<String>,
}

impl GpuCopy {
    fn new(setup: &GpuSetup, treatment: &GpuTreatment) -> Self {
        let label = |gpu: &usize| setup.gpus[*gpu].label.clone();
        let size_bytes = treatment.size.0;
        let control = treatment.again.then(|| "again".to_owned());
        match &treatment.route {
            CopyRoute::Host { gpus, direction, memory } => Self {
                gpus: gpus.iter().map(label).collect(),
                direction: direction.name().to_owned(),
                memory: Some(memory.name().to_owned()),
                peer: None,
                size_bytes,
                control,
            },
            CopyRoute::Peer { from, to } => Self {
                gpus: vec![label(from)],
                direction: "peer".to_owned(),
                memory: None,
                peer: Some(label(to)),
                size_bytes,
                control,
            },
        }
    }

    /// Whether the GPU itself accesses the host's memory, so that its node shows.
    pub fn is_pinned(&self) -> bool {
        self.memory.as_deref() == Some("pinned")
    }
}

impl PlacedAccess for GpuCopy {
    const INSTRUMENT: Instrument = Instrument::Gpu;

    fn is_control(&self) -> bool {
        self.control.is_some()
    }

    fn without_control(&self) -> Self {
        Self { control: None, ..self.clone() }
    }
}

placed_treatments! {
    /// A copy whose figure is nanoseconds.
    GpuLatencyCopy(GpuCopy): Nanoseconds;
    /// Copies whose figure is bytes a second.
    GpuRateCopy(GpuCopy): BytesPerSecond;
}

/// A treatment that is a copy.
pub trait CopyTreatment: PlacedTreatment<Access = GpuCopy> {}

impl<T: PlacedTreatment<Access = GpuCopy>> CopyTreatment for T {}

/// The driver, and the program that worked with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GpuDriverFacts {
    /// Its interface: "CUDA" or "HIP".
    pub interface: String,
    /// The version of the interface that it implements.
    pub version: String,
    /// The name that its library was loaded by.
    pub library: String,
    /// The program that loaded it: this program, a copy in memory, or a file.
    pub helper: String,
}

impl GpuDriverFacts {
    /// From the list of its GPUs.
    pub fn new(inventory: &GpuInventory, helper: &str) -> Self {
        Self {
            interface: inventory.api.name().to_owned(),
            version: inventory.version.clone(),
            library: inventory.library.clone(),
            helper: helper.to_owned(),
        }
    }
}

/// A GPU, or a slice of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GpuFacts {
    /// Its label: that of `nearfar devices`, with a number behind a dot for slices of one GPU; its
    /// PCI address where the kernel lists no such device.
    pub label: String,
    /// The driver's number of it.
    pub index: usize,
    /// The driver's name of it.
    pub name: String,
    /// Its PCI address; null if the driver does not report it.
    pub address: Option<String>,
    /// Its memory.
    pub memory_bytes: u64,
    /// Whether it is a slice of a GPU (MIG), which shares the link with others.
    pub is_mig: bool,
    /// The node in sysfs; null if there is none.
    #[schemars(with = "Option<u32>")]
    pub kernel_node: Option<NodeId>,
    /// The node that the driver claims; -1 is none, null that it does not know the question.
    pub driver_node: Option<i32>,
    /// Index of the package near it; null if unknown.
    pub package: Option<u32>,
}

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
    fn find_nearest(&self, seed: u64) -> Result<Option<Vec<GpuNearest>>, InferError> {
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
