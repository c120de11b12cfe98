//! Copies of the device, which were measured from and to every node.

use super::ClaimSubject;
use crate::context::DeviceContext;
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The node that a measurement showed; none where there was none.
pub(super) fn claim(context: &DeviceContext<'_>, of: ClaimSubject<'_>) -> Option<NodeClaim> {
    let known = context.measured.iter().find(|one| Some(one.address) == of.listed.address)?;
    Some(NodeClaim {
        witness: NodeWitness::Measured,
        claimed: ClaimedNode::Node { node: known.node(of.listed.node.node())? },
        source: Some(known.source.clone()),
    })
}
