//! The CPUs and nodes that may be used, and errors for those that may not.

use nearfar_machine::Topology;
use nearfar_model::{CpuSet, Id, IdSet, NodeId, NodeSet};

use super::LayoutRequest;
use crate::layout_error::LayoutError;

pub(super) fn usable_cpus(
    topology: &Topology,
    wanted: &LayoutRequest,
) -> Result<CpuSet, LayoutError> {
    let online = topology.online();
    let usable = online.intersection(&topology.allowed.cpus);
    let Some(wanted) = &wanted.cpus else {
        return if usable.is_empty() { Err(LayoutError::NoCpu) } else { Ok(usable) };
    };
    if wanted.is_empty() {
        return Err(LayoutError::EmptyCpuList);
    }
    let known: CpuSet = topology.cpus.iter().map(|cpu| cpu.id).collect();
    refuse(wanted.difference(&known), |cpus| LayoutError::UnknownCpu {
        cpus,
        known: known.clone(),
    })?;
    refuse(wanted.difference(&online), |cpus| LayoutError::OfflineCpu { cpus })?;
    refuse(wanted.difference(&usable), |cpus| LayoutError::CpuOutsideCpuset {
        cpus,
        allowed: usable.clone(),
    })?;
    Ok(wanted.clone())
}

/// The nodes to measure, including those without memory, whose cells report it.
pub(super) fn usable_nodes(
    topology: &Topology,
    wanted: &LayoutRequest,
) -> Result<NodeSet, LayoutError> {
    let online = topology.online_nodes();
    let without_memory = online.iter().filter(|&id| !has_memory(topology, id)).collect();
    let usable = online.intersection(&topology.allowed.nodes.union(&without_memory));
    let Some(wanted) = &wanted.nodes else { return Ok(usable) };
    if wanted.is_empty() {
        return Err(LayoutError::EmptyNodeList);
    }
    if online.is_empty() {
        return Err(LayoutError::KernelWithoutNodes);
    }
    let known: NodeSet = topology.nodes.iter().map(|node| node.id).collect();
    refuse(wanted.difference(&known), |nodes| LayoutError::UnknownNode {
        nodes,
        known: known.clone(),
    })?;
    refuse(wanted.difference(&online), |nodes| LayoutError::OfflineNode { nodes })?;
    refuse(wanted.difference(&usable), |nodes| LayoutError::NodeOutsideCpuset {
        nodes,
        allowed: usable.clone(),
    })?;
    Ok(wanted.clone())
}

fn refuse<T: Id>(
    bad: IdSet<T>,
    error: impl FnOnce(IdSet<T>) -> LayoutError,
) -> Result<(), LayoutError> {
    if bad.is_empty() { Ok(()) } else { Err(error(bad)) }
}

pub(super) fn has_memory(topology: &Topology, id: NodeId) -> bool {
    topology.node(id).is_some_and(nearfar_machine::Node::may_have_memory)
}
