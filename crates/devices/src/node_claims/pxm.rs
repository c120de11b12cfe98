//! `_PXM` in the DSDT or a SSDT: the domain that firmware gives to a host bridge or device.

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
    let Some(path) = acpi_path(namespace, of) else { return claim(ClaimedNode::Silent, None) };
    match namespace.domain_of(&path) {
        InheritedDomain::Constant { domain, from } => {
            claim(witnesses.of_domain(domain), Some(format!("{from}._PXM")))
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

/// The path in ACPI's namespace: what sysfs shows, else the host bridge with that root bus.
pub(super) fn acpi_path(namespace: &AcpiNamespace, of: ClaimSubject<'_>) -> Option<String> {
    if let Some(path) = &of.listed.details.firmware_path {
        return Some(path.clone());
    }
    let Some(PciHop::RootBus { domain, bus }) = of.path.hops().first() else { return None };
    let is_root =
        |segment: u64, first: u64| segment == u64::from(*domain) && first == u64::from(*bus);
    let mut bridges = namespace
        .devices()
        .filter(|device| device.pci_root().is_some_and(|root| is_root(root.segment, root.bus)));
    let first = bridges.next()?;
    // Of several with one bus nothing is known.
    bridges.next().is_none().then(|| first.path.clone())
}
