//! `_PXM` in the DSDT or a SSDT: the domain that firmware gives to a host bridge or device.

use std::collections::BTreeMap;

use nearfar_firmware::FirmwareError;
use nearfar_firmware::acpi::{AcpiNamespace, InheritedDomain};
use nearfar_machine::pci::PciHop;

use super::{ClaimSubject, NodeWitnesses};
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The claim for the nearest parent that has one. Only constants are read: code is not run.
pub(super) fn claim(witnesses: &NodeWitnesses<'_>, of: ClaimSubject<'_>) -> NodeClaim {
    let claim = |claimed, source| NodeClaim { witness: NodeWitness::Pxm, claimed, source };
    let namespace = match &witnesses.namespace {
        Ok(namespace) => namespace,
        Err(FirmwareError::TableDenied { .. }) => return claim(ClaimedNode::NotReadable, None),
        Err(FirmwareError::TableMalformed { .. }) => return claim(ClaimedNode::Malformed, None),
        Err(_) => return claim(ClaimedNode::Silent, None),
    };
    let Some(path) = witnesses.root_bridges.path(of) else {
        let is_complete = namespace.is_complete();
        let claimed = if is_complete { ClaimedNode::Silent } else { ClaimedNode::Malformed };
        return claim(claimed, None);
    };
    match namespace.domain_of(path) {
        InheritedDomain::Constant { domain, from } => {
            claim(witnesses.for_domain(domain), Some(format!("{from}._PXM")))
        }
        InheritedDomain::Computed { from } => {
            claim(ClaimedNode::NotEvaluated, Some(format!("{from}._PXM")))
        }
        InheritedDomain::Malformed { from } => {
            claim(ClaimedNode::Malformed, Some(format!("{from}._PXM")))
        }
        InheritedDomain::NotDecoded { scope } => claim(ClaimedNode::Malformed, Some(scope)),
        InheritedDomain::Absent => claim(ClaimedNode::Silent, None),
    }
}

/// The ACPI paths of host bridges, by segment and first bus.
pub(super) struct RootBridges(BTreeMap<(u64, u64), Option<String>>);

impl RootBridges {
    pub(super) fn new(namespace: Option<&AcpiNamespace>) -> Self {
        let mut bridges = BTreeMap::new();
        for device in namespace.into_iter().flat_map(AcpiNamespace::devices) {
            if let Some(root) = device.pci_root() {
                // Of several with one bus nothing is known.
                bridges
                    .entry((root.segment, root.bus))
                    .and_modify(|path| *path = None)
                    .or_insert_with(|| Some(device.path.clone()));
            }
        }
        Self(bridges)
    }

    /// The path of a device in ACPI's namespace: what sysfs shows, else its host bridge.
    pub(super) fn path<'p>(&'p self, of: ClaimSubject<'p>) -> Option<&'p str> {
        if let Some(path) = &of.listed.details.firmware_path {
            return Some(path);
        }
        let Some(PciHop::RootBus { domain, bus }) = of.path.hops().first() else { return None };
        self.0.get(&(u64::from(*domain), u64::from(*bus)))?.as_deref()
    }
}
