//! The table of nodes.

use nearfar_model::Bytes;
use nearfar_view::text::or_dash;

use super::amount;
use super::columns::{Column, fit};
use crate::NodeRow;

const COLUMNS: [Column<NodeRow>; 15] = [
    Column { head: "NODE", importance: 20, least: 4, cell: |row| row.node.to_string() },
    Column { head: "TOTAL", importance: 8, least: 5, cell: |row| size(row.total_bytes) },
    Column { head: "USED", importance: 19, least: 5, cell: |row| size(row.used_bytes) },
    Column { head: "FREE", importance: 18, least: 5, cell: |row| size(row.free_bytes) },
    Column { head: "FILE", importance: 9, least: 5, cell: |row| size(row.file_bytes) },
    Column { head: "ANON", importance: 10, least: 5, cell: |row| size(row.anonymous_bytes) },
    Column { head: "THP", importance: 5, least: 5, cell: |row| size(row.transparent_huge_bytes) },
    Column { head: "HUGE free/all", importance: 6, least: 0, cell: huge },
    Column { head: "HIT/s", importance: 7, least: 5, cell: |row| rate(row.hit_pages_per_s) },
    Column { head: "MISS/s", importance: 12, least: 6, cell: |row| rate(row.miss_pages_per_s) },
    Column { head: "TRAFFIC", importance: 14, least: 0, cell: |row| traffic(row) },
    Column { head: "DRAM", importance: 15, least: 0, cell: |row| dram(row) },
    Column { head: "FILLS", importance: 13, least: 0, cell: |row| fills(row) },
    Column { head: "NEAR/FAR ns", importance: 11, least: 0, cell: |row| latency(row) },
    Column { head: "CPUS", importance: 20, least: 0, cell: |row| row.cpus.to_string() },
];

pub(super) fn lines(nodes: &[NodeRow], width: usize) -> Vec<String> {
    fit(&COLUMNS, nodes, width)
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
