//! The node of each CPU.

use nearfar_machine::Topology;
use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};

use crate::irq::document::{CpuCount, NodeCount};

/// The nodes of CPUs.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuNodes {
    by_cpu: Vec<Option<NodeId>>,
    nodes: NodeSet,
}

impl CpuNodes {
    pub(crate) fn new(topology: Option<&Topology>) -> Self {
        let mut all = Self::default();
        for node in topology.iter().flat_map(|one| &one.nodes).filter(|node| node.online) {
            all.nodes.insert(node.id);
            for cpu in node.cpus.iter() {
                let index = cpu.0 as usize;
                if all.by_cpu.len() <= index {
                    all.by_cpu.resize(index + 1, None);
                }
                all.by_cpu[index] = Some(node.id);
            }
        }
        all
    }

    pub(crate) fn nodes(&self) -> &NodeSet {
        &self.nodes
    }

    pub(crate) fn for_cpu(&self, cpu: CpuId) -> Option<NodeId> {
        self.by_cpu.get(cpu.0 as usize).copied().flatten()
    }

    /// The nodes of several CPUs.
    pub(crate) fn for_cpus(&self, cpus: &CpuSet) -> NodeSet {
        cpus.iter().filter_map(|cpu| self.for_cpu(cpu)).collect()
    }

    /// Counts by node, of the nodes that have some.
    pub(crate) fn sums(&self, counts: &[CpuCount]) -> Vec<NodeCount> {
        let mut sums: Vec<NodeCount> = Vec::new();
        for count in counts {
            let Some(node) = self.for_cpu(count.cpu) else { continue };
            match sums.iter_mut().find(|sum| sum.node == node) {
                Some(sum) => sum.count = sum.count.saturating_add(count.count),
                None => sums.push(NodeCount { node, count: count.count }),
            }
        }
        sums.sort_unstable_by_key(|sum| sum.node);
        sums
    }
}
