//! Which CPUs share a core, a package or a cache, where only their numbers are known.
//!
//! Kernels number the first threads of all cores, then the second ones; or the threads of a core
//! one after another, as some hypervisors do. Which of the two it is, the nodes show. A group that
//! would cross a node is left out.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuId, CpuSet, NodeId};

use super::cpu_table::{shared_cache, topology};
use crate::source::MachineFiles;

/// What is known.
pub(super) struct Counts {
    pub(super) threads: usize,
    pub(super) packages: Option<usize>,
    pub(super) cores_of_package: Option<usize>,
    pub(super) caches: Vec<GuessedCache>,
}

/// A cache, by the size and the number of its instances.
pub(super) struct GuessedCache {
    pub(super) level: u32,
    pub(super) kind: &'static str,
    pub(super) size: Bytes,
    pub(super) instances: usize,
}

/// Puts cores, packages and caches in the order of numbers.
pub(super) fn guess(
    files: &mut MachineFiles,
    cpus: &CpuSet,
    nodes: &[(NodeId, CpuSet)],
    counts: &Counts,
) {
    let Some(cores) = cores(cpus, nodes, counts.threads) else { return };
    let in_order = by_node(cores, nodes);
    for (number, core) in in_order.iter().enumerate() {
        topology(files, core, &[("core_id", number.to_string())], "core_cpus_list");
    }
    if let Some(packages) = counts.packages.filter(|&packages| packages > 0) {
        let fits = counts.cores_of_package.is_none_or(|each| each * packages == in_order.len());
        for (number, package) in chunks(&in_order, packages).iter().enumerate().filter(|_| fits) {
            let ids = [("physical_package_id", number.to_string())];
            topology(files, package, &ids, "package_cpus_list");
        }
    }
    // Instances are counted by firmware's numbers, which guests repeat: fewer than nodes are wrong.
    let nodes = nodes.iter().filter(|(_, cpus)| !cpus.is_empty()).count();
    for cache in counts.caches.iter().filter(|cache| cache.instances >= nodes) {
        for cpus in chunks(&in_order, cache.instances) {
            for folder in shared_cache(files, &cpus, cache.level, cache.kind) {
                files.put(&format!("{folder}/size"), format!("{}K", cache.size.0 >> 10));
            }
        }
    }
}

/// The CPUs of each core; `None` if the numbers do not fit.
fn cores(cpus: &CpuSet, nodes: &[(NodeId, CpuSet)], threads: usize) -> Option<Vec<CpuSet>> {
    let all: Vec<CpuId> = cpus.iter().collect();
    if threads == 0 || all.len() % threads != 0 {
        return None;
    }
    let count = all.len() / threads;
    let apart = (0..count).map(|core| all.iter().copied().skip(core).step_by(count).collect());
    let together = all.chunks(threads).map(|core| core.iter().copied().collect());
    let node_of = NodeOfCpu::new(nodes);
    let is_inside = |cores: &Vec<CpuSet>| {
        cores.iter().all(|core| {
            let mut nodes = core.iter().map(|cpu| node_of.get(cpu));
            let first = nodes.next();
            nodes.all(|node| Some(node) == first)
        })
    };
    [apart.collect(), together.collect()].into_iter().find(is_inside)
}

/// The place of each CPU's node in a list.
struct NodeOfCpu(BTreeMap<CpuId, usize>);

impl NodeOfCpu {
    fn new(nodes: &[(NodeId, CpuSet)]) -> Self {
        let all = nodes.iter().enumerate();
        Self(all.flat_map(|(at, (_, cpus))| cpus.iter().map(move |cpu| (cpu, at))).collect())
    }

    fn get(&self, cpu: CpuId) -> Option<usize> {
        self.0.get(&cpu).copied()
    }
}

/// The cores of the first node, then of the next: packages and caches have whole nodes, or nodes
/// have whole ones of them.
fn by_node(mut cores: Vec<CpuSet>, nodes: &[(NodeId, CpuSet)]) -> Vec<CpuSet> {
    let node_of = NodeOfCpu::new(nodes);
    let node = |core: &CpuSet| core.first().and_then(|cpu| node_of.get(cpu));
    cores.sort_by_cached_key(|core| (node(core), core.first()));
    cores
}

/// The cores in equal groups; none if they do not divide.
fn chunks(cores: &[CpuSet], groups: usize) -> Vec<CpuSet> {
    // Parts of cores, as caches of threads, are no groups of them.
    if groups == 0 || cores.len() % groups != 0 {
        return Vec::new();
    }
    let joined = |group: &[CpuSet]| group.iter().fold(CpuSet::new(), |all, core| all.union(core));
    cores.chunks(cores.len() / groups).map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(list: &str) -> CpuSet {
        CpuSet::parse_list(list).unwrap()
    }

    fn of(nodes: &[&str]) -> Vec<String> {
        let nodes: Vec<(NodeId, CpuSet)> =
            (0..).map(NodeId).zip(nodes.iter().map(|list| set(list))).collect();
        let cores = cores(&set("0-7"), &nodes, 2).unwrap();
        by_node(cores, &nodes).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn nodes_show_which_cpus_are_siblings() {
        assert_eq!(of(&["0-7"]), ["0,4", "1,5", "2,6", "3,7"]);
        assert_eq!(of(&["0-1,4-5", "2-3,6-7"]), ["0,4", "1,5", "2,6", "3,7"]);
        assert_eq!(of(&["0-3", "4-7"]), ["0-1", "2-3", "4-5", "6-7"]);
        assert_eq!(of(&["0,2,4,6", "1,3,5,7"]), ["0,4", "2,6", "1,5", "3,7"]);
        assert!(cores(&set("0-6"), &[], 2).is_none());
    }

    #[test]
    fn groups_that_do_not_divide_are_left_out() {
        let cores: Vec<CpuSet> = ["0", "1", "2", "3"].iter().map(|list| set(list)).collect();
        assert_eq!(chunks(&cores, 2), [set("0-1"), set("2-3")]);
        assert!(chunks(&cores, 3).is_empty() && chunks(&cores, 0).is_empty());
    }
}
