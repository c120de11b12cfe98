//! `numa_node` in sysfs: the kernel's own answer, which programs get.

use std::collections::BTreeSet;

use nearfar_firmware::linux::{KernelLog, LogEventKind};
use nearfar_machine::HardwareNode;
use nearfar_machine::pci::KernelNode;

use super::ClaimSubject;
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The functions whose node a user has written.
pub(super) fn overridden(log: &KernelLog) -> BTreeSet<String> {
    let written = log.events.iter().filter_map(|event| match &event.kind {
        LogEventKind::PciNodeOverridden { device, .. } => Some(device.clone()),
        _ => None,
    });
    written.collect()
}

/// The kernel's node, without the log that shows whether a user has written it.
pub(super) fn claim_of_hardware(hardware: &HardwareNode) -> NodeClaim {
    let claimed = match (hardware.node, &hardware.source) {
        (Some(node), _) => ClaimedNode::Node { node },
        (None, Some(_)) => ClaimedNode::NoNode,
        (None, None) => ClaimedNode::Silent,
    };
    NodeClaim { witness: NodeWitness::Sysfs, claimed, source: hardware.source.clone() }
}

/// The kernel's node. A user may have written it: the kernel logs that.
pub(super) fn claim(overridden: &BTreeSet<String>, of: ClaimSubject<'_>) -> NodeClaim {
    let claimed = match of.listed.node {
        KernelNode::Node(node) => ClaimedNode::Node { node },
        KernelNode::Unknown => ClaimedNode::NoNode,
        KernelNode::NotReadable => ClaimedNode::NotReadable,
        KernelNode::Malformed => ClaimedNode::Malformed,
        KernelNode::Absent => ClaimedNode::Silent,
    };
    let address = of.listed.address.map(|address| address.to_string());
    let is_written = address.as_ref().is_some_and(|address| overridden.contains(address));
    let note = if is_written { ", written by a user" } else { "" };
    let source = address.map(|address| format!("numa_node of {address}{note}"));
    NodeClaim { witness: NodeWitness::Sysfs, claimed, source }
}
