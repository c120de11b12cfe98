//! Columns: the memory of a node, or sets of pages if there is one node.

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuSet, NodeId, PlaceLabel};

use super::has_memory;
use crate::layout_column::{LayoutColumn, MemoryJob};
use crate::{ProbeKind, ProbeSpec};

/// Pages per column for the page probe: several, since one page is on one memory channel.
const PAGES: u32 = 8;
/// Sets of pages that are the columns of a machine with one node.
const PAGE_SETS: usize = 4;

fn pages(probe: &ProbeSpec) -> u32 {
    if probe.kind == ProbeKind::Page { PAGES } else { 1 }
}

pub(super) fn column(
    topology: &Topology,
    id: NodeId,
    cpus: &CpuSet,
    probe: &ProbeSpec,
) -> LayoutColumn {
    let memory = topology.node(id).and_then(|node| node.memory.as_ref());
    let empty = !has_memory(topology, id);
    let memory = MemoryJob {
        node: Some(id),
        touch_from: nearest_cpus(topology, id, cpus),
        free: usable(topology, memory.map(|memory| memory.free)),
        why_not: empty.then(|| format!("node {id} has no memory")),
    };
    LayoutColumn { label: format!("node {id}"), probe: *probe, pages: pages(probe), memory }
}

/// All memory, if the kernel has no nodes.
pub(super) fn column_without_nodes(
    topology: &Topology,
    cpus: &CpuSet,
    probe: &ProbeSpec,
) -> LayoutColumn {
    let free = usable(topology, topology.memory_free);
    let memory = MemoryJob { touch_from: cpus.clone(), free, ..MemoryJob::default() };
    LayoutColumn { label: "memory".to_owned(), probe: *probe, pages: pages(probe), memory }
}

/// The free memory, within the limits of this process's cgroups.
fn usable(topology: &Topology, free: Option<Bytes>) -> Option<Bytes> {
    free.into_iter().chain(topology.allowed.memory_left).min()
}

/// CPUs that touch a node's memory first: its own, or those of the node with the smallest reported
/// distance. Page tables are allocated beside the CPU that touches.
fn nearest_cpus(topology: &Topology, to: NodeId, usable: &CpuSet) -> CpuSet {
    let allowed = topology.online().intersection(&topology.allowed.cpus);
    let distance = |from: NodeId| distance(topology, Some(from), Some(to));
    let nodes =
        topology.nodes.iter().map(|node| (distance(node.id), node.cpus.intersection(&allowed)));
    let nearest = nodes.filter(|(_, cpus)| !cpus.is_empty()).min_by_key(|(distance, _)| *distance);
    nearest.map_or_else(|| usable.clone(), |(_, cpus)| cpus)
}

/// The reported distance between two nodes: 0 for a node and itself, the maximum if it is unknown.
pub(super) fn distance(topology: &Topology, from: Option<NodeId>, to: Option<NodeId>) -> u32 {
    let (Some(from), Some(to)) = (from, to) else { return u32::MAX };
    if from == to {
        return 0;
    }
    topology.distances.as_ref().and_then(|matrix| matrix.between(from, to)).unwrap_or(u32::MAX)
}

/// The columns of a machine with one node: sets of pages.
pub(super) fn split_into_sets(whole: &LayoutColumn) -> Vec<LayoutColumn> {
    let set =
        |index| LayoutColumn { label: PlaceLabel::PageSet(index).to_string(), ..whole.clone() };
    (0..PAGE_SETS).map(set).collect()
}
