//! The system call move_pages(2): locates pages of this process or another, and moves them.

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, pid_t};
use nearfar_model::{Id, NodeId, NodeSet};

use crate::kernel_number::kernel_number;
use crate::place_error::{PlaceError, last_errno};
use crate::residence::Residence;

const CALL: &str = "move_pages";

/// Which pages may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MovedPages {
    /// Those that no other process maps: `MPOL_MF_MOVE`.
    Own = 2,
    /// All: `MPOL_MF_MOVE_ALL`, for CAP_SYS_NICE.
    All = 4,
}

/// A status that the kernel has not written: neither a node nor an error number.
const UNWRITTEN: c_int = c_int::MIN;

/// The location of each page; of this process when `pid` is `None`.
pub(crate) fn look_up(pid: Option<u32>, addresses: &[u64]) -> Result<Vec<Residence>, PlaceError> {
    let mut status = vec![-libc::ENOENT; addresses.len()];
    let looked = call(kernel_number(CALL, pid)?, addresses, None, &mut status);
    looked.map_err(|errno| place_error(pid, &NodeSet::new(), errno))?;
    Ok(status.into_iter().map(Residence::from_status).collect())
}

/// Moves pages, each to its node, and returns where each is afterwards.
///
/// The kernel moves consecutive pages for one node together. It stops at the first run with pages
/// that it could not move, and writes no status for the runs behind it. So the call is repeated
/// behind that run, and pages without a status are looked up.
pub(crate) fn move_to(
    pid: Option<u32>,
    pages: &[(u64, NodeId)],
    moved: MovedPages,
) -> Result<Vec<Residence>, PlaceError> {
    let process = kernel_number(CALL, pid)?;
    let addresses: Vec<u64> = pages.iter().map(|&(address, _)| address).collect();
    let targets: Vec<c_int> = pages
        .iter()
        .map(|(_, node)| c_int::try_from(node.number()).unwrap_or(c_int::MAX))
        .collect();
    let mut status = vec![UNWRITTEN; pages.len()];
    let mut next = 0;
    while next < pages.len() {
        let left =
            call(process, &addresses[next..], Some((&targets[next..], moved)), &mut status[next..]);
        let refused =
            |errno| place_error(pid, &pages[next..].iter().map(|(_, node)| *node).collect(), errno);
        if left.map_err(refused)? == 0 {
            break;
        }
        next += end_of_failed_run(&status[next..], &targets[next..]);
    }
    fill_in_statuses(pid, &addresses, status)
}

/// One call; it moves pages if targets are given. Returns how many pages were not moved; fails with
/// the error number.
fn call(
    process: pid_t,
    addresses: &[u64],
    targets: Option<(&[c_int], MovedPages)>,
    status: &mut [c_int],
) -> Result<u64, i32> {
    let (targets, flags) =
        targets.map_or((ptr::null(), 0), |(targets, moved)| (targets.as_ptr(), moved as c_int));
    // SAFETY: the lists are equally long. Without targets the kernel only looks the addresses up,
    // and moving a page keeps its bytes and its address.
    let left = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            process,
            addresses.len(),
            addresses.as_ptr(),
            targets,
            status.as_mut_ptr(),
            flags,
        )
    };
    u64::try_from(left).map_err(|_| last_errno())
}

/// The end of the run at which the kernel stopped: the pages of one target node without a status.
fn end_of_failed_run(status: &[c_int], targets: &[c_int]) -> usize {
    let Some(start) = status.iter().position(|&status| status == UNWRITTEN) else {
        return status.len();
    };
    let run = status[start..].iter().zip(&targets[start..]);
    start
        + run
            .take_while(|&(&status, target)| status == UNWRITTEN && *target == targets[start])
            .count()
}

/// The locations from the kernel's statuses, and from a second call for pages without one.
fn fill_in_statuses(
    pid: Option<u32>,
    addresses: &[u64],
    status: Vec<c_int>,
) -> Result<Vec<Residence>, PlaceError> {
    let is_unwritten = |&(_, &status): &(&u64, &c_int)| status == UNWRITTEN;
    let unwritten: Vec<u64> =
        addresses.iter().zip(&status).filter(is_unwritten).map(|(&address, _)| address).collect();
    let mut found =
        if unwritten.is_empty() { Vec::new() } else { look_up(pid, &unwritten)? }.into_iter();
    let residence = |status| match status {
        UNWRITTEN => found.next().unwrap_or(Residence::Absent),
        status => Residence::from_status(status),
    };
    Ok(status.into_iter().map(residence).collect())
}

fn place_error(pid: Option<u32>, nodes: &NodeSet, errno: i32) -> PlaceError {
    match (pid, errno) {
        // A kernel thread has no user memory.
        (Some(pid), libc::EINVAL) if nodes.is_empty() => {
            PlaceError::ProcessGone { call: CALL, pid }
        }
        _ => PlaceError::for_process(CALL, pid, nodes, errno, || look_up(None, &[]).is_err()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_continue_behind_a_failed_run() {
        const U: c_int = UNWRITTEN;
        assert_eq!(end_of_failed_run(&[1, U, U, U, U], &[1, 1, 1, 2, 2]), 3);
        assert_eq!(end_of_failed_run(&[U, U, -libc::ENOENT, U], &[1, 1, 1, 1]), 2);
        assert_eq!(end_of_failed_run(&[U, U], &[1, 1]), 2);
        assert_eq!(end_of_failed_run(&[1, 1], &[1, 1]), 2);
    }

    #[test]
    fn pages_without_a_status_are_looked_up() {
        let byte = Box::new(1u8);
        let address = (&raw const *byte).addr() as u64;
        let node = look_up(None, &[address]).unwrap()[0].node().unwrap();
        let filled =
            fill_in_statuses(None, &[8, address, 16], vec![-libc::ENOENT, UNWRITTEN, 5]).unwrap();
        assert_eq!(filled, [Residence::Absent, Residence::Node(node), Residence::Node(NodeId(5))]);
    }
}
