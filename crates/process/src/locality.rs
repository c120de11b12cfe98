//! Whether a process's memory is where its threads are: what `nearfar where`, `top` and `explain`
//! judge alike.
//!
//! The kernel does not record which thread uses which page. So every thread is taken to use all
//! pages equally, weighted by its CPU time.

use nearfar_machine::process::NodeSummaries;
use nearfar_model::{NodeId, NodeSet};

use crate::by_node::BytesByNode;
use crate::memory::ProcessMemory;

/// A remote share of memory, or a share of CPU time, that counts as none: for advice without costs.
pub(crate) const NEARLY_NONE: f64 = 0.1;
/// A share of memory or CPU time that counts as all of it.
pub(crate) const NEARLY_ALL: f64 = 0.9;

/// The share of CPU time of each node's threads; the shares add to 1.
pub type NodeWeights = Vec<(NodeId, f64)>;

/// How a process's memory lies to its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locality {
    /// There is no other node.
    OneNode,
    /// No page is in memory, or no thread's node is known.
    Unknown,
    /// As good as all memory is on the nodes of its threads.
    Local,
    /// Some memory is on other nodes.
    Remote,
}

impl Locality {
    /// Judges a remote share on a machine with this many nodes. Below `floor` it does not matter:
    /// 10 % for advice without costs, less where costs are measured.
    pub fn judge(nodes: usize, remote_share: Option<f64>, floor: f64) -> Self {
        match remote_share {
            _ if nodes < 2 => Self::OneNode,
            None => Self::Unknown,
            Some(share) if share < floor => Self::Local,
            Some(_) => Self::Remote,
        }
    }
}

/// The nodes that a process can have memory on: those with memory, within its cpuset. Memory of
/// GPUs is for programs that use the GPU.
pub fn usable_nodes(nodes: &NodeSummaries, allowed: Option<&NodeSet>) -> NodeSet {
    let with_memory = nodes.with_memory().difference(&nodes.of_gpus());
    match allowed {
        Some(allowed) => with_memory.intersection(allowed),
        None => with_memory,
    }
}

/// The share of the memory of all processes that is remote; `None` if one share is unknown.
pub fn remote_share_of_all<'m>(
    processes: impl IntoIterator<Item = &'m ProcessMemory>,
) -> Option<f64> {
    remote_share_of(processes, ProcessMemory::by_node)
}

/// The same of a part of each process's memory.
pub(crate) fn remote_share_of<'m>(
    processes: impl IntoIterator<Item = &'m ProcessMemory>,
    part: impl Fn(&ProcessMemory) -> BytesByNode,
) -> Option<f64> {
    let (mut remote, mut total) = (0.0, 0.0);
    for memory in processes {
        let sizes = part(memory);
        let size = sizes.total().0 as f64;
        if size > 0.0 {
            remote += memory.threads.remote_share(&sizes)? * size;
            total += size;
        }
    }
    (total > 0.0).then(|| remote / total)
}

/// The node with the most CPU time among these nodes, and its share; of equal ones, the last.
pub fn busiest_node(
    weights: impl IntoIterator<Item = (NodeId, f64)>,
    among: &NodeSet,
) -> Option<(NodeId, f64)> {
    let among = weights.into_iter().filter(|(node, _)| among.contains(*node));
    among.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// The share of CPU time on a node.
pub fn weight_on(weights: impl IntoIterator<Item = (NodeId, f64)>, node: NodeId) -> f64 {
    weights.into_iter().find(|(known, _)| *known == node).map_or(0.0, |(_, weight)| weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locality_follows_nodes_then_share() {
        for (nodes, share, floor, expected) in [
            (1, Some(0.5), NEARLY_NONE, Locality::OneNode),
            (1, None, NEARLY_NONE, Locality::OneNode),
            (2, None, NEARLY_NONE, Locality::Unknown),
            (2, Some(0.05), NEARLY_NONE, Locality::Local),
            (2, Some(0.1), NEARLY_NONE, Locality::Remote),
            (2, Some(0.05), 0.02, Locality::Remote),
        ] {
            assert_eq!(Locality::judge(nodes, share, floor), expected, "{nodes} {share:?}");
        }
    }

    #[test]
    fn the_busiest_node_is_one_of_the_usable() {
        let weights = [(0, 0.3), (1, 0.6), (2, 0.1)].map(|(node, share)| (NodeId(node), share));
        let of = |list| busiest_node(weights, &NodeSet::parse_list(list).unwrap());
        assert_eq!(of("0-2"), Some((NodeId(1), 0.6)));
        assert_eq!(of("0,2"), Some((NodeId(0), 0.3)));
        assert_eq!(of("3"), None);
        assert_eq!((weight_on(weights, NodeId(1)), weight_on(weights, NodeId(9))), (0.6, 0.0));
    }
}
