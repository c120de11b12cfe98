//! Nodes in a device tree, as Linux's `Documentation/devicetree/bindings/numa.txt` has them: CPUs
//! and memory carry the id of their node, and a map lists the distances.
//!
//! QEMU rewrites what is called `memory` in the tree that it is given: it puts one piece there that
//! belongs to no node. So the memory of nodes goes by another name. Linux knows memory by its
//! `device_type`, and of two pieces at one place it keeps the node of the one that names a node.

use nearfar_model::CpuId;

use super::device_tree::{Branch, DeviceTreeBlob};
use crate::machine::LabMachine;

const NODE_ID: &str = "numa-node-id";

/// Writes the machine's nodes into the tree of its board.
pub(super) fn describe_nodes(machine: &LabMachine, tree: &mut DeviceTreeBlob) {
    let free = tree.root.highest_phandle().saturating_add(1);
    for cpus in tree.root.children.iter_mut().filter(|branch| branch.name == "cpus") {
        describe_cpus(machine, cpus, free);
    }
    let mut start = machine.arch().memory_start();
    for node in machine.memory_nodes() {
        let size = node.memory.unwrap_or_default().0;
        let mut memory = Branch::new(&format!("ram@{start:x}"));
        memory.set_text("device_type", "memory");
        memory.set_cells("reg", &[cells(start), cells(size)].concat());
        memory.set_cells(NODE_ID, &[node.id.0]);
        tree.root.children.push(memory);
        start += size;
    }
    if let Some(map) = distance_map(machine) {
        tree.root.children.push(map);
    }
}

/// Puts CPUs into their nodes. Those of a node share an L2 cache: without one, Linux takes each
/// CPU's for its own.
fn describe_cpus(machine: &LabMachine, cpus: &mut Branch, first_phandle: u32) {
    let branches = cpus.children.iter_mut().filter(|branch| branch.name.starts_with("cpu@"));
    // QEMU writes CPUs by rising number.
    for (cpu, branch) in (0..).map(CpuId).zip(branches) {
        if let Some(node) = machine.node_of(cpu) {
            branch.set_cells(NODE_ID, &[node.0]);
            branch.set_cells("next-level-cache", &[first_phandle.saturating_add(node.0)]);
        }
    }
    for node in machine.cpu_nodes() {
        let mut cache = Branch::new(&format!("l2-cache{}", node.id));
        cache.set_text("compatible", "cache");
        cache.set_cells("cache-level", &[2]);
        cache.set_flag("cache-unified");
        cache.set_cells("phandle", &[first_phandle.saturating_add(node.id.0)]);
        cpus.children.push(cache);
    }
}

fn distance_map(machine: &LabMachine) -> Option<Branch> {
    let slit = machine.description.firmware.slit.as_ref()?;
    let mut cells = Vec::new();
    for (from, row) in machine.nodes().iter().zip(slit) {
        for (to, &distance) in machine.nodes().iter().zip(row) {
            cells.extend([from.id.0, to.id.0, u32::from(distance)]);
        }
    }
    let mut map = Branch::new("distance-map");
    map.set_text("compatible", "numa-distance-map-v1");
    map.set_cells("distance-matrix", &cells);
    Some(map)
}

fn cells(number: u64) -> [u32; 2] {
    [(number >> 32) as u32, number as u32]
}
