//! What the kernel says of policies: get_mempolicy(2).

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, c_ulong};
use nearfar_model::NodeSet;

use crate::place_error::PlaceError;

/// Bits for the answer: the call refuses masks shorter than the nodes that the kernel supports
/// (1,024 at most, `MAX_NUMNODES`) and longer than a page.
const ANSWER_BITS: usize = 4096;
/// The node of the page at the address, or the next node of an interleaving thread.
pub(crate) const MPOL_F_NODE: c_ulong = 1;
/// What holds at the address.
pub(crate) const MPOL_F_ADDR: c_ulong = 2;
const MPOL_F_MEMS_ALLOWED: c_ulong = 4;

/// The nodes that this process may take memory from (its cpuset's).
pub fn allowed_nodes() -> Result<NodeSet, PlaceError> {
    ask(ptr::null(), MPOL_F_MEMS_ALLOWED).map(|(_, nodes)| nodes)
}

/// `get_mempolicy`: the mode and nodes that `flags` ask for.
pub(crate) fn ask(address: *const u8, flags: c_ulong) -> Result<(c_int, NodeSet), PlaceError> {
    let mut mode: c_int = 0;
    let mut answer = [0u64; ANSWER_BITS / 64];
    // SAFETY: `mode` and `answer` are large enough for what the kernel writes; the address is
    // looked up, and where the question is for its node a page may be made there for reading, which
    // changes no byte.
    let status = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            answer.as_mut_ptr(),
            ANSWER_BITS,
            address,
            flags,
        )
    };
    if status == 0 {
        Ok((mode, NodeSet::from_words(&answer)))
    } else {
        Err(PlaceError::last("get_mempolicy"))
    }
}
