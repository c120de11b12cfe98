//! Moves a running process: its CPUs, its pages, and where its next pages are allocated.
//!
//! Affinity is set thread by thread. The list of threads and children is read again until it has no
//! new entry: threads that a bound thread starts inherit its affinity. The policy of another
//! process cannot be changed. The node of its next pages depends on its policies, its CPUs and its
//! cpuset; [`FuturePages`] names the one that decides.
//!
//! If a part fails, the others are not undone: each part reports what it did.

mod affinity;
mod future;
mod group;
mod processes;
mod stayed;
#[cfg(test)]
mod tests;

use nearfar_machine::process::{NodeSummaries, NumaMaps, ProcessGroup};
use nearfar_machine::{MachineError, PageSizes, Process, Source};
use nearfar_model::{Bytes, CpuSet, NodeSet};
use nearfar_place::{PlaceError, migrate_process};
use serde::Serialize;

use crate::by_node::{BytesByNode, sizes_of};
use crate::error::ProcessError;
use crate::memory::ProcessMemory;

pub use affinity::{ThreadRefused, ThreadsMoved};
pub use future::{FuturePages, FuturePagesCause};
pub use group::{GroupLimit, GroupWrite, GroupWrites};
pub use stayed::UnmovedMemory;

/// The document's name. Parts may be added, never changed, within a number.
pub const MOVE_SCHEMA: &str = "nearfar.move/1";

/// What to move.
#[derive(Clone, Debug)]
pub enum MoveTarget {
    /// A process and its descendants.
    Process(u32),
    /// The processes in a control group and the groups below it, and the group's limits.
    Group(ProcessGroup),
}

/// Where to move it.
#[derive(Clone, Debug, Default)]
pub struct MoveDestination {
    /// CPUs to run on; `None` leaves them unchanged.
    pub cpus: Option<CpuSet>,
    /// Nodes to have memory on; `None` leaves them unchanged.
    pub nodes: Option<NodeSet>,
}

/// The result: what moved and what did not.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct MoveDocument {
    schema: &'static str,
    /// The requested CPUs.
    pub cpus: Option<CpuSet>,
    /// The requested nodes.
    pub nodes: Option<NodeSet>,
    /// What was written to the group's files, if a group was moved.
    pub group: Option<GroupWrites>,
    /// Process by process.
    pub processes: Vec<ProcessMove>,
    /// Processes that ended before they could be moved.
    pub ended: usize,
    /// Processes of the group that are outside of this PID namespace and were not moved.
    pub outside: usize,
}

/// The result of one process.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct ProcessMove {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its threads; `None` if no CPUs were requested, or if the group's limit moved them.
    pub threads: Option<ThreadsMoved>,
    /// Its pages; `None` if no nodes were requested.
    pub pages: Option<PagesResult>,
    /// Where its next pages are allocated; `None` if its policies cannot be read.
    pub future: Option<FuturePages>,
}

/// The pages that moved, or why none did.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum PagesResult {
    /// Pages were moved.
    Done(PagesMoved),
    /// The kernel refused.
    Refused {
        /// The reason.
        why: String,
    },
}

impl MoveDocument {
    /// Whether all moved except pages that other processes share. For a group, its limit on nodes
    /// must be set, too. (If its limit on CPUs could not be set, threads were bound one by one.)
    pub fn is_complete(&self) -> bool {
        let limited = self
            .group
            .as_ref()
            .is_none_or(|group| self.nodes.is_none() || group.is_written(GroupLimit::Nodes));
        limited && self.outside == 0 && self.processes.iter().all(ProcessMove::is_complete)
    }
}

impl ProcessMove {
    fn is_complete(&self) -> bool {
        let pages = match &self.pages {
            Some(PagesResult::Done(pages)) => pages.is_complete(),
            Some(PagesResult::Refused { .. }) => false,
            None => true,
        };
        pages && self.threads.as_ref().is_none_or(|threads| threads.refused.is_empty())
    }
}

/// Moves a target. Fails if there is nothing to move, or if nothing could be moved.
pub fn move_running(
    source: &Source,
    target: &MoveTarget,
    wanted: &MoveDestination,
) -> Result<MoveDocument, ProcessError> {
    let group = match target {
        MoveTarget::Group(group) => Some(group::write(group, wanted)),
        MoveTarget::Process(_) => None,
    };
    let by_group = group.as_ref().is_some_and(|group| group.is_written(GroupLimit::Cpus));
    let cpus = wanted.cpus.as_ref().filter(|_| !by_group);
    let BoundProcesses { processes: bound, mut ended, outside } = bind_all(source, target, cpus)?;
    let around = NodeSummaries::read(source);
    let mut processes = Vec::new();
    for (pid, threads) in bound {
        match move_one(source, pid, wanted, group.as_ref(), &around) {
            Some(moved) => processes.push(ProcessMove { threads, ..moved }),
            None => ended += 1,
        }
    }
    if processes.is_empty() {
        return Err(match target {
            MoveTarget::Process(pid) => MachineError::ProcessEnded { pid: *pid }.into(),
            MoveTarget::Group(group) => {
                ProcessError::EmptyGroup { folder: group.folder.clone(), outside }
            }
        });
    }
    Ok(MoveDocument {
        schema: MOVE_SCHEMA,
        cpus: wanted.cpus.clone(),
        nodes: wanted.nodes.clone(),
        group,
        processes,
        ended,
        outside,
    })
}

/// Moves the pages of a process whose threads are bound; `None` if it has ended.
fn move_one(
    source: &Source,
    pid: u32,
    wanted: &MoveDestination,
    group: Option<&GroupWrites>,
    around: &NodeSummaries,
) -> Option<ProcessMove> {
    let has_ended = |error: &MachineError| error.is_of_ended_process();
    let process = match Process::find(source, pid) {
        Err(error) if has_ended(&error) => return None,
        found => found,
    };
    let pages = match (&wanted.nodes, &process) {
        (Some(nodes), Ok(process)) => match move_to(source, process, nodes) {
            Err(_) if Process::find(source, pid).is_err_and(|error| has_ended(&error)) => {
                return None;
            }
            moved => Some(PagesResult::from(moved)),
        },
        (Some(_), Err(error)) => Some(PagesResult::Refused { why: error.to_string() }),
        (None, _) => None,
    };
    let process = process.ok();
    let name = process.and_then(|process| process.name()).unwrap_or_else(|| "?".to_owned());
    let future = process.and_then(|process| future::of(&process, around, wanted, group));
    Some(ProcessMove { pid, name, threads: None, pages, future })
}

/// Readings of the list of processes at most; each finds those that started during the last one.
const ROUNDS: usize = 5;

/// The processes found, with the result of binding their threads if CPUs were requested.
#[derive(Default)]
struct BoundProcesses {
    processes: Vec<(u32, Option<ThreadsMoved>)>,
    /// Number of processes that ended meanwhile.
    ended: usize,
    /// Number of processes outside of this PID namespace.
    outside: usize,
}

/// Binds every thread of every process of the target.
fn bind_all(
    source: &Source,
    target: &MoveTarget,
    cpus: Option<&CpuSet>,
) -> Result<BoundProcesses, ProcessError> {
    let mut bound = BoundProcesses::default();
    for _ in 0..ROUNDS {
        let all = match processes::for_target(source, target) {
            // The target may end after all were bound; the result is still reported.
            Err(_) if !bound.processes.is_empty() => break,
            all => all?,
        };
        bound.outside = all.outside;
        let fresh: Vec<u32> = all
            .ids
            .into_iter()
            .filter(|pid| bound.processes.iter().all(|(known, _)| known != pid))
            .collect();
        if fresh.is_empty() {
            break;
        }
        for pid in fresh {
            match Process::find(source, pid) {
                Ok(process) => {
                    bound.processes.push((pid, cpus.map(|cpus| affinity::bind(&process, cpus))));
                }
                Err(error) if error.is_of_ended_process() => bound.ended += 1,
                Err(error) => {
                    bound.processes.push((pid, cpus.map(|_| ThreadsMoved::refused(pid, &error))));
                }
            }
        }
    }
    Ok(bound)
}

impl From<Result<PagesMoved, ProcessError>> for PagesResult {
    fn from(moved: Result<PagesMoved, ProcessError>) -> Self {
        moved.map_or_else(|error| Self::Refused { why: error.to_string() }, Self::Done)
    }
}

/// The result of moving a process's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PagesMoved {
    /// Its memory before.
    pub before: BytesByNode,
    /// Its memory now.
    pub after: BytesByNode,
    /// Memory that is on other nodes than the requested ones now.
    #[serde(rename = "elsewhere_bytes")]
    pub elsewhere: Bytes,
    /// The reasons that the kernel reports, the one with the most memory first.
    pub stayed: Vec<UnmovedMemory>,
}

impl PagesMoved {
    /// Memory that moved to the requested nodes. What the process allocated or freed meanwhile does
    /// not count.
    pub fn moved(&self, nodes: &NodeSet) -> Bytes {
        let elsewhere = |sizes: &BytesByNode| sizes.total().0.saturating_sub(sizes.on_any(nodes).0);
        let came = self.after.on_any(nodes).0.saturating_sub(self.before.on_any(nodes).0);
        Bytes(came.min(elsewhere(&self.before).saturating_sub(elsewhere(&self.after))))
    }

    /// Whether none of its own pages stayed.
    pub fn is_complete(&self) -> bool {
        self.stayed.iter().all(|stayed| stayed.is_shared)
    }
}

/// Moves all pages that are on other nodes to these.
fn move_to(
    source: &Source,
    process: &Process<'_>,
    nodes: &NodeSet,
) -> Result<PagesMoved, ProcessError> {
    let sizes = PageSizes::read(source);
    let before = by_node(&process.numa_maps()?, sizes);
    let from = before.nodes().difference(nodes);
    if !from.is_empty() {
        match migrate_process(process.pid, &from, nodes) {
            // Some moved before the nodes were full; the others are tried below.
            Ok(_) | Err(PlaceError::NodesFull { .. }) => {}
            Err(refusal) => return Err(explained(process, nodes, refusal)),
        }
    }
    let memory = ProcessMemory::read(source, process.pid)?;
    if memory.by_node().nodes().is_subset(nodes) {
        return Ok(PagesMoved {
            before,
            after: memory.by_node(),
            elsewhere: Bytes(0),
            stayed: Vec::new(),
        });
    }
    let stayed = stayed::retry(&memory, nodes);
    let after = by_node(&process.numa_maps()?, sizes);
    let elsewhere = Bytes(after.total().0.saturating_sub(after.on_any(nodes).0));
    Ok(PagesMoved { before, after, elsewhere, stayed: stayed.into_list(elsewhere) })
}

/// The kernel also returns EPERM for nodes outside the other process's cpuset.
fn explained(process: &Process<'_>, nodes: &NodeSet, refusal: PlaceError) -> ProcessError {
    let allowed = process.status().ok().and_then(|status| status.nodes);
    match (allowed, &refusal) {
        (Some(allowed), PlaceError::NotYourProcess { pid, .. }) if !nodes.is_subset(&allowed) => {
            ProcessError::OutsideCpuset { pid: *pid, nodes: nodes.clone(), allowed }
        }
        _ => refusal.into(),
    }
}

fn by_node(maps: &NumaMaps, sizes: PageSizes) -> BytesByNode {
    maps.mappings.iter().flat_map(|mapping| sizes_of(&mapping.pages, sizes.of(mapping))).collect()
}
