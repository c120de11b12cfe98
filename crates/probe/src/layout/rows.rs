//! Rows: the CPUs of a node, a cache group or a core; and spare cores for spinners.

use nearfar_machine::Topology;
use nearfar_model::{CpuSet, NodeId};

use super::{LayoutRow, RowKind};

/// A group with at least this many cores has one to spare for a spinner.
const CORES_TO_SPARE: usize = 4;

/// The rows of this kind.
pub(super) fn rows(topology: &Topology, cpus: &CpuSet, kind: RowKind) -> Vec<LayoutRow> {
    let groups = group_rows(topology, cpus);
    match kind {
        RowKind::Core => core_rows(topology, cpus),
        RowKind::Auto if groups.len() == 1 => core_rows(topology, cpus),
        RowKind::Auto | RowKind::Group => groups,
        RowKind::Node => node_rows(topology, cpus),
    }
}

/// CPUs by node, in node order; `None` for CPUs without a node.
fn cpus_by_node(topology: &Topology, cpus: &CpuSet) -> Vec<(Option<NodeId>, CpuSet)> {
    let node_cpus = |node: &nearfar_machine::Node| (Some(node.id), node.cpus.intersection(cpus));
    let mut by_node: Vec<_> =
        topology.nodes.iter().map(node_cpus).filter(|(_, cpus)| !cpus.is_empty()).collect();
    let placed = by_node.iter().fold(CpuSet::new(), |all, (_, cpus)| all.union(cpus));
    let rest = cpus.difference(&placed);
    if !rest.is_empty() {
        by_node.push((None, rest));
    }
    by_node
}

fn node_label(node: Option<NodeId>) -> String {
    node.map_or_else(|| "no node".to_owned(), |id| format!("node {id}"))
}

fn node_rows(topology: &Topology, cpus: &CpuSet) -> Vec<LayoutRow> {
    cpus_by_node(topology, cpus)
        .into_iter()
        .map(|(node, cpus)| LayoutRow::new(node_label(node), node, cpus))
        .collect()
}

fn group_rows(topology: &Topology, cpus: &CpuSet) -> Vec<LayoutRow> {
    let groups = topology.last_level_groups();
    let mut rows = Vec::new();
    for (node, own_cpus) in cpus_by_node(topology, cpus) {
        let parts = groups
            .iter()
            .map(|group| group.intersection(&own_cpus))
            .filter(|part| !part.is_empty());
        let parts: Vec<CpuSet> = parts.collect();
        let several = parts.len() > 1;
        for (index, part) in parts.into_iter().enumerate() {
            let name = node_label(node);
            rows.push(LayoutRow::new(
                if several { format!("{name} group {index}") } else { name },
                node,
                part,
            ));
        }
    }
    rows
}

fn core_rows(topology: &Topology, cpus: &CpuSet) -> Vec<LayoutRow> {
    let of_core = topology.cores().iter().map(|core| core.cpus.intersection(cpus));
    let cores = of_core.filter(|core| !core.is_empty());
    let row =
        |(index, core)| LayoutRow::new(format!("core {index}"), node_of(topology, &core), core);
    cores.enumerate().map(row).collect()
}

/// The node of these CPUs, if they have only one.
pub(super) fn node_of(topology: &Topology, cpus: &CpuSet) -> Option<NodeId> {
    let mut nodes: Vec<_> =
        cpus.iter().map(|cpu| topology.cpu(cpu).and_then(|cpu| cpu.node)).collect();
    nodes.dedup();
    if nodes.len() == 1 { nodes[0] } else { None }
}

/// Removes one core of each package with spare cores from the candidates, to spin there.
pub(super) fn spare_spinners(topology: &Topology, rows: &mut [LayoutRow]) -> CpuSet {
    let packages = topology.packages();
    let mut spinners = CpuSet::new();
    if packages.len() < 2 {
        return spinners;
    }
    for package in packages {
        let has_spare_cores = rows.iter_mut().find(|row| {
            row.cpus.is_subset(&package.cpus)
                && core_rows(topology, &row.candidates).len() >= CORES_TO_SPARE
        });
        let Some(row) = has_spare_cores else { continue };
        if let Some(core) = core_rows(topology, &row.candidates).pop() {
            row.candidates = row.candidates.difference(&core.cpus);
            spinners.extend(core.cpus.first());
        }
    }
    spinners
}
