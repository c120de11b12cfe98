//! Only the nodes, as `numactl --hardware` shows them, without CPU caches and the rest.

use nearfar_model::DistanceMatrix;

use super::node::{self, Node};
use crate::attribute::Attributes;
use crate::source::Source;

/// The nodes that are online, and the distances between them.
///
/// A [`Topology`](super::Topology) has the same and more, but reads up to ten files per CPU.
#[derive(Default, Clone, Debug, PartialEq)]
pub struct NodeTable {
    /// Online nodes, ascending.
    pub nodes: Vec<Node>,
    /// Distances as claimed by firmware, if the kernel shows them.
    pub distances: Option<DistanceMatrix>,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

impl NodeTable {
    /// Reads the nodes; `None` if the kernel has no NUMA (`CONFIG_NUMA`).
    ///
    /// # References
    ///
    /// Documentation/ABI/stable/sysfs-devices-node; numactl(8)
    pub fn read(source: &Source) -> Option<Self> {
        if !node::supported(source) {
            return None;
        }
        let read = Attributes::new(source);
        let mut nodes = node::read_all(&read);
        nodes.retain(|node| node.online);
        let distances = node::distances(&read, &nodes);
        Some(Self { nodes, distances, oddities: read.into_oddities() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possible_nodes_are_skipped() {
        let files = [
            ("online", "0,4"),
            ("possible", "0-7"),
            ("node0/cpulist", "0-1"),
            ("node0/distance", "10 20"),
            ("node4/distance", "20 10"),
            ("node4/meminfo", "Node 4 MemTotal: 4096 kB\nNode 4 MemFree: 1024 kB\n"),
        ];
        let source = Source::from_files(
            files.map(|(name, text)| (format!("/sys/devices/system/node/{name}"), text)),
        );
        let table = NodeTable::read(&source).unwrap();
        assert_eq!(table.nodes.iter().map(|node| node.id.0).collect::<Vec<_>>(), [0, 4]);
        assert_eq!(table.distances.unwrap().rows()[0], [10, 20]);
        assert!(
            table.nodes[1].has_memory()
                && table.nodes[1].cpus.is_empty()
                && !table.nodes[0].has_memory()
        );
    }

    #[test]
    fn without_numa_there_is_no_table() {
        assert_eq!(
            NodeTable::read(&Source::from_files([("/sys/devices/system/cpu/online", "0")])),
            None
        );
    }
}
