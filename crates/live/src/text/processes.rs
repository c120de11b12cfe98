//! The list of processes.

use nearfar_view::text::or_dash;

use super::columns::{Column, fit};
use super::{amount, lists};
use crate::{ProcessRow, ProcessWhy};

const COLUMNS: [Column<ProcessRow>; 9] = [
    Column { head: "PID", importance: 18, least: 7, cell: |row| row.pid.to_string() },
    Column { head: "CPU%", importance: 8, least: 5, cell: |row| cpu(row.cpus) },
    Column {
        head: "MEMORY",
        importance: 10,
        least: 6,
        cell: |row| amount::bytes(row.memory_bytes),
    },
    Column { head: "REMOTE", importance: 19, least: 9, cell: remote },
    Column { head: "COST", importance: 9, least: 0, cell: cost },
    Column { head: "MOVES", importance: 16, least: 0, cell: |row| lists::moving(row.moving) },
    Column { head: "MEMORY ON", importance: 7, least: 13, cell: |row| lists::memory(&row.by_node) },
    Column {
        head: "THREADS ON",
        importance: 6,
        least: 0,
        cell: |row| lists::threads(&row.threads_by_node),
    },
    Column { head: "NAME", importance: 20, least: 0, cell: |row| row.name.clone() },
];

pub(super) fn lines(processes: &[ProcessRow], width: usize) -> Vec<String> {
    fit(&COLUMNS, processes, width)
}

pub(super) fn cpu(cpus: Option<f64>) -> String {
    or_dash(cpus.map(|cpus| format!("{:.1}", cpus * 100.0)))
}

fn remote(row: &ProcessRow) -> String {
    match (row.remote_share, row.why) {
        (Some(share), _) => amount::interval(share),
        (None, Some(ProcessWhy::Denied)) => "denied".to_owned(),
        (None, Some(ProcessWhy::NoPages)) => "no pages".to_owned(),
        (None, Some(ProcessWhy::NodesUnknown)) => "unknown".to_owned(),
        (None, Some(ProcessWhy::NotSampled) | None) => "...".to_owned(),
    }
}

fn cost(row: &ProcessRow) -> String {
    row.remote_cost.map(|cost| format!("+{}", amount::percent(cost.value))).unwrap_or_default()
}
