//! The columns of control groups.

use nearfar_model::Bytes;
use nearfar_view::text::or_dash;
use serde::{Deserialize, Serialize};

use crate::columns::processes::cpu;
use crate::columns::value::{MovingMemory, NodeBytes};
use crate::text::{amount, lists};

columns! {
    /// One control group with its child groups.
    GroupRow from () {
        /// Number of tasks; null without the controller `pids`.
        tasks: Option<u64>,
            ["TASKS", 6, 5, |row| or_dash(row.tasks), ""];
        /// CPUs that it uses. Null in version 1, and at the first reading.
        cpus: Option<f64>,
            ["CPU%", 8, 5, |row| cpu(row.cpus), ""];
        /// All its memory.
        memory_bytes: Bytes as "u64",
            ["MEMORY", 18, 6, |row| amount::bytes(row.memory_bytes), ""];
        /// Anonymous memory.
        anonymous_bytes: Bytes as "u64",
            ["ANON", 5, 5, |row| amount::bytes(row.anonymous_bytes), ""];
        /// Memory of files.
        file_bytes: Bytes as "u64";
        /// The share of its memory that is not on the node of its CPUs.
        remote_share: Option<f64>,
            ["REMOTE", 19, 9, remote, ""];
        /// Memory that moves from one node to another.
        moving: Option<MovingMemory>,
            ["MOVES", 16, 0, |row| lists::moving(row.moving), ""];
        /// Share of the last 10 s in which at least one of its tasks waited for memory (PSI,
        /// `some`).
        memory_wait_some: Option<f64>,
            ["WAIT", 4, 4, |row| or_dash(row.memory_wait_some.map(amount::percent)),
             "share of 10 s in which a task of the control group waited for memory"];
        /// Memory on each node.
        by_node: Vec<NodeBytes>,
            ["MEMORY ON", 7, 13, |row| lists::memory(&row.by_node), ""];
        /// Why there is no `remote_share`.
        why: Option<GroupWhy>;
        /// Its name below the mount point.
        name: String,
            ["CONTROL GROUP", 20, 0, |row| row.name.clone(), ""];
    }
}

/// Why a control group has no remote share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupWhy {
    /// Its CPUs are on several nodes: which of them use the memory is unknown.
    SeveralNodes,
    /// The kernel does not report its CPUs.
    CpusUnknown,
    /// It has no memory.
    NoMemory,
}

fn remote(row: &GroupRow) -> String {
    match (row.remote_share, row.why) {
        (Some(share), _) => amount::percent(share),
        (None, Some(GroupWhy::SeveralNodes)) => "all CPUs".to_owned(),
        (None, Some(GroupWhy::CpusUnknown)) => "unknown".to_owned(),
        (None, Some(GroupWhy::NoMemory) | None) => "-".to_owned(),
    }
}
