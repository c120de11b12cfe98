//! What firmware claims about latency and bandwidth of nodes: the HMAT, as sysfs has it.

use nearfar_view::text::table;
use nearfar_view::text::{named_nodes, or_dash};

use crate::{NodeAccess, Topology};

/// One line a node; empty without an HMAT. Its initiators may have no CPUs: accelerators.
pub(super) fn text(topology: &Topology) -> String {
    if topology.access.is_empty() {
        return String::new();
    }
    let heads = [">node", "initiators", ">read", ">write", ">read GB/s", ">write GB/s"];
    table("Access as firmware claims it (HMAT)", heads, topology.access.iter().map(line).collect())
}

fn line(access: &NodeAccess) -> [String; 6] {
    let latency = |ns: Option<u64>| or_dash(ns.map(|ns| format!("{ns} ns")));
    let bandwidth =
        |bytes: Option<u64>| or_dash(bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1e9)));
    [
        access.target.to_string(),
        named_nodes(&access.initiators),
        latency(access.read_latency_ns),
        latency(access.write_latency_ns),
        bandwidth(access.read_bandwidth_bytes_per_s),
        bandwidth(access.write_bandwidth_bytes_per_s),
    ]
}
