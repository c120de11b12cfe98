//! Rebinding what already runs: its CPUs, where its next pages come from, and the pages that it
//! has.
//!
//! Affinity is set thread by thread, and the list of threads and children is read again until
//! nothing new appears in it: who is started meanwhile by a thread that is bound already inherits.
//! The policy of another process cannot be changed; where its next pages come from follows from its
//! policies, its CPUs and its cpuset, and [`FuturePages`] says which of them decides.
//!
//! Nothing is undone when a part fails: each part says what it did.

mod affinity;
mod future;
mod group;
mod pages;
mod processes;
mod stayed;

use nearfar_machine::process::{Neighbourhood, ProcessGroup};
use nearfar_machine::{MachineError, Process, Source};
use nearfar_model::{CpuSet, NodeSet};
use serde::Serialize;

use crate::error::ProcessError;
pub use affinity::{ThreadRefused, ThreadsMoved};
pub use future::{FuturePages, Way};
pub use group::{GroupWrite, GroupWrites, Limit};
pub use pages::PagesMoved;
pub use stayed::Stayed;

/// The document's name. Parts may be added, never changed, within a number.
pub const MOVE_SCHEMA: &str = "nearfar.move/1";

/// Who is to be moved.
#[derive(Clone, Debug)]
pub enum Target {
    /// A process and all that descend from it.
    Process(u32),
    /// The processes in a control group and in those below it, and the group's own limits.
    Group(ProcessGroup),
}

/// Where to.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// CPUs to run on; none leaves that as it is.
    pub cpus: Option<CpuSet>,
    /// Nodes to have memory on; none leaves that as it is.
    pub nodes: Option<NodeSet>,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Moved {
    schema: &'static str,
    /// The CPUs asked for.
    pub cpus: Option<CpuSet>,
    /// The nodes asked for.
    pub nodes: Option<NodeSet>,
    /// What was written into the group, when a group was moved.
    pub group: Option<GroupWrites>,
    /// Process by process.
    pub processes: Vec<MovedProcess>,
    /// Processes that ended before they could be moved.
    pub ended: usize,
}

/// One process.
#[derive(Debug, Serialize)]
pub struct MovedProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its threads; none when no CPUs were asked for, or the group's limit moved them.
    pub threads: Option<ThreadsMoved>,
    /// Its pages; none when no nodes were asked for.
    pub pages: Option<Outcome>,
    /// Where its next pages come from; none where the kernel does not tell its policies.
    pub future: Option<FuturePages>,
}

/// What was done, or why it could not be.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// It was done.
    Done(PagesMoved),
    /// It was refused.
    Refused {
        /// Why.
        why: String,
    },
}

impl Moved {
    /// Whether everything is where it was wanted, but for pages that other processes share; of a
    /// group, also the nodes that its next pages come from. (Where its limit on CPUs could not be
    /// set, threads were bound one by one.)
    pub fn is_complete(&self) -> bool {
        let limited = self
            .group
            .as_ref()
            .is_none_or(|group| self.nodes.is_none() || group.is_written(Limit::Nodes));
        limited && self.processes.iter().all(MovedProcess::is_complete)
    }
}

impl MovedProcess {
    fn is_complete(&self) -> bool {
        let pages = match &self.pages {
            Some(Outcome::Done(pages)) => pages.is_complete(),
            Some(Outcome::Refused { .. }) => false,
            None => true,
        };
        pages && self.threads.as_ref().is_none_or(|threads| threads.refused.is_empty())
    }
}

/// Moves a target. Fails when there is nothing to move, or when nothing at all of it could be
/// moved.
pub fn move_running(
    source: &Source,
    target: &Target,
    wanted: &Wanted,
) -> Result<Moved, ProcessError> {
    let group = match target {
        Target::Group(group) => Some(group::write(group, wanted)),
        Target::Process(_) => None,
    };
    let by_group = group.as_ref().is_some_and(|group| group.is_written(Limit::Cpus));
    let cpus = wanted.cpus.as_ref().filter(|_| !by_group);
    let Bound { processes: bound, mut ended } = bind_all(source, target, cpus)?;
    let around = Neighbourhood::read(source);
    let mut processes = Vec::new();
    for (pid, threads) in bound {
        let Ok(process) = Process::find(source, pid) else {
            ended += 1;
            continue;
        };
        let pages = match wanted.nodes.as_ref().map(|nodes| pages::move_to(source, &process, nodes))
        {
            Some(Err(_)) if Process::find(source, pid).is_err() => {
                ended += 1;
                continue;
            }
            pages => pages.map(Outcome::from),
        };
        processes.push(MovedProcess {
            pid,
            name: process.name().unwrap_or_else(|| "?".to_owned()),
            pages,
            future: future::of(&process, &around, wanted, group.as_ref()),
            threads,
        });
    }
    if processes.is_empty() {
        return Err(match target {
            Target::Process(pid) => MachineError::ProcessEnded { pid: *pid }.into(),
            Target::Group(group) => ProcessError::EmptyGroup { folder: group.folder.clone() },
        });
    }
    Ok(Moved {
        schema: MOVE_SCHEMA,
        cpus: wanted.cpus.clone(),
        nodes: wanted.nodes.clone(),
        group,
        processes,
        ended,
    })
}

/// How often the list of processes is read: each time finds who was started during the one before.
const ROUNDS: usize = 5;

/// The processes that were found, with what became of their threads where those were to be bound.
#[derive(Default)]
struct Bound {
    processes: Vec<(u32, Option<ThreadsMoved>)>,
    /// How many ended meanwhile.
    ended: usize,
}

/// Binds every thread of every process that is meant.
fn bind_all(
    source: &Source,
    target: &Target,
    cpus: Option<&CpuSet>,
) -> Result<Bound, ProcessError> {
    let mut bound = Bound::default();
    for _ in 0..ROUNDS {
        let all = match processes::meant(source, target) {
            // Who was named may end once all were bound; what was done is told all the same.
            Err(_) if !bound.processes.is_empty() => break,
            all => all?,
        };
        let fresh: Vec<u32> = all
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
                Err(_) => bound.ended += 1,
            }
        }
    }
    Ok(bound)
}

impl From<Result<PagesMoved, ProcessError>> for Outcome {
    fn from(moved: Result<PagesMoved, ProcessError>) -> Self {
        moved.map_or_else(|error| Self::Refused { why: error.to_string() }, Self::Done)
    }
}

#[cfg(test)]
mod tests;
