//! Machines of a few nodes, for tests of what is planned and of what stands out.

use std::time::Duration;

use nearfar_model::{Bytes, CpuId, CpuSet, NodeId};
use nearfar_probe::bandwidth::{BandwidthSetup, MemoryJob, Treatment};
use nearfar_probe::{Isa, Kernel, Layout, LayoutColumn, LayoutRow, PageSize, ProbeSpec};

/// So many groups and nodes.
pub(super) const NODES: usize = 4;

/// A CPU and a memory at each of four nodes.
pub(super) fn layout() -> Layout {
    layout_of("group", NODES, |node| CpuSet::of(CpuId(node as u32)))
}

/// So many nodes: a row of that kind with these CPUs at each, and a memory.
pub(super) fn layout_of(kind: &str, nodes: usize, cpus: impl Fn(usize) -> CpuSet) -> Layout {
    let node = |node: usize| Some(NodeId(node as u32));
    let row = |index| LayoutRow {
        label: format!("{kind} {index}"),
        node: node(index),
        cpus: cpus(index),
        candidates: cpus(index),
    };
    let column = |index| LayoutColumn {
        label: format!("node {index}"),
        node: node(index),
        pages: 1,
        probe: ProbeSpec::chase(PageSize::Huge),
        touch_from: cpus(index),
        free: None,
        why_not: None,
    };
    Layout {
        rows: (0..nodes).map(row).collect(),
        columns: (0..nodes).map(column).collect(),
        control_columns: vec![],
        controls: vec![],
        spinners: CpuSet::new(),
    }
}

/// Reading and writing past caches, by one thread.
pub(super) fn setup() -> BandwidthSetup {
    let kernels = [Kernel::Read, Kernel::NtWrite];
    BandwidthSetup {
        rows: (0..NODES).map(|row| vec![CpuId(row as u32)]).collect(),
        columns: layout().columns.iter().map(MemoryJob::of).collect(),
        treatments: kernels.map(|kernel| Treatment { kernel, threads: 1 }).to_vec(),
        isa: Isa::Portable,
        footprint: Bytes::mib(64),
        window: Duration::from_millis(10),
        windows: 1,
    }
}
