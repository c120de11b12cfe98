//! Memory policies as the kernel reports them: get_mempolicy(2).

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, c_ulong};
use nearfar_model::NodeSet;

use crate::place_error::PlaceError;

/// Bits of the returned mask. The call rejects masks shorter than the nodes that the kernel
/// supports (1,024 at most, `MAX_NUMNODES`) and longer than a page.
const MASK_BITS: usize = 4096;
/// Requests the node of the page at the address, or the next node of an interleaving thread.
pub(crate) const MPOL_F_NODE: c_ulong = 1;
/// Requests the policy at the address.
pub(crate) const MPOL_F_ADDR: c_ulong = 2;
const MPOL_F_MEMS_ALLOWED: c_ulong = 4;

/// The nodes from which this process may allocate memory (those of its cpuset).
///
/// # Errors
///
/// [`PlaceError::NotPermitted`] where a sandbox denies the call, [`PlaceError::NotInKernel`] on a
/// kernel without NUMA.
///
/// # References
///
/// get_mempolicy(2), cpuset(7)
pub fn allowed_nodes() -> Result<NodeSet, PlaceError> {
    ask(ptr::null(), MPOL_F_MEMS_ALLOWED).map(|(_, nodes)| nodes)
}

/// `get_mempolicy`: the mode and nodes that `flags` request.
pub(crate) fn ask(address: *const u8, flags: c_ulong) -> Result<(c_int, NodeSet), PlaceError> {
    let mut mode: c_int = 0;
    let mut mask = [0u64; MASK_BITS / 64];
    // SAFETY: `mode` and `mask` are large enough for what the kernel writes. The address is looked
    // up; if its node is requested, the kernel may allocate a page there for reading, which changes
    // no byte.
    let status = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            mask.as_mut_ptr(),
            MASK_BITS,
            address,
            flags,
        )
    };
    if status == 0 {
        Ok((mode, NodeSet::from_words(&mask)))
    } else {
        Err(PlaceError::last_os_error("get_mempolicy"))
    }
}
