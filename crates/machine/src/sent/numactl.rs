//! `numactl -H` and `numactl -s`.
//!
//! # References
//!
//! numactl(8); numactl.c: hardware, show

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuId, CpuSet, MAX_ID, NodeId, NodeSet};

use crate::source::{MachineFiles, RefusedText, SYSTEM};

/// "available: 2 nodes (0-1)"
pub(super) fn begins_hardware(line: &str) -> bool {
    line.starts_with("available: ") && line.contains(" nodes (")
}

/// "policy: default"
pub(super) fn begins_policy(line: &str) -> bool {
    line.starts_with("policy: ") || line.starts_with("physcpubind: ")
}

#[derive(Default)]
struct Node {
    cpus: CpuSet,
    size: Option<Bytes>,
    free: Option<Bytes>,
}

/// Reads `numactl -H`.
pub(super) fn read_hardware(text: &str, files: &mut MachineFiles) -> bool {
    let mut nodes: BTreeMap<NodeId, Node> = BTreeMap::new();
    let mut rows: Vec<(NodeId, String)> = Vec::new();
    let mut in_distances = false;
    let mut listed = NodeSet::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("node distances:") {
            in_distances = true;
        } else if begins_hardware(line) {
            let list = line.split(['(', ')']).nth(1).unwrap_or_default();
            listed = NodeSet::parse_list(list).unwrap_or_default();
        } else if let Some((node, value)) = field(line, "cpus") {
            let cpus = value.split_whitespace().filter_map(number).map(CpuId).collect();
            nodes.entry(node).or_default().cpus = cpus;
        } else if let Some((node, value)) = field(line, "size") {
            nodes.entry(node).or_default().size = megabytes(value);
        } else if let Some((node, value)) = field(line, "free") {
            nodes.entry(node).or_default().free = megabytes(value);
        } else if let Some((node, value)) = line.split_once(':').filter(|_| in_distances) {
            let is_row = value.split_whitespace().all(|word| word.parse::<u32>().is_ok());
            rows.extend(number(node.trim()).filter(|_| is_row).map(|node| {
                (NodeId(node), value.split_whitespace().collect::<Vec<_>>().join(" "))
            }));
        }
    }
    if nodes.is_empty() {
        return false;
    }
    if listed.iter().any(|node| !nodes.contains_key(&node)) {
        files.refused = Some(RefusedText::CutAfter(text.trim_end().lines().count()));
        return false;
    }
    put(files, &nodes);
    for (node, row) in rows {
        let is_whole = row.split(' ').count() == nodes.len();
        if is_whole && nodes.contains_key(&node) {
            files.put(&format!("{SYSTEM}/node/node{node}/distance"), row);
        }
    }
    true
}

fn put(files: &mut MachineFiles, nodes: &BTreeMap<NodeId, Node>) {
    for (id, node) in nodes {
        files.node(*id, &node.cpus, None);
        node.cpus.iter().for_each(|cpu| {
            files.cpus.insert(cpu);
        });
        let lines = [("MemTotal", node.size), ("MemFree", node.free)];
        let lines = lines.iter().filter_map(|(name, bytes)| {
            Some(format!("Node {id} {name}: {} kB", (*bytes)?.0 >> 10))
        });
        let lines: Vec<String> = lines.collect();
        if node.size.is_some() {
            files.put(&format!("{SYSTEM}/node/node{id}/meminfo"), lines.join("\n"));
        }
    }
}

/// The node and the value of "node 0 cpus: 0 1 2".
fn field<'l>(line: &'l str, name: &str) -> Option<(NodeId, &'l str)> {
    let (node, rest) = line.strip_prefix("node ")?.split_once(' ')?;
    let value = rest.strip_prefix(name)?.strip_prefix(':')?;
    Some((NodeId(number(node)?), value))
}

fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|&number| number <= MAX_ID)
}

/// "65436 MB"
fn megabytes(value: &str) -> Option<Bytes> {
    let (number, unit) = value.trim().split_once(' ')?;
    let number: u64 = number.parse().ok()?;
    (unit == "MB").then(|| Bytes(number.saturating_mul(1 << 20)))
}

/// Reads `numactl -s`: what a process may use, which may be a part of the machine.
pub(super) fn read_policy(text: &str, files: &mut MachineFiles) -> bool {
    let words = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name));
        line.map(|words| words.split_whitespace().filter_map(number).collect::<Vec<u32>>())
    };
    let Some(cpus) = words("physcpubind:") else { return false };
    let cpus: CpuSet = cpus.into_iter().map(CpuId).collect();
    let mut nodes: NodeSet = words("membind:").into_iter().flatten().map(NodeId).collect();
    for node in words("nodebind:").or_else(|| words("cpubind:")).into_iter().flatten() {
        nodes.insert(NodeId(node));
    }
    if cpus.is_empty() {
        return false;
    }
    let status = format!("Cpus_allowed_list:\t{cpus}\nMems_allowed_list:\t{nodes}");
    files.put("/proc/self/status", status);
    files.nodes = nodes;
    files.cpus = cpus;
    true
}
