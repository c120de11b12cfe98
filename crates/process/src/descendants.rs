//! A process and its descendants.

use nearfar_machine::process::process_ids;
use nearfar_machine::{HiddenBy, MachineError, Process, Source};

/// A process and its descendants that run now, the process itself first. A process whose parent has
/// ended has another parent by now, and is missing. Hidden children, such as set-uid programs, are
/// among them; their own children are not.
pub fn with_descendants(source: &Source, pid: u32) -> Vec<u32> {
    let parents = parents(source);
    let may_hide = source.hidden_by().is_some_and(HiddenBy::is_within_namespace);
    family(pid, |of| {
        let mut children = children_of(of, &parents);
        if may_hide {
            children.extend(hidden_children(source, of));
        }
        children
    })
}

/// `/proc` names them in a file of their parent only.
fn hidden_children(source: &Source, pid: u32) -> Vec<u32> {
    let mut children = Process::known(source, pid).children().unwrap_or_default();
    let is_hidden =
        |pid: &u32| matches!(Process::find(source, *pid), Err(MachineError::HiddenProcess { .. }));
    children.retain(is_hidden);
    children
}

/// As [`with_descendants`], read from each process's `children` file: few files, however many
/// processes there are. Some may be missing if others end meanwhile. So this suits observation, not
/// moving.
pub fn with_descendants_at_a_glance(source: &Source, pid: u32) -> Vec<u32> {
    glance(source, pid).unwrap_or_else(|| with_descendants(source, pid))
}

/// `None` if the kernel does not list the children of the process itself.
fn glance(source: &Source, pid: u32) -> Option<Vec<u32>> {
    let children = |pid: u32| Process::find(source, pid).ok()?.children();
    let mut own = Some(children(pid)?);
    Some(family(pid, |of| own.take().or_else(|| children(of)).unwrap_or_default()))
}

/// Every process with its parent.
fn parents(source: &Source) -> Vec<(u32, u32)> {
    let parent = |pid: u32| Some((pid, Process::find(source, pid).ok()?.stat().ok()?.parent));
    process_ids(source).into_iter().filter_map(parent).collect()
}

fn children_of(pid: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    parents.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child).collect()
}

/// A process and its descendants; `children` is called once for each, first for the process itself.
fn family(pid: u32, mut children: impl FnMut(u32) -> Vec<u32>) -> Vec<u32> {
    let mut found = vec![pid];
    let mut at = 0;
    while at < found.len() {
        let children = children(found[at]);
        found.extend(
            children.into_iter().filter(|child| !found.contains(child)).collect::<Vec<_>>(),
        );
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_include_grandchildren() {
        let parents = [(1, 0), (5, 1), (6, 5), (7, 6), (8, 1), (9, 6)];
        assert_eq!(family(5, |pid| children_of(pid, &parents)), [5, 6, 7, 9]);
        assert_eq!(family(8, |pid| children_of(pid, &parents)), [8]);
    }

    #[test]
    fn a_cycle_of_parents_ends() {
        assert_eq!(family(5, |pid| children_of(pid, &[(5, 6), (6, 5)])), [5, 6]);
    }

    #[test]
    fn children_files_list_descendants() {
        let source = Source::from_files([
            ("/proc/5/task/5/children", "6 "),
            ("/proc/5/task/8/children", "9 "),
            ("/proc/6/task/6/children", "7 5 "),
            // It has ended: there is no `children` file.
            ("/proc/9/stat", ""),
        ]);
        assert_eq!(with_descendants_at_a_glance(&source, 5), [5, 6, 9, 7]);
    }

    #[test]
    fn without_children_files_parents_are_searched() {
        let source =
            Source::from_files([("/proc/5/stat", "5 (a) S 1 0"), ("/proc/6/stat", "6 (b) S 5 0")]);
        assert_eq!(with_descendants_at_a_glance(&source, 5), [5, 6]);
    }

    #[test]
    fn a_live_child_is_found() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let seen = with_descendants_at_a_glance(&Source::live(), std::process::id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(seen.contains(&child.id()), "{seen:?}");
    }
}
