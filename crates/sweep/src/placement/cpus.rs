//! CPUs chosen by the machine's shape.

use nearfar_machine::Topology;
use nearfar_model::{CpuId, CpuSet};

/// One CPU after another from node to node, and from package to package; within a node one of each
/// cache first, then one of each core, then siblings.
pub(super) fn spread(topology: &Topology, jobs: usize) -> CpuSet {
    let far_apart = in_turns(by_node(topology), topology);
    let nodes: Vec<Vec<CpuId>> = far_apart.into_iter().map(|cpus| wide(topology, &cpus)).collect();
    let rounds = nodes.iter().map(Vec::len).max().unwrap_or(0);
    let by_rounds =
        (0..rounds).flat_map(|round| nodes.iter().filter_map(move |node| node.get(round)));
    by_rounds.take(jobs.max(1)).copied().collect()
}

/// Node by node, cache by cache, core by core, all of one before the next.
pub(super) fn packed(topology: &Topology, jobs: usize) -> CpuSet {
    let close = by_node(topology).into_iter().flat_map(|node| {
        let groups =
            topology.last_level_groups().into_iter().map(move |group| group.intersection(&node));
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
    let mut nodes: Vec<CpuSet> =
        topology.nodes.iter().map(|node| node.cpus.intersection(&usable)).collect();
    nodes.retain(|cpus| !cpus.is_empty());
    if nodes.is_empty() { vec![usable] } else { nodes }
}

/// The first node of each package, then the second of each.
fn in_turns(nodes: Vec<CpuSet>, topology: &Topology) -> Vec<CpuSet> {
    let package = |node: &CpuSet| {
        topology.packages().iter().position(|package| !package.cpus.is_disjoint(node))
    };
    let packages: Vec<_> = nodes.iter().map(package).collect();
    let turn = |at: usize| packages[..at].iter().filter(|before| **before == packages[at]).count();
    let mut all: Vec<_> =
        nodes.into_iter().enumerate().map(|(at, node)| ((turn(at), packages[at]), node)).collect();
    all.sort_by_key(|(when, _)| *when);
    all.into_iter().map(|(_, node)| node).collect()
}

fn cores_of(topology: &Topology, among: &CpuSet) -> Vec<CpuSet> {
    topology
        .cores()
        .iter()
        .map(|core| core.cpus.intersection(among))
        .filter(|cpus| !cpus.is_empty())
        .collect()
}

/// As far apart as can be: the first CPU of the first core of each cache, then of each second core,
/// ..; siblings last.
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

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    /// Two packages of two nodes of one CPU.
    fn machine() -> Topology {
        let mut files = vec![
            ("/sys/devices/system/node/online".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/cpu/present".to_owned(), "0-3".to_owned()),
        ];
        for id in 0..4 {
            let package = if id < 2 { "0-1" } else { "2-3" };
            files.push((format!("/sys/devices/system/node/node{id}/cpulist"), id.to_string()));
            let cpu = format!("/sys/devices/system/cpu/cpu{id}/topology");
            files.push((format!("{cpu}/physical_package_id"), (id / 2).to_string()));
            files.push((format!("{cpu}/package_cpus_list"), package.to_owned()));
            files.push((format!("{cpu}/thread_siblings_list"), id.to_string()));
        }
        Topology::read(&Source::from_files(files)).unwrap()
    }

    #[test]
    fn spread_prefers_the_other_package() {
        let topology = machine();
        let placed = |place: fn(&Topology, usize) -> CpuSet| {
            [1, 2, 3, 4].map(|jobs| place(&topology, jobs).to_string())
        };
        assert_eq!(placed(spread), ["0", "0,2", "0-2", "0-3"]);
        assert_eq!(placed(packed), ["0", "0-1", "0-2", "0-3"]);
    }
}
