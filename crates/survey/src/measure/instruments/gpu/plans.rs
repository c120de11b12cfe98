//! The plans: rates and latencies of copies between memory and GPUs, and between GPUs.

use std::time::Duration;

use nearfar_model::{Bytes, CellIndex};
use nearfar_probe::gpu::{
    CopyDirection, CopyFigure, CopyRoute, GpuSetup, GpuTreatment, HostMemory,
};
use nearfar_probe::{MemoryJob, Work};

use crate::measure::cost::{VisitCost, placing};
use crate::measure::plan_parts::PartPlan;

/// Sizes of copies whose latency is measured: what a kernel's argument, a page and a message are.
const SMALL: [Bytes; 3] = [Bytes(4), Bytes::kib(4), Bytes::kib(64)];
/// The time of a driver to begin in a process. It differs by much; the schedule adapts.
const BEGINNING: Duration = Duration::from_millis(500);

/// What the figures of a plan are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GpuTableKind {
    /// Bytes a second between memory and GPUs.
    Bandwidth,
    /// The time of a small copy between memory and a GPU.
    Latency,
    /// Bytes a second from a GPU to another.
    PeerBandwidth,
    /// The time of a small copy from a GPU to another.
    PeerLatency,
}

impl GpuTableKind {
    /// All of them, the most important first.
    pub(super) const ALL: [Self; 4] =
        [Self::Bandwidth, Self::Latency, Self::PeerBandwidth, Self::PeerLatency];

    const fn figure(self) -> CopyFigure {
        match self {
            Self::Bandwidth | Self::PeerBandwidth => CopyFigure::Rate,
            Self::Latency | Self::PeerLatency => CopyFigure::Latency,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Bandwidth => "bandwidth",
            Self::Latency => "latency",
            Self::PeerBandwidth => "bandwidth between GPUs",
            Self::PeerLatency => "latency between GPUs",
        }
    }
}

/// What is to be copied.
pub(super) struct CopyChoice {
    /// Bytes of a copy whose rate is measured.
    pub(super) size: Bytes,
    /// Whether pageable memory is measured, too.
    pub(super) pageable: bool,
    /// Groups of GPUs that copy at once.
    pub(super) groups: Vec<Vec<usize>>,
    /// Whether GPUs copy to each other.
    pub(super) peers: bool,
}

/// What is visited in each round.
pub(super) struct GpuPlan {
    pub(super) kind: GpuTableKind,
    pub(super) setup: GpuSetup,
    places: Vec<CellIndex>,
    controls: Vec<CellIndex>,
}

impl GpuPlan {
    /// The plan of a kind; `None` if nothing is of it. `setup` has no treatments yet. Each GPU's
    /// first treatment is repeated at one cell, as a control.
    pub(super) fn new(
        kind: GpuTableKind,
        choice: &CopyChoice,
        setup: &GpuSetup,
        cells: &[CellIndex],
        control: CellIndex,
    ) -> Option<Self> {
        let gpus = 0..setup.gpus.len();
        let by_gpu: Vec<Vec<GpuTreatment>> = match kind {
            GpuTableKind::Bandwidth => {
                let alone = gpus.map(|gpu| rates(choice, &[gpu], choice.pageable));
                let groups = choice.groups.iter();
                alone.chain(groups.map(|group| rates(choice, group, false))).collect()
            }
            GpuTableKind::Latency => gpus.map(latencies).collect(),
            GpuTableKind::PeerBandwidth => peers(setup.gpus.len(), choice, choice.size),
            GpuTableKind::PeerLatency => peers(setup.gpus.len(), choice, SMALL[0]),
        };
        let again: Vec<GpuTreatment> = by_gpu
            .iter()
            .filter_map(|of_gpu| Some(GpuTreatment { again: true, ..of_gpu.first()?.clone() }))
            .collect();
        let mut treatments: Vec<GpuTreatment> = by_gpu.into_iter().flatten().collect();
        if treatments.is_empty() {
            return None;
        }
        let is_peer = matches!(treatments[0].route, CopyRoute::Peer { .. });
        let measured = treatments.len();
        treatments.extend(again);
        let setup = GpuSetup { treatments, figure: kind.figure(), ..setup.clone() };
        // No memory of the host takes part between GPUs: one cell of one CPU group.
        let (setup, cells, control) = if is_peer {
            let cell = CellIndex::new(0, 0);
            (without_host(setup), vec![cell], cell)
        } else {
            (setup, cells.to_vec(), control)
        };
        let cell_places =
            |cell: &CellIndex| (0..measured).map(|at| cell.with_treatment(at)).collect::<Vec<_>>();
        let controls = (measured..setup.treatments.len()).map(|at| control.with_treatment(at));
        Some(Self {
            kind,
            places: cells.iter().flat_map(cell_places).collect(),
            controls: controls.collect(),
            setup,
        })
    }

    /// Whether no memory of the host takes part.
    pub(super) const fn is_between_gpus(&self) -> bool {
        matches!(self.kind, GpuTableKind::PeerBandwidth | GpuTableKind::PeerLatency)
    }

    /// The host's memory on each node.
    fn host_bytes(&self) -> Bytes {
        let [pinned, pageable] =
            [HostMemory::Pinned, HostMemory::Pageable].map(|memory| self.setup.footprint(memory));
        pinned + pageable
    }
}

fn without_host(setup: GpuSetup) -> GpuSetup {
    GpuSetup {
        rows: setup.rows.into_iter().take(1).collect(),
        memories: vec![MemoryJob::default()],
        ..setup
    }
}

/// Copies of these GPUs at once.
fn rates(choice: &CopyChoice, gpus: &[usize], pageable: bool) -> Vec<GpuTreatment> {
    let copy = |(direction, memory)| GpuTreatment {
        route: CopyRoute::Host { gpus: gpus.to_vec(), direction, memory },
        size: choice.size,
        again: false,
    };
    let (to, from) = (CopyDirection::ToDevice, CopyDirection::FromDevice);
    let pinned = [to, from, CopyDirection::Both].map(|direction| (direction, HostMemory::Pinned));
    let through_cpu = [to, from].map(|direction| (direction, HostMemory::Pageable));
    let through_cpu = through_cpu.into_iter().filter(|_| pageable);
    pinned.into_iter().chain(through_cpu).map(copy).collect()
}

fn latencies(gpu: usize) -> Vec<GpuTreatment> {
    let copy = |direction, size| GpuTreatment {
        route: CopyRoute::Host { gpus: vec![gpu], direction, memory: HostMemory::Pinned },
        size,
        again: false,
    };
    let ways = [CopyDirection::ToDevice, CopyDirection::FromDevice];
    ways.into_iter().flat_map(|way| SMALL.map(|size| copy(way, size))).collect()
}

/// The copies from each GPU to each other one.
fn peers(gpus: usize, choice: &CopyChoice, size: Bytes) -> Vec<Vec<GpuTreatment>> {
    let of_source = |from: usize| {
        let others = (0..gpus).filter(|&to| to != from);
        let copy = |to| GpuTreatment { route: CopyRoute::Peer { from, to }, size, again: false };
        others.map(copy).collect()
    };
    if choice.peers { (0..gpus).map(of_source).collect() } else { vec![] }
}

impl PartPlan for GpuPlan {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn places(&self) -> &[CellIndex] {
        &self.places
    }

    fn controls(&self) -> &[CellIndex] {
        &self.controls
    }

    fn work(&self) -> Work {
        Work::Gpu(self.setup.clone())
    }

    fn cost(&self) -> VisitCost {
        let bytes = self.host_bytes().0.saturating_mul(self.setup.memories.len() as u64);
        // Registering takes about as long as placing.
        let process = BEGINNING + placing(bytes) * 2;
        VisitCost { process, visit: self.setup.window * 5 / 4 }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;
    use nearfar_probe::gpu::{GpuApi, GpuTarget};

    use super::*;

    fn setup(gpus: usize) -> GpuSetup {
        let gpu = |index| GpuTarget { index, address: None, label: format!("GPU{index}") };
        GpuSetup {
            rows: vec![CpuSet::new(); 2],
            memories: vec![MemoryJob::default(); 2],
            api: GpuApi::Cuda,
            gpus: (0..gpus).map(gpu).collect(),
            treatments: vec![],
            figure: CopyFigure::Rate,
            window: Duration::from_millis(20),
        }
    }

    fn plan(kind: GpuTableKind, gpus: usize, groups: Vec<Vec<usize>>) -> Option<GpuPlan> {
        let choice = CopyChoice { size: Bytes::mib(256), pageable: true, groups, peers: true };
        let cells: Vec<CellIndex> = (0..4).map(|cell| CellIndex::new(cell / 2, cell % 2)).collect();
        GpuPlan::new(kind, &choice, &setup(gpus), &cells, CellIndex::new(0, 1))
    }

    #[test]
    fn each_gpu_has_its_copies_and_a_control() {
        let plan = plan(GpuTableKind::Bandwidth, 2, vec![vec![0, 1]]).unwrap();
        // Two GPUs with five copies each, three of both at once; a control of each of these.
        assert_eq!(plan.setup.treatments.len(), 2 * 5 + 3 + 3);
        assert_eq!(plan.places.len(), 4 * 13);
        assert_eq!(plan.controls.len(), 3);
        assert!(plan.controls.iter().all(|place| (place.row, place.column) == (0, 1)));
        // Both ways, two GPUs.
        assert_eq!(plan.setup.footprint(HostMemory::Pinned), Bytes::gib(1));
        assert_eq!(plan.host_bytes(), Bytes::mib(1024 + 256));
    }

    #[test]
    fn one_gpu_has_no_peers() {
        assert!(plan(GpuTableKind::PeerBandwidth, 1, vec![]).is_none());
        let plan = plan(GpuTableKind::PeerLatency, 3, vec![]).unwrap();
        assert_eq!((plan.places.len(), plan.controls.len()), (6, 3));
        assert_eq!((plan.setup.rows.len(), plan.setup.memories.len()), (1, 1));
        assert_eq!(plan.host_bytes(), Bytes(0));
    }
}
