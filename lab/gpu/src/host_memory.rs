//! The host's memory and CPUs, as the kernel reports them to this process. nearfar's own code is
//! not asked: it is what is tested.
//!
//! # References
//!
//! [move_pages(2)](https://man7.org/linux/man-pages/man2/move_pages.2.html),
//! [getcpu(2)](https://man7.org/linux/man-pages/man2/getcpu.2.html),
//! [mlock(2)](https://man7.org/linux/man-pages/man2/mlock.2.html)

#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

/// The node of most of three pages of a range: its first, middle and last one. Absent where the
/// kernel refuses to answer, or where none of these pages has memory yet.
pub(crate) fn node_of(address: usize, bytes: usize) -> Option<usize> {
    let page = page_size();
    let last = address + bytes.max(1) - 1;
    let pages = [address, address + bytes / 2, last].map(|byte| byte / page * page);
    let nodes: Vec<usize> = nodes_of(pages)?.into_iter().filter_map(from_status).collect();
    nodes.iter().copied().max_by_key(|node| nodes.iter().filter(|other| *other == node).count())
}

/// The node of a page, from the kernel's status of it: below 0 are errors.
fn from_status(status: c_int) -> Option<usize> {
    usize::try_from(status).ok()
}

fn nodes_of(pages: [usize; 3]) -> Option<[c_int; 3]> {
    let addresses = pages.map(|page| page as *const c_void);
    let mut status = [-1; 3];
    // SAFETY: the arrays have three elements each; without target nodes nothing is moved.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0,
            pages.len(),
            addresses.as_ptr(),
            null::<c_int>(),
            status.as_mut_ptr(),
            0,
        )
    };
    (result == 0).then_some(status)
}

/// The node of the CPU on which this thread runs.
pub(crate) fn cpu_node() -> usize {
    let (mut cpu, mut node): (c_uint, c_uint) = (0, 0);
    // SAFETY: both numbers are written where the pointers point to.
    let result = unsafe {
        libc::syscall(libc::SYS_getcpu, &raw mut cpu, &raw mut node, null_mut::<c_void>())
    };
    if result == 0 { node as usize } else { 0 }
}

/// Locks a range into memory, within the caller's limit.
pub(crate) fn lock(address: usize, bytes: usize) -> bool {
    // SAFETY: locking does not change what the memory holds.
    unsafe { libc::mlock(address as *const c_void, bytes) == 0 }
}

pub(crate) fn unlock(address: usize, bytes: usize) {
    // SAFETY: as for locking.
    unsafe { libc::munlock(address as *const c_void, bytes) };
}

fn page_size() -> usize {
    // SAFETY: it has no conditions.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::{cpu_node, node_of};

    #[test]
    fn touched_memory_has_a_node_of_this_machine() {
        let memory = vec![1u8; 1 << 20];
        // Containers may forbid the call.
        if let Some(node) = node_of(memory.as_ptr().addr(), memory.len()) {
            assert!(node < 1024, "{node}");
        }
        assert!(cpu_node() < 1024);
    }

    #[test]
    fn unmapped_memory_has_no_node() {
        assert_eq!(node_of(1 << 46, 4096), None);
    }
}
