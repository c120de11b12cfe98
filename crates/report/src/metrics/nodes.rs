//! Metrics of nodes and of the machine.

use nearfar_machine::{HugePool, MemoryTraffic, NodeCounters};

use super::Metrics;
use super::exposition::{Exposition, Kind, Labels};

/// Sizes of a node's meminfo: metric, field, help.
const SIZES: [(&str, &str, &str); 8] = [
    ("nearfar_node_memory_size_bytes", "MemTotal", "Memory of the node."),
    ("nearfar_node_memory_used_bytes", "MemUsed", "Used memory of the node."),
    ("nearfar_node_memory_free_bytes", "MemFree", "Free memory of the node."),
    ("nearfar_node_memory_file_bytes", "FilePages", "Page cache on the node."),
    ("nearfar_node_memory_anonymous_bytes", "AnonPages", "Anonymous memory on the node."),
    ("nearfar_node_memory_shared_bytes", "Shmem", "Shared memory on the node."),
    ("nearfar_node_memory_slab_bytes", "Slab", "Slab memory on the node."),
    ("nearfar_node_memory_transparent_huge_bytes", "AnonHugePages", "Transparent huge pages."),
];

/// Counters of a node's numastat: metric, field, help.
const ALLOCATIONS: [(&str, &str, &str); 6] = [
    ("nearfar_node_hit_pages_total", "numa_hit", "Pages allocated on the node as intended."),
    (
        "nearfar_node_miss_pages_total",
        "numa_miss",
        "Pages allocated on the node although intended for another.",
    ),
    (
        "nearfar_node_foreign_pages_total",
        "numa_foreign",
        "Pages intended for the node and allocated on another.",
    ),
    ("nearfar_node_interleave_pages_total", "interleave_hit", "Interleaved pages, as intended."),
    ("nearfar_node_local_pages_total", "local_node", "Pages that a CPU of the node allocated."),
    (
        "nearfar_node_remote_pages_total",
        "other_node",
        "Pages that a CPU of another node allocated.",
    ),
];

pub(super) fn add(out: &mut Exposition, metrics: Metrics<'_>) {
    let nodes = &metrics.counters.nodes;
    for (name, field, help) in SIZES {
        let of =
            |node: &NodeCounters| Some((label(node), node.memory.as_ref()?.get(field)? as f64));
        out.family(name, Kind::Gauge, help, nodes.iter().filter_map(of));
    }
    for (name, field, help) in ALLOCATIONS {
        let of = |node: &NodeCounters| {
            Some((label(node), node.allocations.as_ref()?.get(field)? as f64))
        };
        out.family(name, Kind::Counter, help, nodes.iter().filter_map(of));
    }
    for (name, help, pages) in [
        (
            "nearfar_node_huge_pages_size_bytes",
            "Pool of huge pages.",
            total as fn(&HugePool) -> u64,
        ),
        ("nearfar_node_huge_pages_free_bytes", "Free part of the pool of huge pages.", free),
    ] {
        let of = |node: &NodeCounters| {
            let pools = node.pools.iter().map(|pool| {
                let mut labels = label(node);
                labels.push(("page_bytes", pool.size_bytes.0.to_string()));
                (labels, pages(pool) as f64 * pool.size_bytes.0 as f64)
            });
            pools.collect::<Vec<_>>()
        };
        out.family(name, Kind::Gauge, help, nodes.iter().flat_map(of));
    }
    add_traffic(out, metrics);
    add_machine(out, metrics);
}

fn total(pool: &HugePool) -> u64 {
    pool.total
}

fn free(pool: &HugePool) -> u64 {
    pool.free
}

fn label(node: &NodeCounters) -> Labels {
    vec![("node", node.node.to_string())]
}

fn add_traffic(out: &mut Exposition, metrics: Metrics<'_>) {
    for (name, help, of) in [
        (
            "nearfar_node_traffic_bytes_total",
            "Traffic of the node's CPUs to all memory (resctrl).",
            (|traffic| traffic.total) as fn(&MemoryTraffic) -> Option<u64>,
        ),
        (
            "nearfar_node_local_traffic_bytes_total",
            "Traffic of the node's CPUs to memory of the node (resctrl).",
            |traffic| traffic.local,
        ),
    ] {
        let samples = metrics.traffic.iter().filter_map(|(node, traffic)| {
            Some((vec![("node", node.to_string())], of(traffic)? as f64))
        });
        out.family(name, Kind::Counter, help, samples);
    }
}

fn add_machine(out: &mut Exposition, metrics: Metrics<'_>) {
    let activity = metrics.activity;
    let page = metrics.counters.page_sizes.base.map(|page| page.0 as f64);
    let bytes = |pages: Option<u64>| Some(pages? as f64 * page?);
    for (name, help, value) in [
        (
            "nearfar_migrated_bytes_total",
            "Memory migrated for any reason (pgmigrate_success).",
            bytes(activity.migrated),
        ),
        (
            "nearfar_balanced_bytes_total",
            "Memory migrated by automatic NUMA balancing (numa_pages_migrated).",
            bytes(activity.balanced),
        ),
        (
            "nearfar_promoted_bytes_total",
            "Memory promoted from slow memory (pgpromote_success).",
            bytes(activity.promoted),
        ),
        (
            "nearfar_demoted_bytes_total",
            "Memory demoted to slow memory (pgdemote_*).",
            bytes(activity.demoted),
        ),
        (
            "nearfar_hint_faults_total",
            "NUMA hinting faults (numa_hint_faults).",
            activity.hint_faults.map(|faults| faults as f64),
        ),
        (
            "nearfar_local_hint_faults_total",
            "NUMA hinting faults of local pages (numa_hint_faults_local).",
            activity.hint_faults_local.map(|faults| faults as f64),
        ),
    ] {
        out.family(name, Kind::Counter, help, value.map(|value| (Vec::new(), value)));
    }
    let waiting = activity.pressure.into_iter().flat_map(|pressure| {
        [("some", pressure.some), ("full", pressure.full)]
            .map(|(tasks, share)| (vec![("tasks", tasks.to_owned())], share))
    });
    let help = "Share of the last 10 s in which some or all tasks waited for memory (PSI).";
    out.family("nearfar_memory_waiting_ratio", Kind::Gauge, help, waiting);
}
