//! Generic initiators and generic ports of the SRAT.

use nearfar_firmware::ReadState;
use nearfar_firmware::acpi::{Affinity, AmlValue, DeviceHandle, Srat};
use nearfar_machine::PciAddress;
use nearfar_model::ProximityDomain;

use super::{ClaimSubject, NodeWitnesses, pxm};
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The entry that names the device, or the nearest bridge or ACPI device above it.
pub(super) fn claim(witnesses: &NodeWitnesses<'_>, of: ClaimSubject<'_>) -> NodeClaim {
    let claim = |claimed, source| NodeClaim { witness: NodeWitness::Srat, claimed, source };
    let firmware = witnesses.context.firmware;
    let Some((file, table)) = firmware.first::<Srat>() else {
        let state = firmware.tables.iter().find(|file| file.name == "SRAT").map(|file| &file.state);
        return match state {
            Some(ReadState::Denied) => claim(ClaimedNode::NotReadable, None),
            Some(ReadState::Malformed { .. }) => claim(ClaimedNode::Malformed, None),
            _ => claim(ClaimedNode::Silent, None),
        };
    };
    let mut named: Vec<(usize, ProximityDomain, usize)> = table
        .content
        .entries
        .iter()
        .filter_map(|entry| {
            let (Affinity::GenericInitiator(named) | Affinity::GenericPort(named)) =
                entry.known()?
            else {
                return None;
            };
            let distance = distance(witnesses, of, &named.handle).filter(|_| named.enabled)?;
            Some((distance, named.domain, entry.offset))
        })
        .collect();
    let Some(least) = named.iter().map(|(distance, ..)| *distance).min() else {
        return claim(ClaimedNode::Silent, None);
    };
    named.retain(|(distance, ..)| *distance == least);
    // A GPU with several memories has several entries: none of them is its node.
    let (_, domain, offset) = named[0];
    if named.iter().any(|(_, other, _)| *other != domain) {
        return claim(ClaimedNode::Silent, Some(format!("{}: several domains", file.path)));
    }
    claim(witnesses.of_domain(domain), Some(format!("{}, offset {offset}", file.path)))
}

/// How many bridges above the device the handle is: 0 for the device itself. ACPI devices that have
/// no bridge come after all bridges.
fn distance(
    witnesses: &NodeWitnesses<'_>,
    of: ClaimSubject<'_>,
    handle: &DeviceHandle,
) -> Option<usize> {
    match handle {
        DeviceHandle::Pci { segment, bus, device, function } => {
            let named = PciAddress {
                domain: u32::from(*segment),
                bus: *bus,
                device: *device,
                function: *function,
            };
            let above: Vec<PciAddress> = of.path.bridges().collect();
            let upwards = of.listed.address.into_iter().chain(above.into_iter().rev());
            upwards.into_iter().position(|address| address == named)
        }
        DeviceHandle::Acpi { hid, uid } => {
            let namespace = witnesses.namespace.as_ref().ok()?;
            let path = pxm::acpi_path(namespace, of)?;
            let uid = uid.to_string();
            let is_named = |device: &&nearfar_firmware::acpi::AcpiDevice| {
                device.has_id(hid)
                    && matches!(&device.uid, Some(AmlValue::Constant(own)) if *own == uid)
            };
            let mut named = namespace.devices().filter(is_named);
            let is_above = |device: &nearfar_firmware::acpi::AcpiDevice| {
                path.strip_prefix(&device.path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            named.any(is_above).then(|| of.path.hops().len() + 1)
        }
        DeviceHandle::Unknown { .. } => None,
    }
}
