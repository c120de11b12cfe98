//! Findings, a file for each kind.
//!
//! Each is silent where nothing distinguishes a fault: on one node, in guests, for single devices.

mod links;
mod nodes;

use std::collections::{BTreeMap, BTreeSet};

use nearfar_machine::Inventory;
use nearfar_model::NodeSet;

use crate::context::DeviceContext;
use crate::document::{Device, DeviceFinding};

/// All findings about nodes, links and equal devices.
pub(crate) fn all(
    inventory: &Inventory,
    context: &DeviceContext<'_>,
    devices: &[Device],
) -> Vec<DeviceFinding> {
    let usual: Vec<&Device> = devices
        .iter()
        .filter(|device| device.kind.is_usual() && device.physical_function.is_none())
        .collect();
    let mut findings = nodes::without_node(context, &usual);
    findings.extend(nodes::disagreements(devices));
    findings.extend(absent(inventory));
    findings.extend(nodes::without_cpus(context, &usual));
    findings.extend(nodes::without_memory(context, &usual));
    findings.extend(nodes::one_of_a_package(context, &usual));
    // A hypervisor makes up the links and slots of a guest.
    if !context.is_guest {
        let cards = cards(&usual);
        findings.extend(links::all(inventory, &cards));
        findings.extend(apart(context, &cards));
    }
    findings
}

/// The first function of each card that is connected by a link: functions of a card share the link
/// and the slot, and devices of the chipset have neither.
fn cards<'d>(devices: &[&'d Device]) -> Vec<&'d Device> {
    let mut seen = BTreeSet::new();
    let is_first = |device: &&&'d Device| {
        let card = device.address.as_deref().and_then(|address| address.rsplit_once('.'));
        device.path.len() > 1 && card.is_some_and(|(card, _)| seen.insert(card))
    };
    devices.iter().filter(is_first).copied().collect()
}

/// A witness that is installed and gave no answer.
pub(crate) fn failed_witness(why: &str) -> DeviceFinding {
    DeviceFinding::WitnessFailed { witness: "nvidia-smi".to_owned(), why: why.to_owned() }
}

/// Fewer equal devices have no majority.
const MIN_PEERS: usize = 3;

/// Devices that are alone at a package, while all equal ones are together at another. Devices that
/// are spread over packages are as their builder wanted them.
fn apart(context: &DeviceContext<'_>, devices: &[&Device]) -> Vec<DeviceFinding> {
    let mut equal: BTreeMap<&str, Vec<&Device>> = BTreeMap::new();
    for device in devices {
        if let Some(id) = device.id.as_deref() {
            equal.entry(id).or_default().push(device);
        }
    }
    equal.values().filter_map(|peers| one_apart(context, peers)).collect()
}

fn one_apart(context: &DeviceContext<'_>, equal: &[&Device]) -> Option<DeviceFinding> {
    let mut by_package: BTreeMap<usize, Vec<&Device>> = BTreeMap::new();
    for device in equal {
        // One whose package is unknown may be anywhere.
        let package = context.package_of(device.node.node?)?;
        by_package.entry(package).or_default().push(device);
    }
    let (alone, together) = match by_package.values().collect::<Vec<_>>()[..] {
        [one, others] if one.len() == 1 && others.len() >= MIN_PEERS => (one[0], others),
        [others, one] if one.len() == 1 && others.len() >= MIN_PEERS => (one[0], others),
        _ => return None,
    };
    let peer_nodes: NodeSet = together.iter().filter_map(|peer| peer.node.node).collect();
    Some(DeviceFinding::DeviceApartFromPeers {
        device: alone.label.clone(),
        node: alone.node.node?,
        peers: together.iter().map(|peer| peer.label.clone()).collect(),
        peer_nodes,
    })
}

/// GPUs of the driver without a PCI function.
///
/// Domain and function are not compared: older drivers show no domain, and have a partition's
/// number in the function.
fn absent(inventory: &Inventory) -> Vec<DeviceFinding> {
    let places: BTreeSet<(u8, u8)> = inventory
        .functions
        .iter()
        .map(|function| (function.address.bus, function.address.device))
        .collect();
    if places.is_empty() {
        return Vec::new();
    }
    let absent = inventory.kfd.iter().filter_map(|node| {
        let address = node.address.filter(|one| !places.contains(&(one.bus, one.device)))?;
        Some(DeviceFinding::KfdGpuAbsent { kfd_node: node.id, address: address.to_string() })
    });
    absent.collect()
}
