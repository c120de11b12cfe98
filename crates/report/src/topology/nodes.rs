//! The table of memory nodes.

use nearfar_machine::{HugePages, Node, Topology};
use nearfar_model::NodeSet;

use super::short_list;
use crate::table::{Align, Table};

/// One line a node that is online; columns without any entry are left out. Nothing when the kernel has no NUMA.
pub(super) fn text(topology: &Topology) -> String {
    let online: Vec<&Node> = topology.nodes.iter().filter(|node| node.online).collect();
    if online.is_empty() {
        return String::new();
    }
    let lines: Vec<[String; 7]> = online.into_iter().map(line).collect();
    let titles = ["node", "CPUs", "memory", "free", "huge pages", "tier", "remarks"];
    let filled: Vec<usize> =
        (0..titles.len()).filter(|&column| column < 4 || lines.iter().any(|line| !line[column].is_empty())).collect();

    let mut table = Table::default();
    table.line(filled.iter().map(|&column| titles[column]));
    for line in &lines {
        table.line(filled.iter().map(|&column| &line[column]));
    }
    let (left, right) = (Align::Left, Align::Right);
    "Nodes\n".to_owned() + &table.text(&[right, left, right, right, left]) + &offline(topology)
}

fn line(node: &Node) -> [String; 7] {
    let memory = |of: fn(nearfar_machine::NodeMemory) -> nearfar_model::Bytes| {
        node.memory.map_or_else(|| "-".to_owned(), |memory| of(memory).to_string())
    };
    let pools: Vec<String> = node.huge_pages.iter().filter(|pool| pool.total > 0).map(pool).collect();
    [
        node.id.to_string(),
        if node.cpus.is_empty() { "-".to_owned() } else { short_list(&node.cpus) },
        memory(|memory| memory.total),
        memory(|memory| memory.free),
        pools.join(", "),
        node.tier.map(|tier| tier.to_string()).unwrap_or_default(),
        remarks(node).join(", "),
    ]
}

/// "16 x 2 MiB (4 free)".
pub(super) fn pool(pool: &HugePages) -> String {
    format!("{} x {} ({} free)", pool.total, pool.size, pool.free)
}

fn remarks(node: &Node) -> Vec<&'static str> {
    let mut remarks = Vec::new();
    if node.cpus.is_empty() {
        remarks.push("no CPUs");
    }
    match node.memory {
        None => remarks.push("memory not told"),
        Some(memory) if memory.total.0 == 0 => remarks.push("no memory"),
        Some(_) => {}
    }
    remarks
}

fn offline(topology: &Topology) -> String {
    let offline: NodeSet = topology.nodes.iter().filter(|node| !node.online).map(|node| node.id).collect();
    if offline.is_empty() { String::new() } else { format!("offline nodes: {offline}\n") }
}
