//! The processes of a target: one and its descendants, or those of a control group.

use nearfar_machine::process::{GroupProcesses, processes_in_group};
use nearfar_machine::{Process, Source};

use super::MoveTarget;
use crate::descendants::with_descendants;
use crate::error::ProcessError;
use crate::memory::without_memory;

/// The processes of a target.
#[derive(Debug, Default)]
pub(super) struct TargetProcesses {
    /// Their IDs; for a process, its own first.
    pub(super) ids: Vec<u32>,
    /// Number of processes outside of this PID namespace.
    pub(super) outside: usize,
}

pub(super) fn of_target(
    source: &Source,
    target: &MoveTarget,
) -> Result<TargetProcesses, ProcessError> {
    match target {
        MoveTarget::Process(pid) => {
            let process = Process::find(source, *pid)?;
            if !may_have_memory(source, *pid) {
                return Err(without_memory(&process));
            }
            Ok(TargetProcesses {
                ids: with_memory(source, with_descendants(source, *pid)),
                outside: 0,
            })
        }
        MoveTarget::Group(group) => {
            let GroupProcesses { ids, outside } = processes_in_group(source, group);
            Ok(TargetProcesses { ids: with_memory(source, ids), outside })
        }
    }
}

/// Without kernel threads (the root group has some) and zombies: they have no memory to move.
fn with_memory(source: &Source, mut processes: Vec<u32>) -> Vec<u32> {
    processes.retain(|&pid| may_have_memory(source, pid));
    processes
}

/// Hidden processes may: they are refused one by one.
fn may_have_memory(source: &Source, pid: u32) -> bool {
    match Process::find(source, pid).and_then(|process| process.status()) {
        Ok(status) => status.resident.is_some(),
        Err(error) => !error.is_of_ended_process(),
    }
}
