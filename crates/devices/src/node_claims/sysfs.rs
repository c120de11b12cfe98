//! `numa_node` in sysfs: the kernel's own answer, which programs get.

use nearfar_linux::LogEventKind;
use nearfar_machine::pci::KernelNode;

use super::ClaimSubject;
use crate::context::DeviceContext;
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The kernel's node. A user may have written it: the kernel logs that.
pub(super) fn claim(context: &DeviceContext<'_>, of: ClaimSubject<'_>) -> NodeClaim {
    let claimed = match of.listed.node {
        KernelNode::Node(node) => ClaimedNode::Node { node },
        KernelNode::Unknown => ClaimedNode::NoNode,
        KernelNode::NotReadable => ClaimedNode::NotReadable,
        KernelNode::Malformed => ClaimedNode::Malformed,
        KernelNode::Absent => ClaimedNode::Silent,
    };
    let address = of.listed.address.map(|address| address.to_string());
    let is_written = context.log.events.iter().any(|event| match &event.kind {
        LogEventKind::PciNodeOverridden { device, .. } => Some(device) == address.as_ref(),
        _ => false,
    });
    let note = if is_written { ", written by a user" } else { "" };
    let source = address.map(|address| format!("numa_node of {address}{note}"));
    NodeClaim { witness: NodeWitness::Sysfs, claimed, source }
}
