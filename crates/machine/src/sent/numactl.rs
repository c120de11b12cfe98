//! `numactl -H` and `numactl -s`.
//!
//! # References
//!
//! numactl(8); numactl.c: hardware, show

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuId, CpuSet, MAX_ID, NodeId, NodeSet};

use crate::source::{MachineFiles, RefusedText, SYSTEM};

/// The distance of a node to itself.
const LOCAL: u32 = 10;

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
    has_size: bool,
    size: Option<Bytes>,
    free: Option<Bytes>,
    /// Its distances.
    row: Option<Vec<u32>>,
}

/// What `numactl -H` printed.
#[derive(Default)]
struct Hardware {
    listed: NodeSet,
    nodes: BTreeMap<NodeId, Node>,
    in_distances: bool,
    has_no_distances: bool,
}

impl Hardware {
    /// Whether a line is of the output.
    fn add(&mut self, line: &str) -> bool {
        if line.starts_with("node distances:") {
            self.in_distances = true;
        } else if line.starts_with("No distance information") {
            self.has_no_distances = true;
        } else if begins_hardware(line) {
            let list = line.split(['(', ')']).nth(1).unwrap_or_default();
            self.listed = NodeSet::parse_list(list).unwrap_or_default();
        } else if let Some((node, value)) = field(line, "cpus") {
            let cpus = value.split_whitespace().filter_map(number).map(CpuId).collect();
            self.nodes.entry(node).or_default().cpus = cpus;
        } else if let Some((node, value)) = field(line, "size") {
            let node = self.nodes.entry(node).or_default();
            (node.has_size, node.size) = (true, megabytes(value));
        } else if let Some((node, value)) = field(line, "free") {
            self.nodes.entry(node).or_default().free = megabytes(value);
        } else if let Some((node, row)) = row(line).filter(|_| self.in_distances) {
            let Some(node) = self.nodes.get_mut(&node) else { return false };
            node.row = Some(row);
        } else {
            return self.in_distances && line.starts_with("node ");
        }
        true
    }

    /// Whether it ends where the program ends: after the last node's distances. Sizes come after
    /// CPUs, which very old releases leave out.
    fn is_whole(&self) -> bool {
        let mut listed = self.listed.iter().map(|id| self.nodes.get(&id));
        let has_all = listed.all(|node| {
            node.is_some_and(|node| {
                let has_row = self.has_no_distances || node.row.is_some();
                node.has_size && has_row
            })
        });
        let last = self.nodes.values().next_back().and_then(|node| node.row.as_ref());
        // No node is nearer than 10, and 0 is unknown: other numbers have lost a digit.
        let is_cut = |distance: &u32| (1..LOCAL).contains(distance);
        let is_row =
            |row: &Vec<u32>| row.len() >= self.nodes.len() && !row.last().is_some_and(is_cut);
        has_all && (self.has_no_distances || last.is_some_and(is_row))
    }
}

/// Reads `numactl -H`.
pub(super) fn read_hardware(text: &str, files: &mut MachineFiles) -> bool {
    let mut hardware = Hardware::default();
    let (mut last, mut rest) = (0, None);
    for (line, number) in text.lines().zip(1..) {
        if hardware.add(line.trim()) {
            if let Some(rest) = rest {
                files.refused = Some(RefusedText::Damaged(rest));
                return false;
            }
            last = number;
        } else if number == last + 1 && has_numbers_only(line) {
            rest = Some(number);
        }
    }
    if hardware.nodes.is_empty() && hardware.listed.is_empty() {
        return false;
    }
    if !hardware.is_whole() {
        files.refused = Some(RefusedText::CutAfter(last));
        return false;
    }
    put(files, &hardware.nodes);
    for (id, node) in &hardware.nodes {
        if let Some(row) = node.row.as_ref().filter(|row| row.len() == hardware.nodes.len()) {
            let row: Vec<String> = row.iter().map(ToString::to_string).collect();
            files.put(&format!("{SYSTEM}/node/node{id}/distance"), row.join(" "));
        }
    }
    true
}

/// Whether a line is the rest of one that was folded.
fn has_numbers_only(line: &str) -> bool {
    !line.trim().is_empty() && line.split_whitespace().all(|word| word.parse::<u32>().is_ok())
}

/// The node and the distances of "  0:  10  21".
fn row(line: &str) -> Option<(NodeId, Vec<u32>)> {
    let (node, values) = line.split_once(':')?;
    let values: Result<Vec<u32>, _> = values.split_whitespace().map(str::parse).collect();
    Some((NodeId(number(node.trim())?), values.ok()?))
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
