//! What the witnesses claim about the node of a device, and what follows: a file for each witness.

mod log;
mod pxm;
mod srat;
mod sysfs;

use nearfar_firmware::acpi::AcpiNamespace;
use nearfar_firmware::{FirmwareError, FirmwareItem};
use nearfar_machine::inventory::ListedHardware;
use nearfar_machine::pci::PciPath;
use nearfar_model::{NodeId, ProximityDomain};

use crate::context::DeviceContext;
use crate::document::{ClaimedNode, DeviceNode, NodeClaim, NodeVerdict, NodeWitness};

/// The witnesses of a machine.
pub(crate) struct NodeWitnesses<'a> {
    context: &'a DeviceContext<'a>,
    namespace: Result<AcpiNamespace, FirmwareError>,
}

/// A device to which claims apply.
#[derive(Clone, Copy)]
struct ClaimSubject<'a> {
    listed: &'a ListedHardware,
    path: &'a PciPath,
}

impl<'a> NodeWitnesses<'a> {
    pub(crate) fn new(context: &'a DeviceContext<'a>) -> Self {
        Self { context, namespace: FirmwareItem::acpi_namespace(context.firmware) }
    }

    /// The node of a device.
    pub(crate) fn node(&self, listed: &ListedHardware, path: &PciPath) -> DeviceNode {
        let of = ClaimSubject { listed, path };
        let mut claims = vec![sysfs::claim(self.context, of)];
        if listed.address.is_some() {
            claims.push(pxm::claim(self, of));
            claims.push(log::claim(self.context, of));
            claims.push(srat::claim(self, of));
        }
        let counts = |claim: &NodeClaim| {
            // A generic initiator's domain is mostly the device's own memory, without CPUs: it does
            // not contradict the node from which programs use the device.
            let node = claim.claimed.node();
            claim.witness != NodeWitness::Srat
                || node.is_some_and(|node| !self.context.cpus(node).is_empty())
        };
        join(self.context.only_node(), claims, counts)
    }

    /// The node of a domain.
    fn of_domain(&self, domain: ProximityDomain) -> ClaimedNode {
        match self.context.domains.get(&domain) {
            Some(node) => ClaimedNode::Node { node: *node },
            None => ClaimedNode::DomainWithoutNode { domain: domain.0 },
        }
    }
}

/// The verdict on the claims that count.
fn join(
    only_node: Option<NodeId>,
    claims: Vec<NodeClaim>,
    counts: impl Fn(&NodeClaim) -> bool,
) -> DeviceNode {
    let named = |is_kernel: bool| {
        let of = claims.iter().filter(move |one| (one.witness == NodeWitness::Sysfs) == is_kernel);
        of.filter(|one| counts(one)).filter_map(|one| one.claimed.node())
    };
    let kernel = named(true).next();
    let others: Vec<NodeId> = named(false).collect();
    let first = others.first().copied();
    let agree = others.iter().all(|node| Some(*node) == kernel.or(first));
    let (node, verdict) = match (kernel, first) {
        _ if !agree => (kernel.or(only_node), NodeVerdict::Disputed),
        (Some(node), Some(_)) => (Some(node), NodeVerdict::Agreed),
        _ if only_node.is_some() => (only_node, NodeVerdict::OnlyNode),
        (Some(node), None) => (Some(node), NodeVerdict::KernelOnly),
        (None, Some(node)) => (Some(node), NodeVerdict::FirmwareOnly),
        (None, None) => (None, NodeVerdict::Unknown),
    };
    DeviceNode { node, verdict, claims }
}

#[cfg(test)]
mod tests;
