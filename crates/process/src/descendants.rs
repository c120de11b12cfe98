//! Who was started by whom.

use nearfar_machine::process::process_ids;
use nearfar_machine::{Process, Source};

/// A process, its children, their children: those that run now, the process itself first. One whose parent has ended belongs to somebody
/// else by now, and is not found.
pub fn with_descendants(source: &Source, pid: u32) -> Vec<u32> {
    family(pid, &parents(source))
}

/// Every process and who started it.
fn parents(source: &Source) -> Vec<(u32, u32)> {
    let parent = |pid: u32| Some((pid, Process::find(source, pid).ok()?.stat().ok()?.parent));
    process_ids(source).into_iter().filter_map(parent).collect()
}

fn family(pid: u32, parents: &[(u32, u32)]) -> Vec<u32> {
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
        assert_eq!(family(5, &parents), [5, 6, 7, 9]);
        assert_eq!(family(8, &parents), [8]);
    }

    #[test]
    fn a_circle_of_parents_ends() {
        assert_eq!(family(5, &[(5, 6), (6, 5)]), [5, 6]);
    }
}
