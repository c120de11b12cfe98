//! The columns and figures of nodes.

use nearfar_machine::HugePool;
use nearfar_model::{Bytes, CpuSet, NodeId};
use nearfar_view::text::{or_dash, or_empty};

use crate::columns::Metric::{Counter, Gauge, Latency, Parts};
use crate::reading::NodeReading;
use crate::text::amount;

columns! {
    /// One node.
    NodeRow from NodeReading {
        /// The node.
        node: NodeId as "u32",
            ["NODE", 20, 4, |row| row.node.to_string(), ""];
        /// Memory of the node (`MemTotal`).
        total_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_size_bytes", |node| node.meminfo("MemTotal")),
            ["TOTAL", 8, 5, |row| size(row.total_bytes), ""];
        /// Used memory of the node (`MemUsed`).
        used_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_used_bytes", |node| node.meminfo("MemUsed")),
            ["USED", 19, 5, |row| size(row.used_bytes), ""];
        /// Free memory of the node (`MemFree`).
        free_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_free_bytes", |node| node.meminfo("MemFree")),
            ["FREE", 18, 5, |row| size(row.free_bytes), ""];
        /// Memory of the node that programs can still get without swapping.
        available_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_available_bytes", |node| {
                Some(node.counters.available?.0 as f64)
            }),
            ["AVAIL", 17, 0, |row| or_empty(row.available_bytes.map(amount::bytes)),
             "what programs can still get without swapping (free, page cache, slabs)"];
        /// Page cache on the node (`FilePages`).
        file_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_file_bytes", |node| node.meminfo("FilePages")),
            ["FILE", 9, 5, |row| size(row.file_bytes), ""];
        /// Anonymous memory on the node (`AnonPages`).
        anonymous_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_anonymous_bytes", |node| node.meminfo("AnonPages")),
            ["ANON", 10, 5, |row| size(row.anonymous_bytes), ""];
        /// Shared memory on the node (`Shmem`).
        shared_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_shared_bytes", |node| node.meminfo("Shmem"));
        /// Slab memory on the node (`Slab`).
        slab_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_slab_bytes", |node| node.meminfo("Slab"));
        /// Transparent huge pages on the node (`AnonHugePages`).
        transparent_huge_bytes: Option<Bytes> as "Option<u64>"
            = Gauge("nearfar_node_memory_transparent_huge_bytes", |node| {
                node.meminfo("AnonHugePages")
            }),
            ["THP", 5, 5, |row| size(row.transparent_huge_bytes), "transparent huge pages"];
        /// Pools of huge pages of all sizes.
        huge_total_bytes: Bytes as "u64"
            = Parts("nearfar_node_huge_pages_size_bytes", "page_bytes", |node| {
                pools(node, |pool| pool.total)
            }),
            ["HUGE free/all", 6, 0, huge, "pools of huge pages"];
        /// Free part of the pools of huge pages.
        huge_free_bytes: Bytes as "u64"
            = Parts("nearfar_node_huge_pages_free_bytes", "page_bytes", |node| {
                pools(node, |pool| pool.free)
            });
        /// Pages allocated on the node as intended (`numa_hit`).
        hit_pages_per_s: Option<f64>
            = Counter("nearfar_node_hit_pages_total", |node| node.numastat("numa_hit")),
            ["HIT/s", 7, 5, |row| rate(row.hit_pages_per_s),
             "pages allocated on the node as intended"];
        /// Pages allocated on the node although intended for another (`numa_miss`).
        miss_pages_per_s: Option<f64>
            = Counter("nearfar_node_miss_pages_total", |node| node.numastat("numa_miss")),
            ["MISS/s", 12, 6, |row| rate(row.miss_pages_per_s),
             "pages allocated on the node although intended for another"];
        /// Pages intended for the node and allocated on another (`numa_foreign`).
        foreign_pages_per_s: Option<f64>
            = Counter("nearfar_node_foreign_pages_total", |node| node.numastat("numa_foreign"));
        /// Interleaved pages, allocated as intended (`interleave_hit`).
        interleave_pages_per_s: Option<f64>
            = Counter("nearfar_node_interleave_pages_total", |node| {
                node.numastat("interleave_hit")
            });
        /// Pages on the node that a CPU of the node allocated (`local_node`).
        local_pages_per_s: Option<f64>
            = Counter("nearfar_node_local_pages_total", |node| node.numastat("local_node"));
        /// Pages on the node that a CPU of another node allocated (`other_node`).
        remote_pages_per_s: Option<f64>
            = Counter("nearfar_node_remote_pages_total", |node| node.numastat("other_node"));
        /// Traffic of the node's CPUs to all memory (resctrl).
        /// Null where resctrl is not mounted or does not count it.
        traffic_bytes_per_s: Option<f64>
            = Counter("nearfar_node_traffic_bytes_total", |node| float(node.traffic.total)),
            ["TRAFFIC", 14, 0, traffic,
             "of the node's CPUs to all memory, and the local part, where resctrl is mounted"];
        /// Traffic of the node's CPUs to memory of the node (resctrl).
        local_bytes_per_s: Option<f64>
            = Counter("nearfar_node_local_traffic_bytes_total", |node| float(node.traffic.local));
        /// What DRAM of the node reads, as its memory controllers count it.
        /// For CPUs of all nodes and for devices. Null where the kernel does not describe such
        /// events.
        dram_read_bytes_per_s: Option<f64>
            = Counter("nearfar_node_dram_read_bytes_total", |node| Some(node.dram?.read.0 as f64)),
            ["DRAM", 15, 0, dram,
             "what the node's DRAM reads and writes, and the read part, on Intel's servers"];
        /// What DRAM of the node writes, as its memory controllers count it.
        dram_written_bytes_per_s: Option<f64>
            = Counter("nearfar_node_dram_written_bytes_total", |node| {
                Some(node.dram?.written.0 as f64)
            });
        /// Cache lines that the node's CPUs fetched from memory of the node.
        /// As far as the events in `pmu` count them. Null where they are not counted.
        local_fills_per_s: Option<f64>
            = Counter("nearfar_node_local_fills_total", |node| Some(node.fills?.local as f64)),
            ["FILLS", 13, 0, fills,
             "cache lines that the node's CPUs fetched from memory, and the remote part"];
        /// Cache lines that the node's CPUs fetched from memory of other nodes.
        remote_fills_per_s: Option<f64>
            = Counter("nearfar_node_remote_fills_total", |node| Some(node.fills?.remote as f64));
        /// Latency of memory of the node to the L3 caches of its CPUs, as they sample it.
        /// The average, in nanoseconds. Null without requests, and where the PMU does not sample
        /// it (AMD Zen 4 and 5 do).
        near_memory_ns: Option<f64>
            = Latency("nearfar_node_near_memory_latency_seconds", |node| {
                let near = node.latency?.near;
                Some((near.ns as f64, near.requests as f64))
            }),
            ["NEAR/FAR ns", 11, 0, latency,
             "average latency of near and far memory, as L3 caches of Zen 4 and 5 sample it"];
        /// Latency of memory of other nodes to the L3 caches of the node's CPUs.
        /// The average, in nanoseconds.
        far_memory_ns: Option<f64>
            = Latency("nearfar_node_far_memory_latency_seconds", |node| {
                let far = node.latency?.far;
                Some((far.ns as f64, far.requests as f64))
            });
        /// Its CPUs; empty for nodes of memory only.
        cpus: CpuSet as "String",
            ["CPUS", 20, 0, cpus, ""];
        /// The GPU whose memory it is. Null for the host's memory.
        gpu: Option<String>;
    }
}

fn float(count: Option<u64>) -> Option<f64> {
    count.map(|count| count as f64)
}

/// Its CPUs; of a GPU's memory what it is.
fn cpus(row: &NodeRow) -> String {
    match &row.gpu {
        Some(gpu) => format!("memory of GPU {gpu}"),
        None => row.cpus.to_string(),
    }
}

/// Bytes in pages of each size.
fn pools(node: &NodeReading, pages: fn(&HugePool) -> u64) -> Vec<(String, f64)> {
    let part = |pool: &HugePool| {
        (pool.size_bytes.0.to_string(), pages(pool) as f64 * pool.size_bytes.0 as f64)
    };
    node.counters.pools.iter().map(part).collect()
}

fn size(bytes: Option<Bytes>) -> String {
    or_dash(bytes.map(amount::bytes))
}

fn rate(pages: Option<f64>) -> String {
    or_dash(pages.map(amount::number))
}

fn huge(row: &NodeRow) -> String {
    if row.huge_total_bytes.0 == 0 {
        return String::new();
    }
    format!("{}/{}", amount::bytes(row.huge_free_bytes), amount::bytes(row.huge_total_bytes))
}

/// "12G/s 67% read".
fn dram(row: &NodeRow) -> String {
    let (Some(read), Some(written)) = (row.dram_read_bytes_per_s, row.dram_written_bytes_per_s)
    else {
        return String::new();
    };
    let all = read + written;
    let share = (all > 0.0).then(|| format!(" {} read", amount::percent(read / all)));
    amount::byte_rate(all) + &share.unwrap_or_default()
}

/// "41M/s 12% remote".
fn fills(row: &NodeRow) -> String {
    let (Some(local), Some(remote)) = (row.local_fills_per_s, row.remote_fills_per_s) else {
        return String::new();
    };
    let all = local + remote;
    let share = (all > 0.0).then(|| format!(" {} remote", amount::percent(remote / all)));
    format!("{}/s{}", amount::number(all), share.unwrap_or_default())
}

/// "118/220".
fn latency(row: &NodeRow) -> String {
    let ns = |ns: Option<f64>| or_dash(ns.map(|ns| format!("{ns:.0}")));
    match (row.near_memory_ns, row.far_memory_ns) {
        (None, None) => String::new(),
        (near, far) => format!("{}/{}", ns(near), ns(far)),
    }
}

/// "3.1G/s 80% local".
fn traffic(row: &NodeRow) -> String {
    let Some(all) = row.traffic_bytes_per_s else {
        let local = row.local_bytes_per_s.map(|local| amount::byte_rate(local) + " local");
        return local.unwrap_or_default();
    };
    let share = row.local_bytes_per_s.filter(|_| all > 0.0).map(|local| (local / all).min(1.0));
    let local = share.map(|share| format!(" {} local", amount::percent(share)));
    amount::byte_rate(all) + &local.unwrap_or_default()
}
