//! The device tree: which parts name a node, and the map of distances.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::NodeId;

use super::fields::{hex, last_address, or_dash, size, table};
use super::{matrix, remains, runs};
use crate::device_tree::{DeviceTree, DistanceMap, TreeMemory};

/// The largest map of distances that is drawn as a matrix.
const MAX_NODES: usize = 128;

pub(super) fn sections(tree: &DeviceTree, path: &str) -> Vec<String> {
    vec![
        heading(tree, path),
        memory(tree),
        cpus(tree),
        others(tree),
        tree.distance_map.as_ref().map(distances).unwrap_or_default(),
        remains::faults(&tree.faults),
    ]
}

fn heading(tree: &DeviceTree, path: &str) -> String {
    let model = tree.model.as_deref().unwrap_or("unknown model");
    let named = if tree.names_a_node() { "" } else { "No part of it names a NUMA node.\n" };
    format!("Device tree of {model} ({})\n{path}\n{named}", tree.compatible.join(", "))
}

fn memory(tree: &DeviceTree) -> String {
    let heads = [">node", ">first address", ">last address", ">size", "where", "remarks"];
    table("Memory", heads, tree.memory.iter().flat_map(memory_lines).collect())
}

fn memory_lines(memory: &TreeMemory) -> Vec<[String; 6]> {
    let status = memory
        .status
        .iter()
        .filter(|status| *status != "okay")
        .map(|status| format!("status {status}"));
    let untyped = (!memory.typed).then(|| "no device_type: Linux does not see it".to_owned());
    let remarks = untyped.into_iter().chain(status).collect::<Vec<_>>().join(", ");
    let node = or_dash(memory.node);
    if memory.ranges.is_empty() {
        let [first, last] = ["-"; 2].map(str::to_owned);
        return vec![[node, first, last, "none".to_owned(), memory.path.clone(), remarks]];
    }
    let ranges = memory.ranges.iter().map(|range| {
        let last = last_address(range.base_address, range.size_bytes);
        let (first, size) = (hex(range.base_address), size(range.size_bytes));
        [node.clone(), first, last, size, memory.path.clone(), remarks.clone()]
    });
    ranges.collect()
}

/// CPUs by node: a line for each node.
fn cpus(tree: &DeviceTree) -> String {
    let mut nodes: BTreeMap<Option<NodeId>, Vec<Option<u64>>> = BTreeMap::new();
    for cpu in &tree.cpus {
        nodes.entry(cpu.node).or_default().push(cpu.hardware_id);
    }
    let line = |(node, ids): (Option<NodeId>, Vec<Option<u64>>)| {
        [or_dash(node), ids.len().to_string(), runs::hexadecimal(ids.into_iter().flatten())]
    };
    table("CPUs", [">node", ">CPUs", "ids (MPIDR or hart)"], nodes.into_iter().map(line).collect())
}

fn others(tree: &DeviceTree) -> String {
    let lines = tree.others.iter().map(|part| [part.node.to_string(), part.path.clone()]).collect();
    table("Other parts that name a node", [">node", "where"], lines)
}

fn distances(map: &DistanceMap) -> String {
    let nodes: BTreeSet<NodeId> =
        map.entries.iter().flat_map(|entry| [entry.from, entry.to]).collect();
    let title = format!("Distances between nodes, from row to column (10 is local; {})", map.path);
    if nodes.len() > MAX_NODES {
        return format!(
            "{title}\n{} entries about {} nodes: --json has them\n",
            map.entries.len(),
            nodes.len()
        );
    }
    let written = map.entries.iter().map(|entry| ((entry.from, entry.to), entry.distance));
    let written: BTreeMap<(NodeId, NodeId), u32> = written.collect();
    let columns = nodes.iter().map(ToString::to_string);
    // The way back is as the way there where it is not written.
    let cell = |from, to| or_dash(written.get(&(from, to)).or_else(|| written.get(&(to, from))));
    let rows = nodes
        .iter()
        .map(|&from| (from.to_string(), nodes.iter().map(|&to| cell(from, to)).collect()));
    format!("{title}\n{}", matrix::text("node", columns, rows))
}
