//! The columns of processes.

use nearfar_model::Bytes;
use nearfar_view::text::or_dash;
use serde::{Deserialize, Serialize};

use crate::columns::value::{Interval, MovingMemory, NodeBytes, NodeThreads};
use crate::text::{amount, lists};

columns! {
    /// One process.
    ProcessRow from () {
        /// Its number.
        pid: u32,
            ["PID", 18, 7, |row| row.pid.to_string(), ""];
        /// Who it is. Documents lack it: command lines may hold secrets.
        #[serde(skip)]
        identity: ProcessIdentity,
            ["USER", 5, 0, |row| row.identity.user.chars().take(MAX_OF_A_USER).collect(),
             "whose rights the process has"];
        /// CPUs that it uses: 1.5 is one and a half. Null at the first reading.
        cpus: Option<f64>,
            ["CPU%", 8, 5, |row| cpu(row.cpus), ""];
        /// Resident memory, with pages of pools of huge pages.
        memory_bytes: Bytes as "u64",
            ["MEMORY", 10, 6, |row| amount::bytes(row.memory_bytes), ""];
        /// The share of its memory that is remote to its threads, weighted by their CPU time.
        remote_share: Option<Interval>,
            ["REMOTE", 19, 9, remote,
             "share of memory on other nodes than the threads, with its 95 % interval"];
        /// By how much remote memory makes an access slower, as a fraction, if its threads use all
        /// pages equally: 0.3 is 30 %. Null without a survey.
        remote_cost: Option<Interval>,
            ["COST", 9, 0, cost, "how much slower an access is if all pages are used equally"];
        /// Memory that moves from one node to another. Null where none is detected.
        moving: Option<MovingMemory>,
            ["MOVES", 16, 0, |row| lists::moving(row.moving),
             "memory that moves between the last two samples: from>to"];
        /// Memory on each node, from a sample of pages. Empty before the first sample.
        by_node: Vec<NodeBytes>,
            ["MEMORY ON", 7, 13, |row| lists::memory(&row.by_node), "node:memory"];
        /// Number of threads.
        threads: Option<u32>;
        /// Threads by the node that they last ran on. Empty before the first sample.
        threads_by_node: Vec<NodeThreads>,
            ["THREADS ON", 6, 0, |row| lists::threads(&row.threads_by_node), "node:threads"];
        /// Pages in the sample.
        sampled_pages: u64;
        /// Age of the sample in seconds.
        sample_age_s: Option<f64>;
        /// Why there is no `remote_share`.
        why: Option<ProcessWhy>;
        /// Its short name.
        name: String,
            ["COMMAND", 20, 0, command, "command line; without one, the process's name"];
    }
}

/// Characters of a user's name on the screen.
const MAX_OF_A_USER: usize = 8;

/// What a screen shows of a process beyond its figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// The process that started it.
    pub parent: u32,
    /// The number of its user.
    pub uid: Option<u32>,
    /// The name of its user, else the number; empty if unknown.
    pub user: String,
    /// Its command line in one line; empty if unknown.
    pub command: String,
    /// Its processes above it in a tree.
    pub depth: usize,
}

/// In a tree, below the process that started it.
fn command(row: &ProcessRow) -> String {
    let ProcessIdentity { command, depth, .. } = &row.identity;
    let command = if command.is_empty() { &row.name } else { command };
    match depth {
        0 => command.clone(),
        depth => format!("{}|- {command}", "   ".repeat(depth - 1)),
    }
}

/// Why a process has no remote share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessWhy {
    /// It has not been sampled yet: it is off the screen, or new.
    NotSampled,
    /// Its pages are not readable: it belongs to another user, or a sandbox denies move_pages(2).
    Denied,
    /// No sampled page is in memory.
    NoPages,
    /// The nodes of its threads are unknown.
    NodesUnknown,
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
