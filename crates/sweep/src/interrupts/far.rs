//! The CPUs that are farthest from a device.

use std::cmp::Reverse;

use nearfar_machine::Topology;
use nearfar_model::{CpuSet, NodeId};

/// The CPUs of the farthest node: of several, or without distances, that with the lowest number.
/// `None` if all CPUs are near.
pub(super) fn far_cpus(node: NodeId, near: &CpuSet, topology: &Topology) -> Option<CpuSet> {
    let online = topology.online();
    let distance = |from: NodeId| topology.distances.as_ref()?.between(from, node);
    let nodes = topology.nodes.iter().filter(|node| node.online);
    let with_cpus = nodes.map(|node| (node.id, node.cpus.intersection(&online)));
    let far = with_cpus.filter(|(_, cpus)| !cpus.is_empty() && cpus.intersection(near).is_empty());
    far.max_by_key(|(id, _)| (distance(*id), Reverse(*id))).map(|(_, cpus)| cpus)
}
