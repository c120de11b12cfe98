//! The part of a process's memory that is a GPU's.

use nearfar_machine::PciAddress;
use nearfar_machine::process::NodeSummaries;
use nearfar_model::NodeId;
use serde::Serialize;

use crate::by_node::BytesByNode;

/// A node whose memory is a GPU's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct GpuNode {
    /// The node.
    pub node: NodeId,
    /// The GPU's address.
    pub gpu: PciAddress,
}

/// The nodes of GPUs, ascending.
pub(crate) fn gpu_nodes(around: &NodeSummaries) -> Vec<GpuNode> {
    let of_gpu = |(node, gpu): (NodeId, Option<PciAddress>)| Some(GpuNode { node, gpu: gpu? });
    around.nodes.iter().map(|node| (node.id, node.gpu)).filter_map(of_gpu).collect()
}

/// Memory of the host alone: a program has memory of a GPU on purpose.
pub(crate) fn without_gpus(sizes: &BytesByNode, around: &NodeSummaries) -> BytesByNode {
    let of_gpus = around.of_gpus();
    sizes.iter().filter(|(node, _)| !of_gpus.contains(*node)).collect()
}
