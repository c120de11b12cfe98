//! Generic initiators and generic ports of the SRAT.

use std::collections::BTreeMap;

use nearfar_firmware::acpi::{AcpiNamespace, Affinity, AmlValue, DeviceHandle, Srat};
use nearfar_firmware::{Firmware, ReadState};
use nearfar_machine::PciAddress;
use nearfar_model::ProximityDomain;

use super::{ClaimSubject, NodeWitnesses};
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The devices that the SRAT names, with the domain and the offset of each entry.
#[derive(Default)]
pub(super) struct SratDevices {
    by_address: BTreeMap<PciAddress, Vec<(ProximityDomain, usize)>>,
    /// By path in ACPI's namespace.
    by_path: BTreeMap<String, Vec<(ProximityDomain, usize)>>,
}

impl SratDevices {
    pub(super) fn new(firmware: &Firmware, namespace: Option<&AcpiNamespace>) -> Self {
        let mut named = Self::default();
        let Some((_, table)) = firmware.first::<Srat>() else { return named };
        for entry in &table.content.entries {
            let Some(Affinity::GenericInitiator(generic) | Affinity::GenericPort(generic)) =
                entry.known()
            else {
                continue;
            };
            let claim = (generic.domain, entry.offset);
            match &generic.handle {
                _ if !generic.enabled => {}
                DeviceHandle::Pci { segment, bus, device, function } => {
                    let address = PciAddress {
                        domain: u32::from(*segment),
                        bus: *bus,
                        device: *device,
                        function: *function,
                    };
                    named.by_address.entry(address).or_default().push(claim);
                }
                DeviceHandle::Acpi { hid, uid } => {
                    let uid = uid.to_string();
                    let devices = namespace.into_iter().flat_map(AcpiNamespace::devices);
                    for device in devices.filter(|device| {
                        device.has_id(hid)
                            && matches!(&device.uid, Some(AmlValue::Constant(own)) if *own == uid)
                    }) {
                        named.by_path.entry(device.path.clone()).or_default().push(claim);
                    }
                }
                DeviceHandle::Unknown { .. } => {}
            }
        }
        named
    }

    /// The entries that name the device, or its nearest bridge, else an ACPI device above it.
    fn nearest(&self, of: ClaimSubject<'_>, path: Option<&str>) -> Vec<(ProximityDomain, usize)> {
        let above: Vec<PciAddress> = of.path.bridges().collect();
        let mut upwards = of.listed.address.into_iter().chain(above.into_iter().rev());
        if let Some(entries) = upwards.find_map(|address| self.by_address.get(&address)) {
            return entries.clone();
        }
        let above = std::iter::successors(path, |path| Some(path.rsplit_once('.')?.0));
        let entries = above.filter_map(|path| self.by_path.get(path)).flatten();
        let mut entries: Vec<_> = entries.copied().collect();
        entries.sort_by_key(|(_, offset)| *offset);
        entries
    }
}

/// The entry that names the device, or the nearest bridge or ACPI device above it.
pub(super) fn claim(witnesses: &NodeWitnesses<'_>, of: ClaimSubject<'_>) -> NodeClaim {
    let claim = |claimed, source| NodeClaim { witness: NodeWitness::Srat, claimed, source };
    let firmware = witnesses.context.firmware;
    let Some((file, _)) = firmware.first::<Srat>() else {
        let state = firmware.tables.iter().find(|file| file.name == "SRAT").map(|file| &file.state);
        return match state {
            Some(ReadState::Denied) => claim(ClaimedNode::NotReadable, None),
            Some(ReadState::Malformed { .. }) => claim(ClaimedNode::Malformed, None),
            _ => claim(ClaimedNode::Silent, None),
        };
    };
    let named = witnesses.srat.nearest(of, witnesses.root_bridges.path(of));
    let Some(&(domain, offset)) = named.first() else { return claim(ClaimedNode::Silent, None) };
    // A GPU with several memories has several entries: none of them is its node.
    if named.iter().any(|(other, _)| *other != domain) {
        return claim(ClaimedNode::Silent, Some(format!("{}: several domains", file.path)));
    }
    claim(witnesses.for_domain(domain), Some(format!("{}, offset {offset}", file.path)))
}
