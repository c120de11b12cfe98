//! Decodes memory, CPUs and distances from nodes and properties.

use nearfar_model::NodeId;

use super::{DeviceTree, DistanceMap, MapEntry, TreeCpu, TreeMemory, TreePart, TreeRange};
use super::{RawNode, RawNodes};
use crate::fault::{FaultKind, Faults};

/// Default widths of addresses and sizes in cells of 32 bits (Devicetree Specification 2.3.5).
const ADDRESS_CELLS: u32 = 2;
const SIZE_CELLS: u32 = 1;

pub(super) fn decode(nodes: &RawNodes, mut faults: Faults) -> DeviceTree {
    let root = nodes.0.first();
    let mut tree = DeviceTree {
        model: root.and_then(|root| root.text("model")),
        compatible: root.map(|root| root.texts("compatible")).unwrap_or_default(),
        ..DeviceTree::default()
    };
    for node in &nodes.0 {
        if is_memory(nodes, node) {
            tree.memory.push(memory(nodes, node, &mut faults));
        } else if is_cpu(nodes, node) {
            tree.cpus.push(cpu(nodes, node));
        } else if node.texts("compatible").iter().any(|name| name == "numa-distance-map-v1") {
            // Linux uses the first.
            tree.distance_map =
                tree.distance_map.or_else(|| Some(distances(nodes, node, &mut faults)));
        } else if let Some(named) = named_node(node) {
            tree.others.push(TreePart { path: nodes.path(node), node: named });
        }
    }
    tree.faults = faults.into_list();
    tree
}

fn named_node(node: &RawNode) -> Option<NodeId> {
    node.number("numa-node-id").map(NodeId)
}

fn is_below_root(nodes: &RawNodes, node: &RawNode) -> bool {
    nodes.parent(node).is_some_and(|parent| parent.parent.is_none())
}

fn is_typed(node: &RawNode, kind: &str) -> bool {
    node.text("device_type").is_some_and(|value| value == kind)
}

fn is_memory(nodes: &RawNodes, node: &RawNode) -> bool {
    is_typed(node, "memory") || (is_below_root(nodes, node) && node.name.starts_with("memory@"))
}

fn is_cpu(nodes: &RawNodes, node: &RawNode) -> bool {
    let in_cpus = || {
        nodes
            .parent(node)
            .is_some_and(|parent| parent.name == "cpus" && is_below_root(nodes, parent))
    };
    is_typed(node, "cpu") || (node.name.starts_with("cpu@") && in_cpus())
}

fn memory(nodes: &RawNodes, node: &RawNode, faults: &mut Faults) -> TreeMemory {
    let path = nodes.path(node);
    let cells = |name, default| {
        nodes.parent(node).and_then(|parent| parent.number(name)).unwrap_or(default)
    };
    let ranges = ranges(
        node.property("reg").unwrap_or_default(),
        cells("#address-cells", ADDRESS_CELLS),
        cells("#size-cells", SIZE_CELLS),
    );
    if ranges.is_none() {
        faults.add(0, FaultKind::Damaged, || {
            format!("{path}: its ranges do not match the widths of addresses and sizes")
        });
    }
    TreeMemory {
        typed: is_typed(node, "memory"),
        node: named_node(node),
        ranges: ranges.unwrap_or_default(),
        status: node.text("status"),
        path,
    }
}

/// Pairs of address and size. `None` if they are wider than 64 bits or incomplete.
fn ranges(value: &[u8], address_cells: u32, size_cells: u32) -> Option<Vec<TreeRange>> {
    if !(1..=2).contains(&address_cells) || !(1..=2).contains(&size_cells) {
        return None;
    }
    let (address, size) = (address_cells as usize * 4, size_cells as usize * 4);
    let pairs = value.chunks_exact(address + size);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let range = |pair: &[u8]| TreeRange {
        base_address: wide(&pair[..address]),
        size_bytes: wide(&pair[address..]),
    };
    Some(pairs.map(range).collect())
}

/// A big-endian number of up to 64 bits.
fn wide(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn cpu(nodes: &RawNodes, node: &RawNode) -> TreeCpu {
    let id = node.property("reg").filter(|reg| matches!(reg.len(), 4 | 8)).map(wide);
    TreeCpu {
        path: nodes.path(node),
        hardware_id: id,
        node: named_node(node),
        status: node.text("status"),
    }
}

fn distances(nodes: &RawNodes, node: &RawNode, faults: &mut Faults) -> DistanceMap {
    let path = nodes.path(node);
    let triples = node.property("distance-matrix").unwrap_or_default().chunks_exact(12);
    if !triples.remainder().is_empty() {
        faults.add(0, FaultKind::LeftOver, || {
            format!("{path}: the number of cells is not a multiple of three")
        });
    }
    let entry = |triple: &[u8]| MapEntry {
        from: NodeId(wide(&triple[..4]) as u32),
        to: NodeId(wide(&triple[4..8]) as u32),
        distance: wide(&triple[8..]) as u32,
    };
    DistanceMap { entries: triples.map(entry).collect(), path }
}
