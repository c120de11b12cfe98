//! CPUs chosen by the machine's shape.

use nearfar_machine::Topology;
use nearfar_model::{CpuId, CpuSet, NodeId};

/// One CPU after another from node to node; within a node one of each cache first, then one of each core, then siblings.
pub(super) fn spread(topology: &Topology, jobs: usize) -> CpuSet {
    let mut nodes: Vec<Vec<CpuId>> = by_node(topology).into_iter().map(|cpus| wide(topology, &cpus)).collect();
    let mut chosen = CpuSet::new();
    for round in 0.. {
        let mut left = false;
        for node in &mut nodes {
            let Some(&cpu) = node.get(round) else { continue };
            left = true;
            if chosen.len() >= jobs.max(1) {
                return chosen;
            }
            chosen.insert(cpu);
        }
        if !left {
            break;
        }
    }
    chosen
}

/// Node by node, cache by cache, core by core, all of one before the next.
pub(super) fn packed(topology: &Topology, jobs: usize) -> CpuSet {
    let close = by_node(topology).into_iter().flat_map(|node| {
        let groups = topology.last_level_groups().into_iter().map(move |group| group.intersection(&node));
        groups.flat_map(|group| cores_of(topology, &group)).collect::<Vec<_>>()
    });
    close.flat_map(|core| core.iter().collect::<Vec<_>>()).take(jobs.max(1)).collect()
}

/// The first of each group's CPUs that this process may use.
pub(super) fn one_of_each(groups: impl Iterator<Item = CpuSet>, topology: &Topology) -> CpuSet {
    groups.filter_map(|group| group.intersection(&topology.allowed.cpus).first()).collect()
}

/// The usable CPUs of each node that has some; all together where the kernel knows no nodes.
fn by_node(topology: &Topology) -> Vec<CpuSet> {
    let usable = topology.online().intersection(&topology.allowed.cpus);
    let mut nodes: Vec<(NodeId, CpuSet)> =
        topology.nodes.iter().map(|node| (node.id, node.cpus.intersection(&usable))).collect();
    nodes.retain(|(_, cpus)| !cpus.is_empty());
    match nodes.is_empty() {
        true => vec![usable],
        false => nodes.into_iter().map(|(_, cpus)| cpus).collect(),
    }
}

fn cores_of(topology: &Topology, among: &CpuSet) -> Vec<CpuSet> {
    topology.cores().iter().map(|core| core.cpus.intersection(among)).filter(|cpus| !cpus.is_empty()).collect()
}

/// As far apart as can be: the first CPU of the first core of each cache, then of each second core, ..; siblings last.
fn wide(topology: &Topology, node: &CpuSet) -> Vec<CpuId> {
    let mut all: Vec<((usize, usize, usize), CpuId)> = Vec::new();
    for (cache, group) in topology.last_level_groups().into_iter().enumerate() {
        for (core, cpus) in cores_of(topology, &group.intersection(node)).into_iter().enumerate() {
            all.extend(cpus.iter().enumerate().map(|(thread, cpu)| ((thread, core, cache), cpu)));
        }
    }
    all.sort();
    all.into_iter().map(|(_, cpu)| cpu).collect()
}
