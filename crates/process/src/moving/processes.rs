//! The processes of a target: one and its descendants, or those of a control group.

use nearfar_machine::process::{ProcessList, processes_in_group};
use nearfar_machine::{Process, Source};

use super::MoveTarget;
use crate::descendants::with_descendants;
use crate::error::ProcessError;
use crate::memory::without_memory;

/// The processes of a target; of a process, its own ID first.
pub(super) fn for_target(
    source: &Source,
    target: &MoveTarget,
) -> Result<ProcessList, ProcessError> {
    let mut list = match target {
        MoveTarget::Process(pid) => {
            let process = Process::find(source, *pid)?;
            if !may_have_memory(source, *pid) {
                return Err(without_memory(&process));
            }
            ProcessList { ids: with_descendants(source, *pid), outside: 0 }
        }
        MoveTarget::Group(group) => processes_in_group(source, group),
    };
    // Kernel threads (the root group has some) and zombies have no memory to move.
    list.ids.retain(|&pid| may_have_memory(source, pid));
    Ok(list)
}

/// Hidden processes may: they are refused one by one.
fn may_have_memory(source: &Source, pid: u32) -> bool {
    match Process::find(source, pid).and_then(|process| process.status()) {
        Ok(status) => status.resident.is_some(),
        Err(error) => !error.is_of_ended_process(),
    }
}
