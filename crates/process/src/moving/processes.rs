//! The processes of a target: one and its descendants, or those of a control group.

use nearfar_machine::process::processes_in_group;
use nearfar_machine::{Process, Source};

use super::MoveTarget;
use crate::descendants::with_descendants;
use crate::error::ProcessError;
use crate::memory::without_memory;

/// The IDs; for a process, its own first.
pub(super) fn of_target(source: &Source, target: &MoveTarget) -> Result<Vec<u32>, ProcessError> {
    match target {
        MoveTarget::Process(pid) => {
            let process = Process::find(source, *pid)?;
            if !has_memory(source, *pid) {
                return Err(without_memory(&process));
            }
            Ok(with_memory(source, with_descendants(source, *pid)))
        }
        MoveTarget::Group(group) => Ok(with_memory(source, processes_in_group(source, group))),
    }
}

/// Without kernel threads (the root group has some) and zombies: they have no memory to move.
fn with_memory(source: &Source, mut processes: Vec<u32>) -> Vec<u32> {
    processes.retain(|&pid| has_memory(source, pid));
    processes
}

fn has_memory(source: &Source, pid: u32) -> bool {
    let status = Process::find(source, pid).and_then(|process| process.status());
    status.is_ok_and(|status| status.resident.is_some())
}
