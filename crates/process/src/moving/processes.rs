//! Which processes are meant: one and its descendants, or those of a control group.

use nearfar_machine::process::processes_in_group;
use nearfar_machine::{Process, Source};

use super::Target;
use crate::descendants::with_descendants;
use crate::error::ProcessError;
use crate::memory::without_memory;

/// The numbers, the process that was named first.
pub(super) fn meant(source: &Source, target: &Target) -> Result<Vec<u32>, ProcessError> {
    match target {
        Target::Process(pid) => {
            let process = Process::find(source, *pid)?;
            if !has_memory(source, *pid) {
                return Err(without_memory(&process));
            }
            Ok(own(source, with_descendants(source, *pid)))
        }
        Target::Group(group) => Ok(own(source, processes_in_group(source, group))),
    }
}

/// The kernel's threads (which a group at the top holds) are nobody's to move, and zombies have
/// nothing left.
fn own(source: &Source, mut processes: Vec<u32>) -> Vec<u32> {
    processes.retain(|&pid| has_memory(source, pid));
    processes
}

fn has_memory(source: &Source, pid: u32) -> bool {
    let status = Process::find(source, pid).and_then(|process| process.status());
    status.is_ok_and(|status| status.resident.is_some())
}
