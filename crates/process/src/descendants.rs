//! Who was started by whom.

use nearfar_machine::process::process_ids;
use nearfar_machine::{Process, Source};

/// A process, its children, their children: those that run now, the process itself first. One whose
/// parent has ended belongs to somebody else by now, and is not found.
pub fn with_descendants(source: &Source, pid: u32) -> Vec<u32> {
    let parents = parents(source);
    family(pid, |of| children_of(of, &parents))
}

/// The same, as each process tells its children: a few files to read, however many processes there
/// are. Some may be missing when others end meanwhile, so that this is for looking, and not for
/// what has to reach all of them.
pub fn with_descendants_at_a_glance(source: &Source, pid: u32) -> Vec<u32> {
    glance(source, pid).unwrap_or_else(|| with_descendants(source, pid))
}

/// None where the kernel does not tell of the process itself; others may have ended before they
/// were asked.
fn glance(source: &Source, pid: u32) -> Option<Vec<u32>> {
    let children = |pid: u32| Process::find(source, pid).ok()?.children();
    let mut own = Some(children(pid)?);
    Some(family(pid, |of| own.take().or_else(|| children(of)).unwrap_or_default()))
}

/// Every process and who started it.
fn parents(source: &Source) -> Vec<(u32, u32)> {
    let parent = |pid: u32| Some((pid, Process::find(source, pid).ok()?.stat().ok()?.parent));
    process_ids(source).into_iter().filter_map(parent).collect()
}

fn children_of(pid: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    parents.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child).collect()
}

/// A process and all that descend from it; `children` is asked once of each, of the process itself
/// first.
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
    fn children_and_their_children_belong_to_a_process() {
        let parents = [(1, 0), (5, 1), (6, 5), (7, 6), (8, 1), (9, 6)];
        assert_eq!(family(5, |pid| children_of(pid, &parents)), [5, 6, 7, 9]);
        assert_eq!(family(8, |pid| children_of(pid, &parents)), [8]);
    }

    #[test]
    fn a_circle_of_parents_ends() {
        assert_eq!(family(5, |pid| children_of(pid, &[(5, 6), (6, 5)])), [5, 6]);
    }

    #[test]
    fn at_a_glance_processes_are_asked_for_their_children() {
        let told = Source::from_files([
            ("/proc/5/task/5/children", "6 "),
            ("/proc/5/task/8/children", "9 "),
            ("/proc/6/task/6/children", "7 5 "),
            // It has ended: nobody can be asked.
            ("/proc/9/stat", ""),
        ]);
        assert_eq!(with_descendants_at_a_glance(&told, 5), [5, 6, 9, 7]);
    }

    #[test]
    fn where_the_kernel_does_not_tell_children_everybody_is_asked_for_the_parent() {
        let source =
            Source::from_files([("/proc/5/stat", "5 (a) S 1 0"), ("/proc/6/stat", "6 (b) S 5 0")]);
        assert_eq!(with_descendants_at_a_glance(&source, 5), [5, 6]);
    }

    #[test]
    fn a_child_of_this_process_is_seen_at_a_glance() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let seen = with_descendants_at_a_glance(&Source::live(), std::process::id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(seen.contains(&child.id()), "{seen:?}");
    }
}
