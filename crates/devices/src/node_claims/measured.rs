//! Copies of the device, which were measured from and to every node.

use nearfar_machine::PciAddress;
use nearfar_model::NodeId;

use crate::context::MeasuredNode;
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The node that a measurement showed; none where there was none.
pub(super) fn claim(
    measured: &[MeasuredNode],
    address: Option<PciAddress>,
    kernel: Option<NodeId>,
) -> Option<NodeClaim> {
    let known = measured.iter().find(|one| Some(one.address) == address)?;
    Some(NodeClaim {
        witness: NodeWitness::Measured,
        claimed: ClaimedNode::Node { node: known.node(kernel)? },
        source: Some(known.source.clone()),
    })
}
