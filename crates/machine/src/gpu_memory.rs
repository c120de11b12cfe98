//! Nodes whose memory is a GPU's.
//!
//! Where CPUs and GPU share a coherent link (NVIDIA's Grace, POWER9), the driver adds the GPU's
//! memory to the kernel, as a node without CPUs. Its pages are counted as all others are, but
//! programs that do not use the GPU should not get them.

use std::collections::BTreeMap;

use nearfar_model::NodeId;

use crate::pci::PciAddress;
use crate::source::Source;

const GPUS: &str = "/proc/driver/nvidia/gpus";

/// The nodes of GPUs' memory, as NVIDIA's driver names them, with each node's GPU. A node with CPUs
/// is none: there the memory is shared.
///
/// # References
///
/// `nv_procfs_read_numa_status` in kernel-open/nvidia/nv-procfs.c of NVIDIA's driver
pub(crate) fn gpu_nodes(source: &Source) -> BTreeMap<NodeId, PciAddress> {
    let node_of = |address: &String| {
        let text = source.text(&format!("{GPUS}/{address}/numa_status"))?;
        let number = text.lines().find_map(|line| line.strip_prefix("Node:"))?;
        Some((NodeId(number.trim().parse().ok()?), PciAddress::parse(address).ok()?))
    };
    let has_cpus = |node: NodeId| {
        let cpus = source.text(&format!("/sys/devices/system/node/node{node}/cpulist"));
        cpus.is_some_and(|cpus| !cpus.trim().is_empty())
    };
    let nodes = source.list(GPUS).into_iter().filter_map(|address| node_of(&address));
    nodes.filter(|(node, _)| !has_cpus(*node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::NodeSummaries;
    use crate::{MachineCounters, Topology};

    /// A Grace Hopper machine: node 1 is the GPU's, nodes 2 and 3 are for its MIG instances.
    pub(crate) fn grace() -> Source {
        let node = |id: u32, file: &str| format!("/sys/devices/system/node/node{id}/{file}");
        let size = |id: u32, kib: u64| {
            format!("Node {id} MemTotal: {kib} kB\nNode {id} MemFree: {} kB\n", kib / 2)
        };
        let zone = |id: u32, name: &str, pages: u64| {
            let free = pages / 2;
            format!("Node {id}, zone {name}\n  pages free {free}\n        managed {pages}\n")
        };
        let zones = zone(0, "Normal", 1000) + &zone(1, "Movable", 500);
        Source::from_files([
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/node/online".to_owned(), "0-3".to_owned()),
            (node(0, "cpulist"), "0-3".to_owned()),
            (node(0, "meminfo"), size(0, 4000)),
            (node(1, "cpulist"), "\n".to_owned()),
            (node(1, "meminfo"), size(1, 2000)),
            (node(2, "meminfo"), size(2, 0)),
            (node(3, "meminfo"), size(3, 0)),
            ("/proc/meminfo".to_owned(), "MemTotal: 6000 kB\nMemAvailable: 3000 kB\n".to_owned()),
            ("/proc/zoneinfo".to_owned(), zones),
            (
                format!("{GPUS}/0009:01:00.0/numa_status"),
                "Node:      1\nStatus:    online\nAddress:   420000000000\n".to_owned(),
            ),
            (format!("{GPUS}/0009:01:00.0/information"), "Model: NVIDIA GH200\n".to_owned()),
            // Its memory is offline.
            (format!("{GPUS}/0019:01:00.0/numa_status"), "Node:      -1\n".to_owned()),
            (format!("{GPUS}/0029:01:00.0/numa_status"), "Node:      0\n".to_owned()),
        ])
    }

    #[test]
    fn memory_of_a_gpu_is_not_available_to_the_host() {
        let source = grace();
        let gpu = PciAddress::parse("0009:01:00.0").unwrap();
        assert_eq!(gpu_nodes(&source), BTreeMap::from([(NodeId(1), gpu)]));
        let summaries = NodeSummaries::read_with_available(&source);
        let of = |id: u32| summaries.node(NodeId(id)).unwrap();
        assert_eq!((of(1).gpu, of(0).gpu), (Some(gpu), None));
        assert!(of(1).available.is_none() && of(0).available.is_some());
        let counters = MachineCounters::read(&source);
        assert_eq!((counters.nodes[1].gpu, counters.nodes[1].available), (Some(gpu), None));
        let topology = Topology::read(&source).unwrap();
        let nodes = &topology.nodes;
        assert_eq!(nodes[1].gpu, Some(gpu));
        assert_eq!(nodes[1].movable_memory.0, 2000 << 10);
        assert_eq!(nodes[1].memory.unwrap().available, None);
        // The kernel's 3000 kB have the GPU's 1000 kB of free memory.
        assert_eq!(topology.memory_available.unwrap().0, 2000 << 10);
    }

    #[test]
    fn other_machines_have_none() {
        assert!(gpu_nodes(&Source::from_files([("/proc/x", "")])).is_empty());
    }
}
