//! Disks: latency and throughput by the node of the program, the node of its buffer and where
//! interrupts run; and what each of these costs.

mod tables;
#[cfg(test)]
mod tests;

use nearfar_infer::{FactorVerdict, InferError, TailFigure, tail};
use nearfar_machine::{Disk, HardwareNode, Topology};
use nearfar_model::{CellIndex, DurationCounts, Instrument, NodeId};
use nearfar_probe::io::{EngineChoice, IoRecord, IoSetup, IoTreatment};
use nearfar_probe::{Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use super::placement::{
    INTERRUPT_PLACES, PlacedAccess, PlacedTreatment, PlacementEffect, PlacementFactor,
    placed_treatments,
};
use super::streamed;
use crate::InstrumentTable;

pub use tables::{IoServed, IoTable};

/// The figures of one instrument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Io {
    /// The files and disks, in the order of the command.
    pub targets: Vec<IoTargetFacts>,
    /// How accesses were handed to the kernel: "io_uring with registered buffers", "io_uring" or
    /// "pread in threads".
    pub engine: String,
    /// Why it was not the first of these.
    pub engine_why: Option<String>,
    /// The length of a visit, in milliseconds, unless few accesses ended within it.
    pub window_ms: f64,
    /// Nanoseconds an access, one at a time. Null where it was not measured.
    #[serde(default, deserialize_with = "streamed::disk_part")]
    pub latency: Option<IoTable<IoLatencyAccess>>,
    /// Bytes a second with several accesses in flight. Null where it was not measured.
    #[serde(default, deserialize_with = "streamed::disk_part")]
    pub throughput: Option<IoTable<IoRateAccess>>,
}

/// What was measured of disks.
pub struct IoMeasured<'a> {
    /// The files and disks.
    pub targets: &'a [IoTargetFacts],
    /// The engine.
    pub engine: &'a EngineChoice,
    /// The rows and columns.
    pub layout: &'a Layout,
    /// The machine, for the node of each CPU.
    pub topology: &'a Topology,
    /// Accesses one at a time, where they were measured.
    pub latency: Option<IoPlanRun<'a>>,
    /// Several in flight, where they were measured.
    pub throughput: Option<IoPlanRun<'a>>,
}

/// What one plan measured.
pub struct IoPlanRun<'a> {
    /// What was measured.
    pub outcome: &'a PlanOutcome,
    /// What was visited, without controls.
    pub visited: &'a [CellIndex],
    /// The workers' setup.
    pub setup: &'a IoSetup,
}

impl Io {
    /// The part before its figures.
    pub fn new(measured: &IoMeasured<'_>) -> Self {
        let setups = [&measured.latency, &measured.throughput];
        let window = setups.into_iter().flatten().map(|run| run.setup.window).max();
        Self {
            targets: measured.targets.to_vec(),
            engine: measured.engine.engine.name().to_owned(),
            engine_why: measured.engine.why.clone(),
            window_ms: window.unwrap_or_default().as_secs_f64() * 1e3,
            latency: measured.latency.as_ref().map(|run| IoTable::new(measured, run)),
            throughput: measured.throughput.as_ref().map(|run| IoTable::new(measured, run)),
        }
    }

    /// What each factor costs, latency first.
    pub fn factors(&self) -> impl Iterator<Item = &PlacementEffect<IoAccess>> {
        let latency = self.latency.iter().flat_map(|table| &table.factors);
        latency.chain(self.throughput.iter().flat_map(|table| &table.factors))
    }
}

impl InstrumentPart for Io {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        let targets = &self.targets;
        self.latency.as_mut().map_or(Ok(()), |table| table.judge(targets, seed))?;
        self.throughput.as_mut().map_or(Ok(()), |table| table.judge(targets, seed))
    }

    fn strip_samples(&mut self) {
        self.latency.iter_mut().for_each(IoTable::strip_samples);
        self.throughput.iter_mut().for_each(IoTable::strip_samples);
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        let latency = self.latency.iter().map(|table| table.part.table(|_| true));
        latency.chain(self.throughput.iter().map(|table| table.part.table(|_| true))).collect()
    }
}

/// The instrument of this part.
const INSTRUMENT: Instrument = Instrument::Io;

/// A target, how it is accessed, and where its interrupts run.
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
pub struct IoAccess {
    /// Its path.
    pub target: String,
    /// "read" or "write".
    pub operation: String,
    /// Accesses in flight.
    pub depth: u32,
    /// Bytes of an access.
    pub size_bytes: u64,
    /// "random" or "sequential".
    pub pattern: String,
    /// Where its interrupts were set to: "near" or "far"; null where they were left alone.
    pub interrupts: Option<String>,
    /// "again" of a control, which repeats a cell; null of all others.
    pub control: Option<String>,
}

placed_treatments! {
    /// An access whose figure is nanoseconds.
    IoLatencyAccess(IoAccess): Nanoseconds;
    /// An access whose figure is bytes a second.
    IoRateAccess(IoAccess): BytesPerSecond;
}

/// A treatment that is an access.
pub trait AccessTreatment: PlacedTreatment<Access = IoAccess> {}

impl<T: PlacedTreatment<Access = IoAccess>> AccessTreatment for T {}

impl IoAccess {
    fn new(setup: &IoSetup, treatment: &IoTreatment) -> Self {
        let workload = treatment.workload;
        let target = &setup.targets[treatment.target];
        let places = treatment.interrupts.and_then(|place| target.interrupt_places.get(place));
        Self {
            target: target.path.display().to_string(),
            operation: workload.operation.name().to_owned(),
            depth: workload.depth,
            size_bytes: workload.size.0,
            pattern: workload.pattern.name().to_owned(),
            interrupts: places.map(|places| places.name.clone()),
            control: treatment.again.then(|| "again".to_owned()),
        }
    }
}

impl PlacedAccess for IoAccess {
    const INSTRUMENT: Instrument = INSTRUMENT;

    fn without_interrupts(&self) -> Self {
        Self { interrupts: None, ..self.clone() }
    }

    fn is_control(&self) -> bool {
        self.control.is_some()
    }

    fn without_control(&self) -> Self {
        Self { control: None, ..self.clone() }
    }

    fn interrupt_level(&self) -> u32 {
        u32::from(self.interrupts.as_deref() == Some(INTERRUPT_PLACES[1]))
    }
}

/// The latencies of a cell in one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoLatencies {
    /// Number of the process.
    pub process: u32,
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment.
    pub treatment: usize,
    /// The lower bound of each class in nanoseconds, and its accesses. A class is up to 1.6 % wide.
    pub counts: Vec<[u64; 2]>,
}

impl IoLatencies {
    fn new(record: &IoRecord) -> Self {
        let CellIndex { row, column, treatment } = record.place;
        let counts = record.latencies.classes().map(|(ns, count)| [ns, count]).collect();
        Self { process: record.process, row, column, treatment, counts }
    }

    fn place(&self) -> CellIndex {
        CellIndex { row: self.row, column: self.column, treatment: self.treatment }
    }

    /// As counts again.
    pub fn counts(&self) -> DurationCounts {
        DurationCounts::from_classes(self.counts.iter().map(|[ns, count]| (*ns, *count)))
    }
}

/// The best placement, as far as factors matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoBest {
    /// The accesses.
    #[serde(flatten)]
    pub access: IoAccess,
    /// The node for the program; null where it makes no difference, or is undetermined.
    pub program_node: Option<String>,
    /// The node for buffers, likewise.
    pub buffer_node: Option<String>,
    /// "near" or "far", likewise.
    pub interrupt_place: Option<String>,
    /// The command that places a program so; null where placing it changes nothing.
    pub run_by: Option<String>,
}

impl IoBest {
    /// The placement that these effects on one kind of access suggest.
    fn new(effects: &[PlacementEffect<IoAccess>], access: &IoAccess) -> Self {
        let best = |factor: PlacementFactor| {
            let of_factor = || {
                effects
                    .iter()
                    .filter(move |effect| effect.factor == factor && effect.access == *access)
            };
            let faster = of_factor()
                .filter(|effect| effect.verdict == FactorVerdict::Faster)
                .min_by(|a, b| a.ratio.total_cmp(&b.ratio))
                .map(|effect| &effect.level);
            let is_slower =
                |effect: &&PlacementEffect<IoAccess>| effect.verdict == FactorVerdict::Slower;
            faster.or_else(|| of_factor().find(is_slower).map(|effect| &effect.reference)).cloned()
        };
        let [program_node, buffer_node, interrupt_place] = PlacementFactor::ALL.map(best);
        let options: Vec<String> = [("--cpunodebind", &program_node), ("--membind", &buffer_node)]
            .into_iter()
            .filter_map(|(option, node)| Some(format!("{option} {}", node.as_ref()?)))
            .collect();
        let run_by =
            (!options.is_empty()).then(|| format!("nearfar run {} -- PROGRAM", options.join(" ")));
        Self { access: access.clone(), program_node, buffer_node, interrupt_place, run_by }
    }
}

/// A file or a disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoTargetFacts {
    /// Its path.
    pub path: String,
    /// Bytes that accesses stayed within.
    pub bytes: u64,
    /// Whether it is a whole disk or a partition.
    pub is_disk: bool,
    /// Whether nearfar made it (`--write`).
    pub is_made: bool,
    /// The disks that hold it; empty if unknown.
    pub disks: Vec<IoDiskFacts>,
    /// Why the disks are unknown.
    pub disks_why: Option<String>,
    /// The node of all its disks; null if it is unknown, or they are on several.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// How many interrupts its disks have.
    pub interrupts: usize,
    /// Why they stayed where they were, although they were to be set; null otherwise.
    pub interrupts_why: Option<String>,
    /// Limits of the cgroup on this disk, as its file has them; null without any.
    pub cgroup_limit: Option<String>,
}

/// A disk as the kernel shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoDiskFacts {
    /// The kernel name.
    pub name: String,
    /// The model; null where the driver has none.
    pub model: Option<String>,
    /// The PCI address of its controller; null without one.
    pub address: Option<String>,
    /// The node that sysfs claims; null if it claims none.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// Whether it has moving parts, as the driver claims.
    pub is_rotational: Option<bool>,
    /// The scheduler of its requests.
    pub scheduler: Option<String>,
    /// Hardware queues; 0 if the kernel shows none.
    pub queues: usize,
    /// Microseconds that its power states may add: a number, "auto" or "any".
    pub power_tolerance: Option<String>,
}

impl IoDiskFacts {
    /// From what sysfs has of it.
    pub fn new(hardware: &HardwareNode, disk: Disk) -> Self {
        Self {
            name: disk.name,
            model: disk.model,
            address: hardware.address.map(|address| address.to_string()),
            node: hardware.node,
            is_rotational: disk.is_rotational,
            scheduler: disk.scheduler,
            queues: disk.queues,
            power_tolerance: disk.power_tolerance,
        }
    }
}

/// The latency that this share of accesses does not exceed.
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// The distribution of one cell's latencies. A quantile is null where fewer than ten accesses were
/// beyond it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoTail {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment.
    pub treatment: usize,
    /// Accesses of all processes.
    pub accesses: u64,
    /// The median.
    pub p50: Option<TailFigure>,
    /// 99 of 100 accesses are faster.
    pub p99: Option<TailFigure>,
    /// 999 of 1,000 accesses are faster.
    pub p999: Option<TailFigure>,
}

impl IoTail {
    /// The distributions of all cells with latencies, in the order of the places.
    fn all_of(latencies: &[IoLatencies], places: &[CellIndex], seed: u64) -> Vec<Self> {
        let of_place = |place: &CellIndex| {
            let processes: Vec<DurationCounts> = latencies
                .iter()
                .filter(|record| record.place() == *place)
                .map(IoLatencies::counts)
                .collect();
            let accesses = processes.iter().map(DurationCounts::total).sum();
            let [p50, p99, p999] = tail(&processes, &QUANTILES, seed)[..] else { return None };
            let CellIndex { row, column, treatment } = *place;
            (accesses > 0).then_some(Self { row, column, treatment, accesses, p50, p99, p999 })
        };
        places.iter().filter_map(of_place).collect()
    }
}
