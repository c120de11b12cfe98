//! Which processes are meant: one and its descendants, or those of a control group.

use nearfar_machine::process::{process_ids, processes_in_group};
use nearfar_machine::{Process, Source};

use super::Target;
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
            Ok(own(source, with_descendants(*pid, &parents(source))))
        }
        Target::Group(group) => Ok(own(source, processes_in_group(source, group))),
    }
}

/// The kernel's threads (which a group at the top holds) are nobody's to move, and zombies have nothing left.
fn own(source: &Source, mut processes: Vec<u32>) -> Vec<u32> {
    processes.retain(|&pid| has_memory(source, pid));
    processes
}

fn has_memory(source: &Source, pid: u32) -> bool {
    let status = Process::find(source, pid).and_then(|process| process.status());
    status.is_ok_and(|status| status.resident.is_some())
}

/// Every process and who started it.
fn parents(source: &Source) -> Vec<(u32, u32)> {
    let parent = |pid: u32| Some((pid, Process::find(source, pid).ok()?.stat().ok()?.parent));
    process_ids(source).into_iter().filter_map(parent).collect()
}

/// A process, its children, their children. A process whose parent ended belongs to somebody else by now, and is not found.
fn with_descendants(pid: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    let mut found = vec![pid];
    let mut at = 0;
    while at < found.len() {
        let children = parents.iter().filter(|(_, parent)| *parent == found[at]).map(|(child, _)| *child);
        let fresh: Vec<u32> = children.filter(|child| !found.contains(child)).collect();
        found.extend(fresh);
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_their_children_belong_to_a_process() {
        let parents = [(1, 0), (5, 1), (6, 5), (7, 6), (8, 1), (9, 6)];
        assert_eq!(with_descendants(5, &parents), [5, 6, 7, 9]);
        assert_eq!(with_descendants(8, &parents), [8]);
    }

    #[test]
    fn a_circle_of_parents_ends() {
        assert_eq!(with_descendants(5, &[(5, 6), (6, 5)]), [5, 6]);
    }
}
