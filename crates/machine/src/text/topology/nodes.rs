//! The table of memory nodes.

use nearfar_model::{Bytes, NodeSet};
use nearfar_view::text::table;
use nearfar_view::text::{or_dash, or_empty};

use super::short_list;
use crate::{HugePages, Node, SideCache, Topology};

/// By how much the nodes' sum may differ from the machine's memory, as a share.
const MAX_DIFFERENCE: f64 = 0.05;

/// The longest run of empty nodes with a line each.
const MAX_EMPTY: usize = 3;

/// One line a node that is online, or a run of equal empty ones; columns without any entry are left
/// out. Nothing when the kernel has no NUMA.
pub(super) fn text(topology: &Topology) -> String {
    let online: Vec<&Node> = topology.nodes.iter().filter(|node| node.online).collect();
    if online.is_empty() {
        return String::new();
    }
    let heads = [
        ">node",
        "CPUs",
        ">memory",
        ">free",
        ">available",
        "huge pages",
        "memory-side cache",
        "tier",
        "remarks",
    ];
    table(
        "Nodes",
        heads,
        online.chunk_by(|one, next| are_alike(one, next)).flat_map(lines).collect(),
    ) + &offline(topology)
        + &other_sum(topology)
}

/// Whether both nodes are empty and have equal cells. Kernels keep such nodes for memory of GPUs.
fn are_alike(one: &Node, next: &Node) -> bool {
    let is_empty =
        |node: &Node| node.cpus.is_empty() && node.memory.is_some_and(|memory| memory.total.0 == 0);
    is_empty(one) && is_empty(next) && line(one)[1..] == line(next)[1..]
}

/// The lines of nodes that are alike: one for many.
fn lines(nodes: &[&Node]) -> Vec<[String; 9]> {
    let lines = nodes.iter().map(|node| line(node));
    if nodes.len() <= MAX_EMPTY {
        return lines.collect();
    }
    let ids: NodeSet = nodes.iter().map(|node| node.id).collect();
    let fold = |mut line: [String; 9]| {
        line[0] = ids.to_string();
        line
    };
    lines.take(1).map(fold).collect()
}

fn line(node: &Node) -> [String; 9] {
    // Captures without free memory have 0.
    let known = node.memory.filter(|memory| memory.free.0 > 0 || memory.total.0 == 0);
    let pools: Vec<String> =
        node.huge_pages.iter().filter(|pool| pool.total > 0).map(pool).collect();
    [
        node.id.to_string(),
        if node.cpus.is_empty() { "-".to_owned() } else { short_list(&node.cpus) },
        or_dash(node.memory.map(|memory| memory.total)),
        or_dash(known.map(|memory| memory.free)),
        or_empty(node.memory.and_then(|memory| memory.available)),
        pools.join(", "),
        node.side_caches.iter().map(side_cache).collect::<Vec<_>>().join(", "),
        or_empty(node.tier),
        remarks(node),
    ]
}

/// "16 x 2 MiB (4 free)".
pub(super) fn pool(pool: &HugePages) -> String {
    format!("{} x {} ({} free)", pool.total, pool.size, pool.free)
}

fn remarks(node: &Node) -> String {
    let cpus = node.cpus.is_empty().then_some("no CPUs");
    let memory = match node.memory {
        None => Some("memory unknown"),
        Some(memory) => (memory.total.0 == 0).then_some("no memory"),
    };
    let offline = (node.offline_memory.0 > 0).then(|| format!("{} offline", node.offline_memory));
    let movable = (node.movable_memory.0 > 0 && node.gpu.is_none())
        .then(|| format!("{} removable (zone Movable)", node.movable_memory));
    let gpu = node.gpu.map(|gpu| format!("memory of GPU {gpu}"));
    let known = cpus.into_iter().chain(memory).map(str::to_owned);
    known.chain(gpu).chain(offline).chain(movable).collect::<Vec<_>>().join(", ")
}

/// "16 GiB direct-mapped write-back", the level before it where it is not the first.
fn side_cache(cache: &SideCache) -> String {
    let level = (cache.level != 1).then(|| format!("level {}:", cache.level));
    let size = cache.size.map_or_else(|| "unknown size".to_owned(), |size| size.to_string());
    let words = [cache.indexing, cache.write_policy].into_iter().flatten().map(str::to_owned);
    level.into_iter().chain([size]).chain(words).collect::<Vec<_>>().join(" ")
}

/// Compares the memory of all nodes with the machine's: a container may report another size.
fn other_sum(topology: &Topology) -> String {
    let online = topology.nodes.iter().filter(|node| node.online);
    let sum: Option<u64> = online.map(|node| node.memory.map(|memory| memory.total.0)).sum();
    let (Some(sum), Some(total)) = (sum, topology.memory_total) else { return String::new() };
    if sum.abs_diff(total.0) as f64 <= total.0.max(sum) as f64 * MAX_DIFFERENCE {
        return String::new();
    }
    format!(
        "The nodes have {} together, but /proc/meminfo reports {total}. A container limits it, or \
         memory is outside the nodes.\n",
        Bytes(sum)
    )
}

fn offline(topology: &Topology) -> String {
    let offline: NodeSet =
        topology.nodes.iter().filter(|node| !node.online).map(|node| node.id).collect();
    if offline.is_empty() { String::new() } else { format!("offline nodes: {offline}\n") }
}
