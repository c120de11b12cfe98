//! What the witnesses claim about the node of a device, and what follows: a file for each witness.
//!
//! The one place that joins claims about a device's node. `nearfar devices` asks all witnesses,
//! `irq` all but measurements ([`NodeWitnesses`]); a program start has time for the kernel and for
//! kept measurements alone ([`DeviceNode::from_hardware`]). Both join their claims by the same rules,
//! and [`DeviceNode::for_placement`] is the node for a program.

mod kfd;
mod log;
mod measured;
mod pxm;
mod srat;
mod sysfs;

use std::collections::BTreeSet;

use nearfar_firmware::acpi::AcpiNamespace;
use nearfar_firmware::{FirmwareError, FirmwareItem};
use nearfar_machine::inventory::ListedHardware;
use nearfar_machine::pci::PciPath;
use nearfar_machine::{HardwareNode, Inventory};
use nearfar_model::{NodeId, ProximityDomain};

use crate::context::{DeviceContext, MeasuredNode};
use crate::document::{ClaimedNode, DeviceNode, NodeClaim, NodeVerdict, NodeWitness};
use kfd::KfdLinks;
use log::RootBusLog;
use pxm::RootBridges;
use srat::SratDevices;

/// The witnesses of a machine.
pub(crate) struct NodeWitnesses<'a> {
    context: &'a DeviceContext<'a>,
    namespace: Result<AcpiNamespace, FirmwareError>,
    root_bridges: RootBridges,
    srat: SratDevices,
    log: RootBusLog,
    overridden: BTreeSet<String>,
    kfd: KfdLinks,
}

/// A device to which claims apply.
#[derive(Clone, Copy)]
struct ClaimSubject<'a> {
    listed: &'a ListedHardware,
    path: &'a PciPath,
}

impl<'a> NodeWitnesses<'a> {
    pub(crate) fn new(context: &'a DeviceContext<'a>, inventory: &Inventory) -> Self {
        let namespace = FirmwareItem::acpi_namespace(context.firmware);
        let known = namespace.as_ref().ok();
        Self {
            context,
            root_bridges: RootBridges::new(known),
            srat: SratDevices::new(context.firmware, known),
            namespace,
            log: RootBusLog::new(context.log),
            overridden: sysfs::overridden(context.log),
            kfd: KfdLinks::new(context, inventory),
        }
    }

    /// The node of a device.
    pub(crate) fn node(&self, listed: &ListedHardware, path: &PciPath) -> DeviceNode {
        let of = ClaimSubject { listed, path };
        let mut claims = vec![sysfs::claim(&self.overridden, of)];
        if listed.address.is_some() {
            claims.push(pxm::claim(self, of));
            claims.push(self.log.claim(self.context, of));
            claims.push(srat::claim(self, of));
            claims.extend(self.kfd.claim(of));
            let kernel = listed.node.node();
            claims.extend(measured::claim(self.context.measured, listed.address, kernel));
        }
        let counts = |claim: &NodeClaim| match claim.witness {
            // A generic initiator's domain is mostly the device's own memory, without CPUs: it does
            // not contradict the node from which programs use the device.
            NodeWitness::Srat => {
                claim.claimed.node().is_some_and(|node| !self.context.cpus(node).is_empty())
            }
            // The driver repeats the kernel's node.
            NodeWitness::Amdkfd => claim.claimed.node() != listed.node.node(),
            NodeWitness::Sysfs | NodeWitness::Pxm | NodeWitness::Log | NodeWitness::Measured => {
                true
            }
        };
        join(self.context.only_node(), claims, counts)
    }

    /// The node of a domain.
    fn for_domain(&self, domain: ProximityDomain) -> ClaimedNode {
        match self.context.domains.get(&domain) {
            Some(node) => ClaimedNode::Node { node: *node },
            None => ClaimedNode::DomainWithoutNode { domain: domain.0 },
        }
    }
}

impl DeviceNode {
    /// The node of hardware by the kernel and by copies alone: neither firmware's tables nor the
    /// log are read. `only_node` is that of a machine with one.
    pub fn from_hardware(
        hardware: &HardwareNode,
        measured: &[MeasuredNode],
        only_node: Option<NodeId>,
    ) -> Self {
        let mut claims = vec![sysfs::claim_of_hardware(hardware)];
        claims.extend(measured::claim(measured, hardware.address, hardware.node));
        join(only_node, claims, |_| true)
    }
}

/// The verdict on the claims that count. A measurement decides.
fn join(
    only_node: Option<NodeId>,
    claims: Vec<NodeClaim>,
    counts: impl Fn(&NodeClaim) -> bool,
) -> DeviceNode {
    let measured = claims.iter().find(|one| one.witness == NodeWitness::Measured);
    if let Some(node) = measured.and_then(|claim| claim.claimed.node()) {
        return DeviceNode { node: Some(node), verdict: NodeVerdict::Measured, claims };
    }
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
