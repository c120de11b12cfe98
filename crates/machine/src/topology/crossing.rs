//! Nodes that do not follow the hardware: each has a part of a group of CPUs, and others.

use std::fmt;

use nearfar_model::{CpuSet, NodeSet};

use super::{Cache, Node, Package, PackagePart};

/// A group of CPUs, and nodes that overlap it where neither is inside the other (hwloc:
/// "intersection without inclusion").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCrossing {
    /// The nodes.
    pub nodes: NodeSet,
    /// What the group shares.
    pub group: CrossedGroup,
    /// The group's CPUs.
    pub cpus: CpuSet,
}

/// What CPUs of a group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossedGroup {
    /// A package.
    Package,
    /// A cache of this level.
    Cache(u32),
    /// A core.
    Core,
}

/// "package", "L3 cache", "core".
impl fmt::Display for CrossedGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package => f.write_str("package"),
            Self::Cache(level) => write!(f, "L{level} cache"),
            Self::Core => f.write_str("core"),
        }
    }
}

/// All crossings of the largest kind of group that is crossed: a node that crosses packages crosses
/// most caches, too.
pub(super) fn all(
    nodes: &[Node],
    packages: &[Package],
    caches: &[Cache],
    cores: &[PackagePart],
) -> Vec<NodeCrossing> {
    let mut caches: Vec<&Cache> = caches.iter().collect();
    caches.sort_by_key(|cache| std::cmp::Reverse(cache.level));
    let packages = packages.iter().map(|package| (CrossedGroup::Package, &package.cpus));
    let caches = caches.iter().map(|cache| (CrossedGroup::Cache(cache.level), &cache.cpus));
    let cores = cores.iter().map(|core| (CrossedGroup::Core, &core.cpus));
    let mut found: Vec<NodeCrossing> = Vec::new();
    for (group, cpus) in packages.chain(caches).chain(cores) {
        let is_smaller = found.first().is_some_and(|first| first.group != group);
        if is_smaller {
            break;
        }
        let crosses = |node: &&Node| {
            let both = node.cpus.intersection(cpus);
            node.online && !both.is_empty() && both != node.cpus && both != *cpus
        };
        let nodes: NodeSet = nodes.iter().filter(crosses).map(|node| node.id).collect();
        let is_known = found.iter().any(|known| known.cpus == *cpus);
        if !nodes.is_empty() && !is_known {
            found.push(NodeCrossing { nodes, group, cpus: cpus.clone() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use crate::source::Source;

    /// Eight CPUs in two packages of two L3 caches, and nodes with these lists of CPUs.
    fn crossings(nodes: &[&str]) -> Vec<String> {
        let mut files = vec![("/sys/devices/system/cpu/online".to_owned(), "0-7".to_owned())];
        for cpu in 0..8 {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
            let core = (cpu % 4) / 2 * 2 + cpu / 4 * 4;
            files.extend([
                (format!("{folder}/topology/physical_package_id"), (cpu / 4).to_string()),
                (format!("{folder}/topology/core_id"), (cpu % 4 / 2).to_string()),
                (format!("{folder}/topology/thread_siblings_list"), format!("{core}-{}", core + 1)),
                (format!("{folder}/cache/index3/level"), "3".to_owned()),
                (format!("{folder}/cache/index3/type"), "Unified".to_owned()),
                (format!("{folder}/cache/index3/shared_cpu_list"), format!("{core}-{}", core + 1)),
            ]);
        }
        for (node, cpus) in nodes.iter().enumerate() {
            let folder = format!("/sys/devices/system/node/node{node}");
            files.push((format!("{folder}/cpulist"), (*cpus).to_owned()));
        }
        let topology = Topology::read(&Source::from_files(files)).unwrap();
        let crossings = topology.nodes_that_cross();
        crossings
            .iter()
            .map(|crossing| format!("{} {} {}", crossing.nodes, crossing.group, crossing.cpus))
            .collect()
    }

    #[test]
    fn nodes_inside_or_around_groups_do_not_cross() {
        for nodes in
            [&["0-7"][..], &["0-3", "4-7"], &["0-1", "2-3", "4-5", "6-7"], &["0-7", ""], &["0-5"]]
        {
            let expected: &[&str] = if nodes == ["0-5"] { &["0 package 4-7"] } else { &[] };
            assert_eq!(crossings(nodes), expected, "{nodes:?}");
        }
    }

    #[test]
    fn each_group_that_is_cut_is_found() {
        assert_eq!(crossings(&["0-1,4-5", "2-3,6-7"]), ["0-1 package 0-3", "0-1 package 4-7"]);
        assert_eq!(crossings(&["0,2-3", "1,4-7"]), ["1 package 0-3"]);
        assert_eq!(crossings(&["0,2", "1,3", "4-7"]), ["0-1 L3 cache 0-1", "0-1 L3 cache 2-3"]);
    }
}
