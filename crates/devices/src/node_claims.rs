//! What the witnesses claim about the node of a device, and what follows: a file for each witness.
//!
//! The one place that joins claims about a device's node. `nearfar devices` asks all witnesses,
//! `irq` all but measurements ([`NodeWitnesses`]); a program start has time for the kernel and for
//! kept measurements alone ([`DeviceNode::from_hardware`]). Both join their claims by the same
//! rules, and [`DeviceNode::for_placement`] is the node for a program.

mod measured;
mod pxm;
mod sysfs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use nearfar_firmware::acpi::{AcpiNamespace, Affinity, AmlValue, DeviceHandle, Srat};
use nearfar_firmware::linux::{KernelLog, LogEventKind};
use nearfar_firmware::{Firmware, FirmwareError, FirmwareItem, ReadState};
use nearfar_machine::inventory::{KfdNode, ListedHardware};
use nearfar_machine::pci::{PciHop, PciPath};
use nearfar_machine::{HardwareNode, Inventory, PciAddress};
use nearfar_model::{NodeId, ProximityDomain};

use crate::context::{DeviceContext, MeasuredNode};
use crate::document::{ClaimedNode, DeviceNode, NodeClaim, NodeVerdict, NodeWitness};
use pxm::RootBridges;

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
            claims.push(claim(self, of));
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

/// The devices that the SRAT names, with the domain and the offset of each entry.
#[derive(Default)]
struct SratDevices {
    by_address: BTreeMap<PciAddress, Vec<(ProximityDomain, usize)>>,
    /// By path in ACPI's namespace.
    by_path: BTreeMap<String, Vec<(ProximityDomain, usize)>>,
}

impl SratDevices {
    fn new(firmware: &Firmware, namespace: Option<&AcpiNamespace>) -> Self {
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
fn claim(witnesses: &NodeWitnesses<'_>, of: ClaimSubject<'_>) -> NodeClaim {
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

/// The log's last line about each root bus: its claim and number.
struct RootBusLog(BTreeMap<String, (ClaimedNode, usize)>);

impl RootBusLog {
    fn new(log: &KernelLog) -> Self {
        let lines = log.events.iter().filter_map(|event| {
            let (bus, claimed) = match &event.kind {
                LogEventKind::PciWithoutNode { bus } => (bus, ClaimedNode::NoNode),
                LogEventKind::PciBusNode { bus, node, .. } => {
                    (bus, ClaimedNode::Node { node: *node })
                }
                _ => return None,
            };
            Some((bus.clone(), (claimed, event.line)))
        });
        Self(lines.collect())
    }

    fn claim(&self, context: &DeviceContext<'_>, of: ClaimSubject<'_>) -> NodeClaim {
        let claim = |claimed, source| NodeClaim { witness: NodeWitness::Log, claimed, source };
        let Some(PciHop::RootBus { domain, bus }) = of.path.hops().first() else {
            return claim(ClaimedNode::Silent, None);
        };
        match self.0.get(&format!("{domain:04x}:{bus:02x}")) {
            Some((claimed, line)) => {
                let origin = context.log.origin.as_deref().unwrap_or("the log");
                claim(*claimed, Some(format!("{origin}, line {line}")))
            }
            None if context.log.lines == 0 && !context.log.missing.is_empty() => {
                claim(ClaimedNode::NotReadable, None)
            }
            None => claim(ClaimedNode::Silent, None),
        }
    }
}

/// The nodes of the driver's GPUs, and the folders that have them.
#[derive(Default)]
struct KfdLinks(BTreeMap<PciAddress, (NodeId, String)>);

impl KfdLinks {
    /// Empty where the driver's numbers may mean something else: it counts nodes, and leaves some
    /// out (one for all CPUs, none for memory alone).
    fn new(context: &DeviceContext<'_>, inventory: &Inventory) -> Self {
        let drivers: Vec<(u32, u32)> =
            inventory.kfd.iter().filter_map(|node| Some((node.id, node.cpus?))).collect();
        let kernels: Vec<(u32, u32)> = context
            .nodes()
            .filter_map(|node| Some((node.id.0, u32::try_from(node.cpus.len()).ok()?)))
            .collect();
        if drivers != kernels {
            return Self::default();
        }
        let ids: BTreeSet<u32> = drivers.iter().map(|(id, _)| *id).collect();
        let gpu = |node: &KfdNode| {
            let linked: BTreeSet<u32> =
                node.links.iter().map(|link| link.to).filter(|to| ids.contains(to)).collect();
            let to = *linked.first().filter(|_| linked.len() == 1)?;
            Some((node.address?, (NodeId(to), node.folder())))
        };
        Self(inventory.kfd.iter().filter_map(gpu).collect())
    }

    /// The claim for a GPU whose node the kernel knows.
    fn claim(&self, of: ClaimSubject<'_>) -> Option<NodeClaim> {
        of.listed.node.node()?;
        let (node, folder) = self.0.get(&of.listed.address?)?;
        Some(NodeClaim {
            witness: NodeWitness::Amdkfd,
            claimed: ClaimedNode::Node { node: *node },
            source: Some(format!("io_links of {folder}")),
        })
    }
}
