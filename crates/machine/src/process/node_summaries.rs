//! CPUs and memory of each node, without the rest of the topology, which takes longer to read than
//! a process.

use nearfar_model::{Bytes, CpuId, CpuSet, NodeId, NodeSet};

use crate::attribute::Attributes;
use crate::available_memory;
use crate::gpu_memory::gpu_nodes;
use crate::pci::PciAddress;
use crate::source::Source;

const FOLDER: &str = "/sys/devices/system/node";

/// The online nodes, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSummaries {
    /// All online nodes; empty if the kernel has no NUMA.
    pub nodes: Vec<NodeSummary>,
}

/// CPUs and memory of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSummary {
    /// The kernel's number; numbers may have gaps.
    pub id: NodeId,
    /// Its online CPUs; empty for memory-only nodes.
    pub cpus: CpuSet,
    /// Its total memory, if the kernel reports it.
    pub total: Option<Bytes>,
    /// Its free memory.
    pub free: Option<Bytes>,
    /// What programs can still get there without swapping, if the kernel shows it.
    pub available: Option<Bytes>,
    /// The GPU whose memory it is.
    pub gpu: Option<PciAddress>,
}

impl NodeSummaries {
    /// Reads the nodes. Never fails.
    ///
    /// # References
    ///
    /// Documentation/ABI/stable/sysfs-devices-node
    pub fn read(source: &Source) -> Self {
        let read = Attributes::new(source);
        let online: NodeSet =
            read.list(&format!("{FOLDER}/online")).unwrap_or_else(|| source.ids(FOLDER, "node"));
        let gpus = gpu_nodes(source);
        let with_gpu = |id| NodeSummary { gpu: gpus.get(&id).copied(), ..node(&read, id) };
        Self { nodes: online.iter().map(with_gpu).collect() }
    }

    /// As [`read`](Self::read), with what each node has available.
    pub fn read_with_available(source: &Source) -> Self {
        let mut summaries = Self::read(source);
        let totals = summaries.nodes.iter().filter_map(|node| node.total);
        let total = totals.fold(0_u64, |sum, total| sum.saturating_add(total.0));
        let available = available_memory::read(source, Bytes(total));
        for node in &mut summaries.nodes {
            node.available = available.get(&node.id).copied();
        }
        summaries
    }

    /// The node of a CPU.
    pub fn node_of(&self, cpu: CpuId) -> Option<NodeId> {
        self.nodes.iter().find(|node| node.cpus.contains(cpu)).map(|node| node.id)
    }

    /// The nodes of these CPUs.
    pub fn nodes_of(&self, cpus: &CpuSet) -> NodeSet {
        self.nodes.iter().filter(|node| !node.cpus.is_disjoint(cpus)).map(|node| node.id).collect()
    }

    /// The CPUs of these nodes.
    pub fn cpus_of(&self, nodes: &NodeSet) -> CpuSet {
        let of = self.nodes.iter().filter(|node| nodes.contains(node.id));
        of.fold(CpuSet::new(), |cpus, node| cpus.union(&node.cpus))
    }

    /// A node by its number.
    pub fn node(&self, id: NodeId) -> Option<&NodeSummary> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The numbers of all nodes.
    pub fn ids(&self) -> NodeSet {
        self.nodes.iter().map(|node| node.id).collect()
    }

    /// Nodes whose memory is a GPU's.
    pub fn of_gpus(&self) -> NodeSet {
        self.nodes.iter().filter(|node| node.gpu.is_some()).map(|node| node.id).collect()
    }

    /// Nodes with memory or unknown memory.
    pub fn with_memory(&self) -> NodeSet {
        self.nodes.iter().filter(|node| node.total != Some(Bytes(0))).map(|node| node.id).collect()
    }
}

fn node(read: &Attributes<'_>, id: NodeId) -> NodeSummary {
    let folder = format!("{FOLDER}/node{id}");
    let meminfo = read.text(&format!("{folder}/meminfo")).unwrap_or_default();
    let size = |key: &str| -> Option<Bytes> {
        meminfo.lines().find_map(|line| line.split_once(key))?.1.parse().ok()
    };
    NodeSummary {
        id,
        cpus: read
            .list_or_mask(&format!("{folder}/cpulist"), &format!("{folder}/cpumap"))
            .unwrap_or_default(),
        total: size(" MemTotal:"),
        free: size(" MemFree:"),
        available: None,
        gpu: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_nodes_without_cpus_or_memory_are_normal() {
        let source = Source::from_files([
            ("/sys/devices/system/node/online", "0,2,8"),
            ("/sys/devices/system/node/node0/cpulist", "0-1"),
            (
                "/sys/devices/system/node/node0/meminfo",
                "Node 0 MemTotal:  2048 kB\nNode 0 MemFree:  1024 kB\n",
            ),
            ("/sys/devices/system/node/node2/cpulist", ""),
            ("/sys/devices/system/node/node8/cpumap", "c"),
            ("/sys/devices/system/node/node8/meminfo", "Node 8 MemTotal: 0 kB\n"),
        ]);
        let around = NodeSummaries::read(&source);
        assert_eq!(
            (around.ids().to_string(), around.with_memory().to_string()),
            ("0,2,8".into(), "0,2".into())
        );
        assert_eq!((around.node_of(CpuId(3)), around.node_of(CpuId(9))), (Some(NodeId(8)), None));
        assert_eq!(around.nodes_of(&CpuSet::parse_list("1-2").unwrap()).to_string(), "0,8");
        assert_eq!(around.cpus_of(&NodeSet::from_id(NodeId(8))).to_string(), "2-3");
        assert_eq!(around.node(NodeId(0)).unwrap().free, Some(Bytes::mib(1)));
    }

    #[test]
    fn a_kernel_without_numa_has_no_nodes() {
        assert_eq!(
            NodeSummaries::read(&Source::from_files([("/proc/x", "")])),
            NodeSummaries::default()
        );
    }
}
