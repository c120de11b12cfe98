//! move_pages(2) itself: asking where pages are, and moving them, of this process or another.

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, pid_t};
use nearfar_model::{Id, NodeId, NodeSet};

use crate::kernel_number::kernel_number;
use crate::place_error::{PlaceError, last_errno};
use crate::residence::Residence;

const CALL: &str = "move_pages";
const MPOL_MF_MOVE: c_int = 2;

/// What stands in a status that the kernel has not written: no node, and no error number.
const UNWRITTEN: c_int = c_int::MIN;

/// Where pages are, one answer an address; of this process when `pid` is `None`.
pub(crate) fn look_up(pid: Option<u32>, addresses: &[u64]) -> Result<Vec<Residence>, PlaceError> {
    let mut status = vec![-libc::ENOENT; addresses.len()];
    let looked = call(kernel_number(CALL, pid)?, addresses, None, &mut status);
    looked.map_err(|errno| place_error(pid, &NodeSet::new(), errno))?;
    Ok(status.into_iter().map(Residence::of_status).collect())
}

/// Moves pages, each to its node, and tells where each is afterwards.
///
/// The kernel moves a run of pages for one node together, and gives up at the first run of which
/// pages were left, without a word about the runs behind it. So what it gave up on is asked for
/// again, run by run, and where left pages are is looked up.
pub(crate) fn move_to(
    pid: Option<u32>,
    pages: &[(u64, NodeId)],
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
        let left = call(process, &addresses[next..], Some(&targets[next..]), &mut status[next..]);
        let refused =
            |errno| place_error(pid, &pages[next..].iter().map(|(_, node)| *node).collect(), errno);
        if left.map_err(refused)? == 0 {
            break;
        }
        next += end_of_failed_run(&status[next..], &targets[next..]);
    }
    settle(pid, &addresses, status)
}

/// One call, which moves pages where it is given their targets. Gives how many pages were left;
/// fails with the error number.
fn call(
    process: pid_t,
    addresses: &[u64],
    targets: Option<&[c_int]>,
    status: &mut [c_int],
) -> Result<u64, i32> {
    let (targets, flags) =
        targets.map_or((ptr::null(), 0), |targets| (targets.as_ptr(), MPOL_MF_MOVE));
    // SAFETY: the lists are equally long; without targets the kernel only looks the addresses up,
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

/// Where the run ends at which the kernel gave up: after its pages of one target node, of which
/// none has a status.
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

/// The answers: the kernel's statuses, and where the pages are for which it gave none.
fn settle(
    pid: Option<u32>,
    addresses: &[u64],
    status: Vec<c_int>,
) -> Result<Vec<Residence>, PlaceError> {
    let untold = |&(_, &status): &(&u64, &c_int)| status == UNWRITTEN;
    let asked: Vec<u64> =
        addresses.iter().zip(&status).filter(untold).map(|(&address, _)| address).collect();
    let mut found = match asked.is_empty() {
        true => Vec::new(),
        false => look_up(pid, &asked)?,
    }
    .into_iter();
    let answer = |status| match status {
        UNWRITTEN => found.next().unwrap_or(Residence::Absent),
        status => Residence::of_status(status),
    };
    Ok(status.into_iter().map(answer).collect())
}

fn place_error(pid: Option<u32>, nodes: &NodeSet, errno: i32) -> PlaceError {
    match (pid, errno) {
        // A kernel thread has no memory of its own.
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
    fn what_the_kernel_gave_up_on_is_asked_for_again_behind_the_run_that_failed() {
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
        let settled = settle(None, &[8, address, 16], vec![-libc::ENOENT, UNWRITTEN, 5]).unwrap();
        assert_eq!(settled, [Residence::Absent, Residence::Node(node), Residence::Node(NodeId(5))]);
    }
}
