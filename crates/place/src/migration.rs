//! Moving pages that exist: move_pages(2) one by one, migrate_pages(2) a whole process.

#![allow(unsafe_code)]

use libc::{c_int, c_void, pid_t};
use nearfar_model::{Id, NodeId, NodeSet};

use crate::refusal::Refusal;
use crate::residency::Residence;

const MPOL_MF_MOVE: c_int = 2;

/// Moves the pages of this process at these addresses, each to its node, and tells where each is afterwards: a page
/// that could not be moved says why.
pub fn move_pages(pages: &[(*const u8, NodeId)]) -> Result<Vec<Residence>, Refusal> {
    let addresses: Vec<*const c_void> = pages.iter().map(|(address, _)| address.cast()).collect();
    let targets: Vec<c_int> =
        pages.iter().map(|(_, node)| c_int::try_from(node.number()).unwrap_or(c_int::MAX)).collect();
    let mut status: Vec<c_int> = vec![-libc::ENOENT; pages.len()];
    // SAFETY: the three lists are equally long; moving a page keeps its bytes and its address.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            pages.len(),
            addresses.as_ptr(),
            targets.as_ptr(),
            status.as_mut_ptr(),
            MPOL_MF_MOVE,
        )
    };
    // A positive result counts the pages that were left: their status says why.
    match result {
        0.. => Ok(status.into_iter().map(Residence::of_status).collect()),
        _ => Err(Refusal::last_for_nodes("move_pages", &pages.iter().map(|&(_, node)| node).collect())),
    }
}

/// Moves all pages of a process (this one when `pid` is `None`) from the first nodes to the others. Gives how many
/// pages could not be moved.
pub fn migrate_pages(pid: Option<u32>, from: &NodeSet, to: &NodeSet) -> Result<u64, Refusal> {
    let Ok(process) = pid_t::try_from(pid.unwrap_or(0)) else {
        return Err(Refusal::Failed { call: "migrate_pages", errno: "no process has so large a number".to_owned() });
    };
    // The kernel takes one length for both masks.
    let words = from.words().len().max(to.words().len());
    let (from_words, to_words) = (padded(from, words), padded(to, words));
    let maxnode = (words * 64 + 1) as libc::c_ulong;
    // SAFETY: both masks hold `maxnode - 1` bits and are only read; moving pages keeps their bytes and addresses.
    let left =
        unsafe { libc::syscall(libc::SYS_migrate_pages, process, maxnode, from_words.as_ptr(), to_words.as_ptr()) };
    u64::try_from(left).map_err(|_| Refusal::last_for_process("migrate_pages", pid, &from.union(to)))
}

fn padded(nodes: &NodeSet, words: usize) -> Vec<u64> {
    let mut mask = nodes.words().to_vec();
    mask.resize(words, 0);
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denied_calls::{Denied, without};
    use crate::policy::allowed_nodes;

    #[test]
    fn moving_a_page_to_where_it_is_leaves_it_there() {
        let byte = Box::new(1u8);
        let node = crate::residences(&[&raw const *byte]).unwrap()[0].node().unwrap();
        assert_eq!(move_pages(&[(&raw const *byte, node)]).unwrap(), [Residence::Node(node)]);
    }

    #[test]
    fn absent_target_nodes_are_named() {
        let byte = Box::new(1u8);
        let refused = move_pages(&[(&raw const *byte, NodeId(777))]).unwrap_err();
        assert!(refused.to_string().contains("777"), "{refused}");
    }

    #[test]
    fn a_process_can_migrate_itself_and_not_one_that_is_gone() {
        let node = NodeSet::of(allowed_nodes().unwrap().first().unwrap());
        assert_eq!(migrate_pages(None, &node, &node), Ok(0));
        let gone = migrate_pages(Some(0x3fff_ffff), &node, &node).unwrap_err();
        assert!(matches!(gone, Refusal::NotYourProcess { .. }), "{gone}");
        let denied = without(&[libc::SYS_migrate_pages], Denied::Eperm, || migrate_pages(None, &node, &node));
        assert_eq!(denied, Err(Refusal::NotPermitted { call: "migrate_pages" }));
    }
}
