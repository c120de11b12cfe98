//! What memory delivers: bytes a second by CPU group, memory, kernel and number of threads.

use std::collections::BTreeMap;

use nearfar_infer::InferError;
use nearfar_machine::{Node, Topology};
use nearfar_model::{Bytes, CellIndex, Instrument, Unit};
use nearfar_probe::bandwidth::{self, BandwidthSetup};
use nearfar_probe::{DropReason, Kernel, Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use crate::{InstrumentTable, Treatment, TreatmentMatrix};

/// The figures of one instrument: bytes a second as the program sees them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bandwidth {
    /// The figures.
    #[serde(flatten)]
    pub part: TreatmentMatrix<BandwidthTreatment>,
    /// The instructions: "avx512", "avx2", "sse2", "neon" or "portable".
    pub isa: String,
    /// What all threads of a window swept together, at least.
    pub footprint_bytes: u64,
    /// How long a window was, in milliseconds.
    #[serde(default)]
    pub window_ms: Option<f64>,
    /// How many windows a visit had; the fastest is its sample. Earlier documents report
    /// none, and had one.
    #[serde(default = "one")]
    pub windows: u32,
    /// Windows that were rejected where another of the same visit was accepted, by reason.
    #[serde(default)]
    pub windows_dropped: BTreeMap<String, u32>,
    /// What each kernel's bytes are to the program and to the memory.
    pub kernels: Vec<KernelTraffic>,
    /// How many threads it takes, by row and column.
    pub knees: Vec<Knee>,
    /// What the DIMMs could deliver at most, where that is known.
    pub peak: Option<Peak>,
}

fn one() -> u32 {
    1
}

/// What a cell is visited with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Streaming")]
pub struct BandwidthTreatment {
    /// "read", "write", "nt-write", "copy", "nt-copy", "triad", "3:1", "2:1" or "1:1".
    pub kernel: String,
    /// How many of the row's CPUs took part.
    pub threads: usize,
}

/// A kernel's traffic for each byte that the program moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KernelTraffic {
    /// The kernel.
    pub kernel: String,
    /// Bytes that memory moves for each byte of the program's: a plain store is also a read, for
    /// ownership.
    pub memory_per_program: f64,
    /// Of memory's bytes, the share that is read.
    pub read_share: f64,
}

/// Where more threads do not help any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Knee {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// The fewest threads whose bandwidth is within 1 % of the most.
    pub threads: usize,
}

/// What the DIMMs could deliver at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Peak {
    /// Of one node, in bytes a second: channels × transfers a second × 8 bytes.
    pub node_bytes_per_s: f64,
    /// The source: "smbios" or "user".
    pub source: String,
    /// The claim, such as "8x4800".
    pub dimms: String,
}

/// From within this share of the most, more threads do not help.
const ENOUGH: f64 = 0.99;

impl Treatment for BandwidthTreatment {
    const INSTRUMENT: Instrument = Instrument::Bandwidth;
    const UNIT: Unit = Unit::BytesPerSecond;
}

impl InstrumentPart for Bandwidth {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        self.part.judge(seed)?;
        self.knees = self.find_knees();
        Ok(())
    }

    fn strip_samples(&mut self) {
        self.part.samples = None;
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        vec![self.part.table(|_| true)]
    }
}

impl Bandwidth {
    /// The part before its figures; `visited` is what the plans visited.
    pub fn new(
        layout: &Layout,
        outcome: &PlanOutcome,
        visited: &[CellIndex],
        setup: &BandwidthSetup,
        peak: Option<Peak>,
    ) -> Self {
        let treatments = setup.treatments.iter().map(BandwidthTreatment::from_treatment).collect();
        let named = |(reason, windows): (&DropReason, &u32)| (reason.name().to_owned(), *windows);
        let mut kernels: Vec<Kernel> =
            setup.treatments.iter().map(|treatment| treatment.kernel).collect();
        kernels.sort_unstable();
        kernels.dedup();
        Self {
            part: TreatmentMatrix::new(layout, outcome, treatments, visited),
            isa: setup.isa.name().to_owned(),
            footprint_bytes: setup.footprint.0,
            window_ms: Some(setup.window.as_secs_f64() * 1e3),
            windows: setup.windows,
            windows_dropped: outcome.windows_dropped.iter().map(named).collect(),
            kernels: kernels.into_iter().map(KernelTraffic::from_kernel).collect(),
            knees: Vec::new(),
            peak,
        }
    }

    /// What threads sweep: a thread's share of a cache group times four, and never less than what a
    /// processor's prefetchers outrun.
    pub fn footprint(last_level: Option<Bytes>) -> Bytes {
        const LEAST: Bytes = Bytes::mib(64);
        last_level.map_or(LEAST, |cache| Bytes(cache.0.saturating_mul(4)).max(LEAST))
    }

    fn find_knees(&self) -> Vec<Knee> {
        let matrix = &self.part.matrix;
        let places = (0..matrix.rows.len())
            .flat_map(|row| (0..matrix.columns.len()).map(move |column| (row, column)));
        places
            .filter_map(|(row, column)| {
                Some(Knee { row, column, threads: knee(&self.curve(row, column))? })
            })
            .collect()
    }

    /// Reading bandwidth by number of threads, in their order.
    pub fn curve(&self, row: usize, column: usize) -> Vec<(usize, f64)> {
        let here =
            self.part.matrix.cells.iter().filter(|cell| (cell.row, cell.column) == (row, column));
        let read = here.filter(|cell| cell.treatment.kernel == Kernel::Read.name());
        let mut curve: Vec<_> =
            read.filter_map(|cell| Some((cell.treatment.threads, cell.median?))).collect();
        curve.sort_by_key(|point| point.0);
        curve
    }

    /// How many threads suffice at a row and column.
    pub fn knee(&self, row: usize, column: usize) -> Option<usize> {
        self.knees
            .iter()
            .find(|knee| (knee.row, knee.column) == (row, column))
            .map(|knee| knee.threads)
    }
}

/// The fewest threads that reach what the most do, within 1 %: points are (threads, bandwidth),
/// fewer threads first.
pub fn knee(curve: &[(usize, f64)]) -> Option<usize> {
    let most = curve.iter().map(|point| point.1).reduce(f64::max)?;
    curve.iter().find(|point| point.1 >= ENOUGH * most).map(|point| point.0)
}

impl BandwidthTreatment {
    fn from_treatment(treatment: &bandwidth::StreamTreatment) -> Self {
        Self { kernel: treatment.kernel.name().to_owned(), threads: treatment.threads }
    }
}

impl KernelTraffic {
    fn from_kernel(kernel: Kernel) -> Self {
        let (program, memory) = (kernel.program().total(), kernel.memory());
        Self {
            kernel: kernel.name().to_owned(),
            memory_per_program: memory.total() / program,
            read_share: memory.reads / memory.total(),
        }
    }
}

impl Peak {
    /// From channels of a node, and the million transfers of 8 bytes a second of each.
    pub fn new(channels: u32, mega_transfers_per_s: u32, source: &str) -> Self {
        Self {
            node_bytes_per_s: f64::from(channels) * f64::from(mega_transfers_per_s) * 8e6,
            source: source.to_owned(),
            dimms: format!("{channels}x{mega_transfers_per_s}"),
        }
    }

    /// Of each node, where the machine's channels can be divided evenly among them; none where a
    /// node has no CPUs of its own, whose memory may be behind something else than channels.
    pub fn from_each(
        channels: u32,
        mega_transfers_per_s: u32,
        topology: &Topology,
    ) -> Option<Self> {
        let nodes: Vec<&Node> = topology.nodes.iter().filter(|node| node.has_memory()).collect();
        let count = u32::try_from(nodes.len().max(1)).ok()?;
        let even = channels % count == 0 && nodes.iter().all(|node| !node.cpus.is_empty());
        even.then(|| Self::new(channels / count, mega_transfers_per_s, "smbios"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_threads_stop_helping() {
        assert_eq!(knee(&[(1, 20.0), (2, 39.0), (4, 60.0), (8, 60.4), (16, 60.2)]), Some(4));
        assert_eq!(knee(&[(1, 20.0), (2, 40.0)]), Some(2));
        // More threads may even hurt.
        assert_eq!(knee(&[(1, 20.0), (2, 40.0), (3, 31.0)]), Some(2));
        assert_eq!(knee(&[]), None);
    }

    #[test]
    fn eight_channels_of_ddr5_4800_deliver_307_gigabytes_a_second() {
        let peak = Peak::new(8, 4800, "user");
        assert_eq!((peak.node_bytes_per_s, peak.dimms.as_str()), (307.2e9, "8x4800"));
    }

    #[test]
    fn channels_divide_evenly_or_peak_is_unknown() {
        use nearfar_machine::Source;
        let node = |id: u32, cpus: &str| {
            let folder = format!("/sys/devices/system/node/node{id}");
            let memory = format!("Node {id} MemTotal: 1048576 kB\nNode {id} MemFree: 524288 kB\n");
            [(format!("{folder}/cpulist"), cpus.to_owned()), (format!("{folder}/meminfo"), memory)]
        };
        let topology = |second: &str| {
            let fixed = [
                ("/sys/devices/system/cpu/online", "0-1"),
                ("/sys/devices/system/node/online", "0-1"),
            ];
            let fixed = fixed.map(|(path, text)| (path.to_owned(), text.to_owned()));
            let files = fixed.into_iter().chain(node(0, "0")).chain(node(1, second));
            Topology::read(&Source::from_files(files)).unwrap()
        };
        let peak = |count, second| {
            Peak::from_each(count, 3200, &topology(second)).map(|peak| (peak.dimms, peak.source))
        };
        assert_eq!(peak(16, "1"), Some(("8x3200".to_owned(), "smbios".to_owned())));
        assert_eq!((peak(3, "1"), peak(16, "")), (None, None));
    }
}
