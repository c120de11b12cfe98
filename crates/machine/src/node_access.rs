//! Latencies and bandwidths of ACPI's HMAT, as the kernel shows them (`nodeN/access0`).
//!
//! For each node with memory the kernel has one set of values: those of its nearest initiators. The
//! values are firmware's claims, not measurements (Documentation/admin-guide/mm/numaperf.rst).

use nearfar_model::{NodeId, NodeSet};
use serde::Serialize;

use crate::attribute::Attributes;
use crate::source::Source;

const FOLDER: &str = "/sys/devices/system/node";
const MEGABYTE: u64 = 1_000_000;

/// Performance of a node's memory for its nearest initiators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NodeAccess {
    /// The node with the memory.
    pub target: NodeId,
    /// The nearest initiator nodes.
    pub initiators: NodeSet,
    /// Read latency in ns.
    pub read_latency_ns: Option<u64>,
    /// Write latency in ns.
    pub write_latency_ns: Option<u64>,
    /// Read bandwidth in bytes per second.
    pub read_bandwidth_bytes_per_s: Option<u64>,
    /// Write bandwidth in bytes per second.
    pub write_bandwidth_bytes_per_s: Option<u64>,
}

impl NodeAccess {
    /// Reads all nodes; empty if firmware has no HMAT, or the kernel ignores it.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/mm/numaperf.rst, Documentation/ABI/stable/sysfs-devices-node
    pub fn read_all(source: &Source) -> Vec<Self> {
        let read = Attributes::new(source);
        source
            .numbered(FOLDER, "node")
            .into_iter()
            .filter_map(|id| one(&read, NodeId(id)))
            .collect()
    }
}

fn one(read: &Attributes<'_>, target: NodeId) -> Option<NodeAccess> {
    let folder = format!("{FOLDER}/node{target}/access0/initiators");
    let number =
        |name: &str| read.parsed::<u64>(&format!("{folder}/{name}")).filter(|&number| number > 0);
    let bandwidth = |name: &str| number(name)?.checked_mul(MEGABYTE);
    let access = NodeAccess {
        target,
        initiators: read.source.numbered(&folder, "node").into_iter().map(NodeId).collect(),
        read_latency_ns: number("read_latency"),
        write_latency_ns: number("write_latency"),
        read_bandwidth_bytes_per_s: bandwidth("read_bandwidth"),
        write_bandwidth_bytes_per_s: bandwidth("write_bandwidth"),
    };
    (!access.initiators.is_empty()).then_some(access)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_to_the_listed_initiators() {
        let folder = "/sys/devices/system/node/node2/access0/initiators";
        let source = Source::from_files([
            (format!("{folder}/node0/online"), "1"),
            (format!("{folder}/node1/online"), "1"),
            (format!("{folder}/read_latency"), "150"),
            (format!("{folder}/write_latency"), "0"),
            (format!("{folder}/read_bandwidth"), "2000"),
            ("/sys/devices/system/node/node0/cpulist".to_owned(), "0"),
        ]);
        let access = NodeAccess::read_all(&source);
        assert_eq!(access.len(), 1);
        assert_eq!(
            (access[0].target, access[0].initiators.to_string()),
            (NodeId(2), "0-1".to_owned())
        );
        assert_eq!((access[0].read_latency_ns, access[0].write_latency_ns), (Some(150), None));
        assert_eq!(access[0].read_bandwidth_bytes_per_s, Some(2_000_000_000));
    }
}
