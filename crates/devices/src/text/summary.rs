//! On which node devices are, in a few lines, and what to do with them.

use std::collections::BTreeMap;

use nearfar_machine::DeviceKind;
use nearfar_model::{NodeId, NodeSet};
use nearfar_view::text::count;
use nearfar_view::text::fitted::ToDo;

use crate::{Device, DevicesDocument};

/// Devices that are named of a node, and nodes that are listed; the table has all.
const MAX_NAMES: usize = 8;
const MAX_NODES: usize = 6;

/// Devices by node; those without a node are last.
fn by_node(document: &DevicesDocument) -> Vec<(Option<NodeId>, Vec<&Device>)> {
    let mut nodes: BTreeMap<(bool, Option<NodeId>), Vec<&Device>> = BTreeMap::new();
    for device in &document.devices {
        let node = device.node.node;
        nodes.entry((node.is_none(), node)).or_default().push(device);
    }
    nodes.into_iter().map(|((_, node), devices)| (node, devices)).collect()
}

/// How many of these nodes are listed: one more takes no more room than its number.
fn listed(nodes: usize) -> usize {
    if nodes == MAX_NODES + 1 { nodes } else { MAX_NODES }
}

/// "2 on node 0, 1 on node 1, 1 on an unknown node".
pub(super) fn counted(document: &DevicesDocument) -> String {
    let nodes = by_node(document);
    if nodes.is_empty() {
        return "none is listed".to_owned();
    }
    let part = |(node, devices): &(Option<NodeId>, Vec<&Device>)| match node {
        Some(node) => format!("{} on node {node}", devices.len()),
        None => format!("{} on an unknown node", devices.len()),
    };
    let most = listed(nodes.len());
    let parts: Vec<String> = nodes.iter().take(most).map(part).collect();
    let rest: usize = nodes.iter().skip(most).map(|(_, devices)| devices.len()).sum();
    let rest = if rest == 0 { String::new() } else { format!(", {rest} on further nodes") };
    parts.join(", ") + &rest
}

/// How many are on which node, or why there is none; their names, the machine.
pub(super) fn answer(document: &DevicesDocument, why_empty: Option<&str>) -> Vec<String> {
    let nodes = by_node(document);
    let devices = match nodes.is_empty() {
        true => "Devices".to_owned(),
        false => count(document.devices.len(), "device"),
    };
    let mut answer = vec![format!("{devices}: {}.", counted(document))];
    answer.extend(why_empty.map(str::to_owned));
    answer.extend(nodes.iter().take(listed(nodes.len())).map(|(node, devices)| {
        let place = node.map_or_else(|| "Unknown node".to_owned(), |node| format!("Node {node}"));
        let names: Vec<String> = devices.iter().take(MAX_NAMES).map(|one| name(one)).collect();
        let more = match devices.len().saturating_sub(MAX_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{place}: {}{more}.", names.join(", "))
    }));
    let nodes = match document.nodes.len() {
        0 => no_list(document),
        1 => format!("one node ({})", document.nodes),
        _ => format!("nodes {}", document.nodes),
    };
    let functions = count(document.functions, "PCI function");
    let machine = document.machine.iter().cloned();
    let facts: Vec<String> = machine.chain([functions, nodes]).collect();
    answer.push(facts.join(", "));
    answer
}

/// Devices may name nodes where the kernel's list of nodes is missing.
fn no_list(document: &DevicesDocument) -> String {
    let named: NodeSet = by_node(document).into_iter().filter_map(|(node, _)| node).collect();
    match named.len() {
        0 => "no nodes reported".to_owned(),
        1 => format!("node {named} by devices, no list of all nodes ('numactl -H')"),
        _ => format!("nodes {named} by devices, no list of all nodes ('numactl -H')"),
    }
}

/// "eth0 (NIC0)"; the label of a device without a driver.
pub(super) fn name(device: &Device) -> String {
    match device.names.first() {
        Some(name) => format!("{name} ({})", device.label),
        None => device.label.clone(),
    }
}

/// The word that other commands take for a device.
pub(super) fn word(device: &Device) -> &str {
    device.names.first().unwrap_or(&device.label)
}

/// What to do with the first device that programs use.
pub(super) fn to_do(document: &DevicesDocument) -> Vec<ToDo> {
    const USED: [DeviceKind; 4] =
        [DeviceKind::Network, DeviceKind::Disk, DeviceKind::Gpu, DeviceKind::Accelerator];
    let is_used = |device: &&Device| USED.contains(&device.kind);
    let mut devices = document.devices.iter().filter(is_used);
    let named = devices.clone().find(|device| !device.names.is_empty());
    let mut all = Vec::new();
    if let Some(device) = named.or_else(|| devices.next()) {
        all.extend(for_device(device));
        all.push(ToDo::new(format!("nearfar devices {}", word(device)), "who names its node"));
    }
    let unreadable = |device: &Device| device.node.unreadable().next().is_some();
    let unknown = document.devices.iter().filter(|device| device.node.node.is_none());
    if unknown.clone().any(unreadable) {
        all.push(ToDo::new("sudo nearfar devices", "reads the nodes that firmware's tables name"));
    }
    all
}

/// What to do with a device.
pub(super) fn for_device(device: &Device) -> Vec<ToDo> {
    let word = word(device);
    let near = device.node.for_placement().map(|node| {
        ToDo::new(format!("nearfar run --near {word} PROGRAM"), format!("runs it on node {node}"))
    });
    // Captures may have the interrupts and not who serves them.
    let irq = (device.interrupts.count > 0 && device.interrupts.cpus.is_some())
        .then(|| ToDo::new(format!("nearfar irq {word}"), "are its interrupts served near?"));
    near.into_iter().chain(irq).collect()
}
