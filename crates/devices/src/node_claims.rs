//! What the witnesses claim about the node of a device, and what follows.

use nearfar_firmware::ReadState;
use nearfar_firmware::acpi::{Affinity, DeviceHandle, Srat, TableContent};
use nearfar_linux::LogEventKind;
use nearfar_machine::PciAddress;
use nearfar_machine::inventory::ListedHardware;
use nearfar_machine::pci::{KernelNode, PciHop, PciPath};
use nearfar_model::{NodeId, ProximityDomain};

use crate::context::DeviceContext;
use crate::document::{ClaimedNode, DeviceNode, NodeClaim, NodeVerdict, NodeWitness};

/// The node of a device.
pub(crate) fn node(
    context: &DeviceContext<'_>,
    device: &ListedHardware,
    path: &PciPath,
) -> DeviceNode {
    let mut claims = vec![sysfs(device)];
    if let Some(address) = device.address {
        claims.push(log(context, path));
        claims.push(srat(context, address, path));
    }
    join(context.only_node(), claims)
}

/// The verdict on claims.
fn join(only_node: Option<NodeId>, claims: Vec<NodeClaim>) -> DeviceNode {
    let named = |is_kernel: bool| {
        let of = claims.iter().filter(move |one| (one.witness == NodeWitness::Sysfs) == is_kernel);
        of.filter_map(|one| one.claimed.node())
    };
    let kernel = named(true).next();
    let others: Vec<NodeId> = named(false).collect();
    let first = others.first().copied();
    let agree = others.iter().all(|node| Some(*node) == kernel.or(first));
    let (node, verdict) = match (kernel, first) {
        _ if !agree => (kernel, NodeVerdict::Disputed),
        (Some(node), Some(_)) => (Some(node), NodeVerdict::Agreed),
        _ if only_node.is_some() => (only_node, NodeVerdict::OnlyNode),
        (Some(node), None) => (Some(node), NodeVerdict::KernelOnly),
        (None, Some(node)) => (Some(node), NodeVerdict::FirmwareOnly),
        (None, None) => (None, NodeVerdict::Unknown),
    };
    DeviceNode { node, verdict, claims }
}

fn sysfs(device: &ListedHardware) -> NodeClaim {
    let claimed = match device.node {
        KernelNode::Node(node) => ClaimedNode::Node { node },
        KernelNode::Unknown => ClaimedNode::NoNode,
        KernelNode::NotReadable => ClaimedNode::NotReadable,
        KernelNode::Absent | KernelNode::Malformed => ClaimedNode::Silent,
    };
    let source = device.address.map(|address| format!("numa_node of {address}"));
    NodeClaim { witness: NodeWitness::Sysfs, claimed, source }
}

/// The kernel's log about the root bus.
fn log(context: &DeviceContext<'_>, path: &PciPath) -> NodeClaim {
    let silent = |claimed| NodeClaim { witness: NodeWitness::Log, claimed, source: None };
    let Some(PciHop::RootBus { domain, bus }) = path.hops().first() else {
        return silent(ClaimedNode::Silent);
    };
    let bus = format!("{domain:04x}:{bus:02x}");
    let found = context.log.events.iter().find_map(|event| {
        let claimed = match &event.kind {
            LogEventKind::PciWithoutNode { bus: of } if *of == bus => ClaimedNode::NoNode,
            _ => return None,
        };
        Some((claimed, event.line))
    });
    match found {
        Some((claimed, line)) => {
            let origin = context.log.origin.as_deref().unwrap_or("the log");
            let source = Some(format!("{origin}, line {line}"));
            NodeClaim { witness: NodeWitness::Log, claimed, source }
        }
        None if context.log.lines == 0 && !context.log.missing.is_empty() => {
            silent(ClaimedNode::NotReadable)
        }
        None => silent(ClaimedNode::Silent),
    }
}

/// A generic initiator or port of the SRAT that names the device or a bridge above it.
fn srat(context: &DeviceContext<'_>, address: PciAddress, path: &PciPath) -> NodeClaim {
    let claim = |claimed, source| NodeClaim { witness: NodeWitness::Srat, claimed, source };
    let Some((file, table)) = context.firmware.first::<Srat>() else {
        let denied = context
            .firmware
            .tables
            .iter()
            .any(|file| file.name == Srat::SIGNATURE && file.state == ReadState::Denied);
        let claimed = if denied { ClaimedNode::NotReadable } else { ClaimedNode::Silent };
        return claim(claimed, None);
    };
    let named = |entry: &Affinity| {
        let (Affinity::GenericInitiator(of) | Affinity::GenericPort(of)) = entry else {
            return None;
        };
        let DeviceHandle::Pci { segment, bus, device, function } = of.handle.clone() else {
            return None;
        };
        let handle = PciAddress { domain: u32::from(segment), bus, device, function };
        of.enabled.then_some((handle, of.domain))
    };
    // The nearest to the device wins, as `_PXM` of the nearest parent does.
    let upwards =
        std::iter::once(address).chain(path.bridges().collect::<Vec<_>>().into_iter().rev());
    for wanted in upwards {
        for entry in &table.content.entries {
            let Some((handle, domain)) = entry.known().and_then(named) else { continue };
            if handle == wanted {
                let source = format!("{}, offset {}, {wanted}", file.path, entry.offset);
                return claim(of_domain(context, domain), Some(source));
            }
        }
    }
    claim(ClaimedNode::Silent, None)
}

fn of_domain(context: &DeviceContext<'_>, domain: ProximityDomain) -> ClaimedNode {
    match context.domains.get(&domain) {
        Some(node) => ClaimedNode::Node { node: *node },
        None => ClaimedNode::DomainWithoutNode { domain: domain.0 },
    }
}

#[cfg(test)]
mod tests;
