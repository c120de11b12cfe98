//! Moves existing pages: move_pages(2) single ones, migrate_pages(2) those of a whole process.

#![allow(unsafe_code)]

use libc::pid_t;
use nearfar_model::{NodeId, NodeSet};

use crate::get_mempolicy::allowed_nodes;
use crate::kernel_number::kernel_number;
use crate::page_moves::{MovedPages, look_up, move_to};
use crate::place_error::{PlaceError, describe, last_errno};
use crate::residence::Residence;

/// Moves pages of this process, each to its node, and returns where each is afterwards. A page that
/// could not be moved is at its old node, or [`Residence::Unknown`] with the reason.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_model::Bytes;
/// use nearfar_place::{Memory, Residence, allowed_nodes, move_pages};
///
/// let memory = Memory::local(Bytes::mib(1))?;
/// memory.touch()?;
/// let node = allowed_nodes()?.last().expect("at least one node");
/// let wanted: Vec<_> = memory.pages().map(|page| (page, node)).collect();
/// let moved = move_pages(&wanted)?;
/// let stayed = moved.iter().filter(|page| page.node() != Some(node)).count();
/// println!("{stayed} of {} pages did not move", wanted.len());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`PlaceError::NoSuchNode`] if a node cannot be used, [`PlaceError::NodesFull`] if one has no
/// memory left, [`PlaceError::NotPermitted`] where a sandbox denies the call.
///
/// # References
///
/// move_pages(2)
pub fn move_pages(pages: &[(*const u8, NodeId)]) -> Result<Vec<Residence>, PlaceError> {
    let pages: Vec<(u64, NodeId)> =
        pages.iter().map(|(address, node)| (address.addr() as u64, *node)).collect();
    move_to(None, &pages, MovedPages::Own)
}

/// Like [`move_pages`], for another process of the same user. Pages that it shares with other
/// processes stay, such as the text of libraries.
///
/// # Errors
///
/// Those of [`move_pages`]; [`PlaceError::ProcessGone`] if no such process exists,
/// [`PlaceError::NotYourProcess`] if it belongs to another user.
///
/// # References
///
/// move_pages(2)
pub fn move_process_pages(pid: u32, pages: &[(u64, NodeId)]) -> Result<Vec<Residence>, PlaceError> {
    move_to(Some(pid), pages, MovedPages::Own)
}

/// Like [`move_process_pages`], and moves pages that several processes map, too. Needs
/// CAP_SYS_NICE.
///
/// # Errors
///
/// Those of [`move_process_pages`].
///
/// # References
///
/// move_pages(2)
pub fn move_shared_process_pages(
    pid: u32,
    pages: &[(u64, NodeId)],
) -> Result<Vec<Residence>, PlaceError> {
    move_to(Some(pid), pages, MovedPages::All)
}

/// The locations of pages of another process of the same user, one per address. Moves nothing.
///
/// # Errors
///
/// Those of [`residences`](crate::residences); [`PlaceError::ProcessGone`] if no such process
/// exists, [`PlaceError::NotYourProcess`] if it belongs to another user.
///
/// # References
///
/// move_pages(2)
pub fn process_residences(pid: u32, addresses: &[u64]) -> Result<Vec<Residence>, PlaceError> {
    look_up(Some(pid), addresses)
}

/// Moves all pages of a process (`None`: this one) from the nodes `from` to the nodes `to`: from
/// the n-th of the first set to the n-th of the second. Returns the number of pages that could not
/// be moved.
///
/// # Errors
///
/// [`PlaceError::NoSuchNode`] if no target can be used, [`PlaceError::NodesFull`] if the targets
/// have no memory left, [`PlaceError::ProcessGone`] and [`PlaceError::NotYourProcess`] for another
/// process, [`PlaceError::NotPermitted`] where a sandbox denies the call.
///
/// # References
///
/// migrate_pages(2)
pub fn migrate_pages(pid: Option<u32>, from: &NodeSet, to: &NodeSet) -> Result<u64, PlaceError> {
    const CALL: &str = "migrate_pages";
    check_targets(to)?;
    let process = kernel_number(CALL, pid)?;
    call(process, from, to).map_err(|errno| {
        PlaceError::for_process(CALL, pid, &from.union(to), errno, || {
            call(0, &NodeSet::new(), to) == Err(libc::EPERM)
        })
    })
}

/// Like [`migrate_pages`], for another process. Pages that it shares with others stay, without
/// CAP_SYS_NICE.
///
/// # Errors
///
/// Those of [`migrate_pages`].
///
/// # References
///
/// migrate_pages(2)
pub fn migrate_process(pid: u32, from: &NodeSet, to: &NodeSet) -> Result<u64, PlaceError> {
    migrate_pages(Some(pid), from, to)
}

/// If this process may not use the targets itself, the kernel moves nothing and reports success.
fn check_targets(to: &NodeSet) -> Result<(), PlaceError> {
    match allowed_nodes() {
        Ok(allowed) if to.is_disjoint(&allowed) => Err(PlaceError::NoSuchNode {
            call: "migrate_pages",
            nodes: to.clone(),
            errno: describe(libc::EINVAL),
        }),
        _ => Ok(()),
    }
}

/// The system call. Fails with the error number.
fn call(process: pid_t, from: &NodeSet, to: &NodeSet) -> Result<u64, i32> {
    // The kernel takes one length for both masks.
    let words = from.words().len().max(to.words().len());
    let (from_words, to_words) = (padded(from, words), padded(to, words));
    let maxnode = (words * 64 + 1) as libc::c_ulong;
    // SAFETY: both masks hold `maxnode - 1` bits and are only read; moving pages keeps their bytes
    // and addresses.
    let left = unsafe {
        libc::syscall(
            libc::SYS_migrate_pages,
            process,
            maxnode,
            from_words.as_ptr(),
            to_words.as_ptr(),
        )
    };
    u64::try_from(left).map_err(|_| last_errno())
}

fn padded(nodes: &NodeSet, words: usize) -> Vec<u64> {
    let mut mask = nodes.words().to_vec();
    mask.resize(words, 0);
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn a_page_on_its_target_node_stays() {
        let byte = Box::new(1u8);
        let node = crate::residences(&[&raw const *byte]).unwrap()[0].node().unwrap();
        assert_eq!(move_pages(&[(&raw const *byte, node)]).unwrap(), [Residence::Node(node)]);
    }

    #[test]
    fn absent_target_nodes_are_named() {
        let byte = Box::new(1u8);
        let error = move_pages(&[(&raw const *byte, NodeId(777))]).unwrap_err();
        assert!(error.to_string().contains("777"), "{error}");
        let error = migrate_pages(None, &allowed_nodes().unwrap(), &NodeSet::from_id(NodeId(777)))
            .unwrap_err();
        assert!(error.to_string().contains("777"), "{error}");
    }

    #[test]
    fn missing_processes_cannot_be_migrated() {
        let node = NodeSet::from_id(allowed_nodes().unwrap().first().unwrap());
        assert_eq!(migrate_pages(None, &node, &node), Ok(0));
        for gone in [0, 0x3fff_ffff, u32::MAX] {
            let error = migrate_process(gone, &node, &node).unwrap_err();
            assert!(matches!(error, PlaceError::ProcessGone { .. }), "{error}");
            assert!(matches!(process_residences(gone, &[0]), Err(PlaceError::ProcessGone { .. })));
        }
    }

    #[test]
    fn pages_of_a_process_are_located_and_moved() {
        let byte = Box::new(1u8);
        let (pid, address) = (std::process::id(), (&raw const *byte).addr() as u64);
        let node = process_residences(pid, &[address]).unwrap()[0].node().unwrap();
        let moved = move_process_pages(pid, &[(address, node), (0, node)]).unwrap();
        assert_eq!(moved, [Residence::Node(node), Residence::Absent]);
    }

    #[test]
    fn seccomp_is_distinguished_from_a_foreign_process() {
        let node = NodeSet::from_id(allowed_nodes().unwrap().first().unwrap());
        let pid = std::process::id();
        for who in [None, Some(pid)] {
            let denied = without(&[libc::SYS_migrate_pages], Denied::Eperm, || {
                migrate_pages(who, &node, &node)
            });
            assert_eq!(denied, Err(PlaceError::NotPermitted { call: "migrate_pages" }));
        }
        let denied =
            without(&[libc::SYS_move_pages], Denied::Eperm, || process_residences(pid, &[0]));
        assert_eq!(denied, Err(PlaceError::NotPermitted { call: "move_pages" }));
        let denied = without(&[libc::SYS_move_pages], Denied::Eperm, || {
            move_process_pages(pid, &[(0, NodeId(0))])
        });
        assert_eq!(denied, Err(PlaceError::NotPermitted { call: "move_pages" }));
    }
}
