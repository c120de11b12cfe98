//! The document from the inventory and the claims.

use std::collections::BTreeSet;

use nearfar_machine::inventory::{DeviceInterrupts, InterruptCpus, ListedHardware};
use nearfar_machine::pci::{PciDetails, PciLink, PciPath};
use nearfar_machine::{Inventory, InventoryScope, PciNames, Topology};
use nearfar_model::{CpuSet, NodeSet};

use crate::context::DeviceContext;
use crate::document::{
    Device, DeviceFinding, DeviceNode, DevicesDocument, InterruptKind, Interrupts, Lanes, Link,
    NarrowLink, NodeVerdict, SCHEMA,
};
use crate::links_above::{lanes, links_above};
use crate::node_claims::NodeWitnesses;
use crate::smi_matrix::SmiMatrix;
use crate::{findings, pairs};

/// The largest number of devices whose pairs are compared: a million cells.
pub const MAX_IN_A_MATRIX: usize = 1024;

/// Where the devices of an inventory are.
///
/// `smi` is the output of `nvidia-smi topo -m`, or why there is none although it is installed.
/// Levels of pairs are left out for [`InventoryScope::All`]: there may be millions.
pub fn assess(
    inventory: &Inventory,
    scope: InventoryScope,
    names: &PciNames,
    context: &DeviceContext<'_>,
    smi: Option<&Result<SmiMatrix, String>>,
) -> DevicesDocument {
    let witnesses = NodeWitnesses::new(context, inventory);
    let devices: Vec<Device> = inventory
        .devices
        .iter()
        .zip(inventory.labels())
        .map(|(listed, label)| device(inventory, names, (context, &witnesses), listed, label))
        .collect();
    let is_small = devices.len() <= MAX_IN_A_MATRIX;
    let matrix = (scope == InventoryScope::Usual && is_small).then(|| {
        pairs::matrix(inventory, context, &devices, smi.and_then(|smi| smi.as_ref().ok()))
    });
    let (matrix, disagreements) = match matrix {
        Some((matrix, disagreements)) => (Some(matrix), disagreements),
        None => (None, Vec::new()),
    };
    let mut findings = findings::all(inventory, context, &devices);
    findings.extend(disagreements);
    findings.extend(smi.and_then(|smi| Some(findings::failed_witness(smi.as_ref().err()?))));
    findings.sort_by_key(DeviceFinding::severity);
    let identity = context.topology.map(|topology| &topology.identity);
    DevicesDocument {
        schema: SCHEMA.to_owned(),
        machine: identity
            .and_then(|identity| identity.model.clone().or_else(|| identity.product.clone())),
        kernel: identity.and_then(|identity| identity.kernel.clone()),
        nodes: context.topology.map(Topology::online_nodes).unwrap_or_default(),
        nodes_with_cpus: context
            .nodes()
            .filter(|node| !node.cpus.is_empty())
            .map(|node| node.id)
            .collect(),
        functions: inventory.functions.len(),
        devices,
        matrix,
        findings,
        names_from: names.file.map(str::to_owned),
        oddities: inventory.oddities.clone(),
    }
}

/// The vendors and devices whose names an inventory needs.
pub fn wanted_names(inventory: &Inventory) -> BTreeSet<(u16, u16)> {
    let listed = inventory.devices.iter().filter_map(|device| inventory.function(device.address?));
    listed.filter_map(|function| Some((function.vendor?, function.device?))).collect()
}

fn device(
    inventory: &Inventory,
    names: &PciNames,
    (context, witnesses): (&DeviceContext<'_>, &NodeWitnesses<'_>),
    listed: &ListedHardware,
    label: String,
) -> Device {
    let function = listed.address.and_then(|address| inventory.function(address));
    let path = function.map(|function| function.path.clone()).unwrap_or_default();
    let node = witnesses.node(listed, &path);
    let cpus = near_cpus(context, &node, &listed.details);
    let id = function.and_then(|function| Some((function.vendor?, function.device?)));
    Device {
        label,
        kind: listed.kind,
        names: listed.names.iter().map(|name| name.name.clone()).collect(),
        bytes: listed.bytes,
        address: listed.address.map(|address| address.to_string()),
        class: function.and_then(|function| Some(format!("{:06x}", function.class?))),
        class_name: function
            .and_then(|function| PciNames::class(function.class?))
            .map(str::to_owned),
        id: id.map(|(vendor, device)| format!("{vendor:04x}:{device:04x}")),
        vendor: id.and_then(|(vendor, _)| names.vendor(vendor)).map(str::to_owned),
        model: id.and_then(|(vendor, device)| names.device(vendor, device)).map(str::to_owned),
        driver: function.and_then(|function| function.driver.clone()),
        cpus,
        path: path.hops().iter().map(ToString::to_string).collect(),
        narrow_link: narrow_link(inventory, context, listed, &path),
        link: listed.details.link.map(|link| link_of(inventory, link, &path)),
        virtual_functions: listed.details.virtual_functions,
        physical_function: listed.details.physical_function.map(|address| address.to_string()),
        interrupts: interrupts(context, &listed.interrupts),
        node,
    }
}

/// The CPUs of the node, else of the nearest nodes with CPUs, else those that the kernel calls
/// local where it knows the node.
fn near_cpus(
    context: &DeviceContext<'_>,
    known: &DeviceNode,
    details: &PciDetails,
) -> Option<CpuSet> {
    let node = known.node?;
    let cpus = context.cpus(node);
    if !cpus.is_empty() {
        return Some(cpus);
    }
    let nearest: CpuSet = context
        .nearest_with_cpus(node)
        .iter()
        .flat_map(|id| context.cpus(id).iter().collect::<Vec<_>>())
        .collect();
    if !nearest.is_empty() {
        return Some(nearest);
    }
    let is_kernels = matches!(known.verdict, NodeVerdict::Agreed | NodeVerdict::KernelOnly);
    details.local_cpus.clone().filter(|cpus| is_kernels && !cpus.is_empty())
}

/// A link, with the port above it.
fn link_of(inventory: &Inventory, link: PciLink, path: &PciPath) -> Link {
    let port = path.bridges().last().and_then(|address| inventory.bridges.get(&address));
    Link {
        now: lanes(link.now),
        device_max: lanes(link.max),
        port_max: port.map(|port| lanes(port.max)),
    }
}

/// The narrowest link above a device's own, if it has less. A hypervisor makes up those of a guest.
fn narrow_link(
    inventory: &Inventory,
    context: &DeviceContext<'_>,
    listed: &ListedHardware,
    path: &PciPath,
) -> Option<NarrowLink> {
    let capacity = |of: Lanes| Some(of.gt_s? * f64::from(of.lanes?));
    let own = capacity(lanes(listed.details.link?.now)).filter(|_| !context.is_guest)?;
    let above = links_above(&inventory.bridges, path).into_iter();
    let known = above.filter_map(|link| Some((capacity(link.now)?, link)));
    let (least, narrow) = known.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (least < own).then(|| NarrowLink { bridge: narrow.bridge.to_string(), now: narrow.now })
}

fn interrupts(context: &DeviceContext<'_>, read: &DeviceInterrupts) -> Interrupts {
    let (cpus, only_allowed) = match &read.cpus {
        InterruptCpus::Effective(cpus) => (Some(cpus.clone()), false),
        InterruptCpus::Allowed(cpus) => (Some(cpus.clone()), true),
        InterruptCpus::NotReadable | InterruptCpus::Absent => (None, false),
    };
    let runs_on = |one: &&nearfar_machine::Node| {
        cpus.as_ref().is_some_and(|cpus| one.cpus.iter().any(|cpu| cpus.contains(cpu)))
    };
    let nodes: NodeSet = context.nodes().filter(runs_on).map(|node| node.id).collect();
    let kind = if read.is_line { InterruptKind::Line } else { InterruptKind::Message };
    Interrupts {
        count: read.count,
        kind: (read.count > 0).then_some(kind),
        only_allowed,
        not_readable: read.cpus == InterruptCpus::NotReadable,
        nodes,
        cpus,
    }
}
