//! A device of the ACPI namespace.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::object::{AmlObject, ObjectName};
use super::value::AmlValue;

/// A device of the ACPI namespace: what identifies it, where it is, and the domain that it claims
/// itself. `None` means that no table declares the object.
///
/// Whether the device is present (`_STA`) is not evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AcpiDevice {
    /// Its path, as in sysfs' `firmware_node/path`: `\_SB_.PC20`.
    pub path: String,
    /// Offset of its declaration in bytes from the start of the table that declares it.
    pub offset: usize,
    /// `_HID`: "PNP0A08", "ACPI0016".
    pub hid: Option<AmlValue<String>>,
    /// `_CID`: further ids, at most eight.
    pub compatible_ids: Option<AmlValue<Vec<String>>>,
    /// `_UID`: text, or a number in decimal digits as in sysfs' `uid`.
    pub uid: Option<AmlValue<String>>,
    /// `_ADR`: the address on the parent's bus; on PCI device << 16 | function.
    pub address: Option<AmlValue<u64>>,
    /// `_SEG` of a PCI host bridge: its segment, Linux's PCI domain.
    pub segment: Option<AmlValue<u64>>,
    /// `_BBN` of a PCI host bridge: its first bus.
    pub bus: Option<AmlValue<u64>>,
    /// `_PXM`: the proximity domain that the device itself claims. Without one, that of the next
    /// parent that has one counts
    /// ([`AcpiNamespace::domain_of`](super::super::AcpiNamespace::domain_of)).
    pub domain: Option<AmlValue<ProximityDomain>>,
}

/// The place of a PCI host bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct PciRoot {
    /// The segment, Linux's PCI domain.
    pub segment: u64,
    /// The first bus.
    pub bus: u64,
}

impl AcpiDevice {
    /// A device with its objects. Of several objects with one name the first counts.
    pub(super) fn new<'o>(
        path: String,
        offset: usize,
        objects: impl IntoIterator<Item = &'o AmlObject>,
    ) -> Self {
        let mut device = Self { path, offset, ..Self::default() };
        for AmlObject { name, data, .. } in objects {
            match name {
                ObjectName::HardwareId => drop(device.hid.get_or_insert_with(|| data.device_id())),
                ObjectName::CompatibleIds => {
                    device.compatible_ids.get_or_insert_with(|| data.device_ids());
                }
                ObjectName::UniqueId => drop(device.uid.get_or_insert_with(|| data.unique_id())),
                ObjectName::Address => drop(device.address.get_or_insert_with(|| data.integer())),
                ObjectName::Segment => drop(device.segment.get_or_insert_with(|| data.integer())),
                ObjectName::Bus => drop(device.bus.get_or_insert_with(|| data.integer())),
                ObjectName::Proximity => drop(device.domain.get_or_insert_with(|| data.domain())),
            }
        }
        device
    }

    /// Adds the objects that another table declares for the same device.
    pub(in crate::acpi) fn merge(&mut self, other: Self) {
        fn fill<T>(to: &mut Option<T>, from: Option<T>) {
            if to.is_none() {
                *to = from;
            }
        }
        fill(&mut self.hid, other.hid);
        fill(&mut self.compatible_ids, other.compatible_ids);
        fill(&mut self.uid, other.uid);
        fill(&mut self.address, other.address);
        fill(&mut self.segment, other.segment);
        fill(&mut self.bus, other.bus);
        fill(&mut self.domain, other.domain);
    }

    /// Whether the device has a constant id, as `_HID` or `_CID`.
    pub fn has_id(&self, id: &str) -> bool {
        let is_hid = matches!(&self.hid, Some(AmlValue::Constant(hid)) if hid == id);
        let is_compatible = match &self.compatible_ids {
            Some(AmlValue::Constant(ids)) => ids.iter().any(|own| own == id),
            _ => false,
        };
        is_hid || is_compatible
    }

    /// Whether it is a host bridge of PCI or PCI Express (PNP0A03, PNP0A08).
    ///
    /// # References
    ///
    /// PCI Firmware Specification 3.3, section 4.1.1; drivers/acpi/pci_root.c: root_device_ids
    pub fn is_pci_host_bridge(&self) -> bool {
        self.has_id("PNP0A03") || self.has_id("PNP0A08")
    }

    /// Whether it is a host bridge of CXL (ACPI0016).
    ///
    /// # References
    ///
    /// CXL 3.1, section 9.18.3
    pub fn is_cxl_host_bridge(&self) -> bool {
        self.has_id("ACPI0016")
    }

    /// Segment and first bus of a host bridge; `None` for other devices, and if one of them is
    /// computed. An absent object is 0. Linux prefers the bus in `_CRS`, which is not read here.
    ///
    /// # References
    ///
    /// ACPI 6.5, sections 6.5.5 (`_BBN`) and 6.5.6 (`_SEG`); drivers/acpi/pci_root.c:
    /// acpi_pci_root_add
    pub fn pci_root(&self) -> Option<PciRoot> {
        if !self.is_pci_host_bridge() && !self.is_cxl_host_bridge() {
            return None;
        }
        let number = |value: Option<AmlValue<u64>>| value.map_or(Some(0), AmlValue::constant);
        Some(PciRoot { segment: number(self.segment)?, bus: number(self.bus)? })
    }
}
