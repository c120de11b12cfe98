//! The list of control groups.

use nearfar_view::text::or_dash;

use super::columns::{Column, fit};
use super::processes::cpu;
use super::{amount, lists};
use crate::{GroupRow, GroupWhy};

const COLUMNS: [Column<GroupRow>; 9] = [
    Column { head: "TASKS", importance: 6, least: 5, cell: |row| or_dash(row.tasks) },
    Column { head: "CPU%", importance: 8, least: 5, cell: |row| cpu(row.cpus) },
    Column {
        head: "MEMORY",
        importance: 18,
        least: 6,
        cell: |row| amount::bytes(row.memory_bytes),
    },
    Column {
        head: "ANON",
        importance: 5,
        least: 5,
        cell: |row| amount::bytes(row.anonymous_bytes),
    },
    Column { head: "REMOTE", importance: 19, least: 9, cell: remote },
    Column { head: "MOVES", importance: 16, least: 0, cell: |row| lists::moving(row.moving) },
    Column {
        head: "WAIT",
        importance: 4,
        least: 4,
        cell: |row| or_dash(row.memory_wait_some.map(amount::percent)),
    },
    Column { head: "MEMORY ON", importance: 7, least: 13, cell: |row| lists::memory(&row.by_node) },
    Column { head: "CONTROL GROUP", importance: 20, least: 0, cell: |row| row.name.clone() },
];

pub(super) fn lines(groups: &[GroupRow], width: usize) -> Vec<String> {
    fit(&COLUMNS, groups, width)
}

fn remote(row: &GroupRow) -> String {
    match (row.remote_share, row.why) {
        (Some(share), _) => amount::percent(share),
        (None, Some(GroupWhy::SeveralNodes)) => "all CPUs".to_owned(),
        (None, Some(GroupWhy::CpusUnknown)) => "unknown".to_owned(),
        (None, Some(GroupWhy::NoMemory) | None) => "-".to_owned(),
    }
}
