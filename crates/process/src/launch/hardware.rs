//! What `numactl --hardware` shows: the nodes of a machine, their CPUs and memory, and the
//! distances between them.

use nearfar_machine::{Node, NodeTable, Source};
use nearfar_model::DistanceMatrix;
use serde::Serialize;

/// The name and version of the document.
pub const HARDWARE_SCHEMA: &str = "nearfar.hardware/1";

/// The nodes of a machine, as a document.
///
/// Nodes without CPUs and nodes without memory are nodes like others; ids have gaps where the
/// kernel's have.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Hardware {
    /// [`HARDWARE_SCHEMA`].
    pub schema: &'static str,
    /// Whether the kernel supports NUMA (`CONFIG_NUMA`). Without it all else is empty.
    pub numa_supported: bool,
    /// The nodes that are online, ascending.
    pub nodes: Vec<Node>,
    /// What firmware claims about distances, where the kernel shows it.
    pub distances: Option<DistanceMatrix>,
    /// Implausible values of the kernel, one line each.
    pub oddities: Vec<String>,
}

impl Hardware {
    /// Reads the nodes of a machine, live or captured.
    pub fn read(source: &Source) -> Self {
        let table = NodeTable::read(source);
        let numa_supported = table.is_some();
        let NodeTable { nodes, distances, oddities } = table.unwrap_or_default();
        Self { schema: HARDWARE_SCHEMA, numa_supported, nodes, distances, oddities }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_only_nodes_are_nodes() {
        let files = [
            ("online", "0,4"),
            ("node0/cpulist", "0-1"),
            ("node0/meminfo", "Node 0 MemTotal: 2048 kB\nNode 0 MemFree: 1024 kB"),
            ("node4/cpulist", ""),
            ("node4/meminfo", "Node 4 MemTotal: 4096 kB\nNode 4 MemFree: 4096 kB"),
        ];
        let source = Source::from_files(
            files.map(|(name, text)| (format!("/sys/devices/system/node/{name}"), text)),
        );
        let document = serde_json::to_value(Hardware::read(&source)).unwrap();
        assert_eq!(document["schema"], HARDWARE_SCHEMA);
        assert_eq!(document["nodes"][1]["id"], 4);
        assert_eq!(document["nodes"][1]["cpus"], "");
        assert_eq!(document["nodes"][1]["memory"]["total_bytes"], 4 << 20);
        assert!(document["distances"].is_null());
    }

    #[test]
    fn a_kernel_without_numa_has_no_nodes() {
        let hardware =
            Hardware::read(&Source::from_files([("/sys/devices/system/cpu/online", "0")]));
        assert!(!hardware.numa_supported && hardware.nodes.is_empty());
    }
}
