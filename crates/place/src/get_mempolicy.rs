//! What the kernel says of policies: get_mempolicy(2).

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, c_ulong};
use nearfar_model::NodeSet;

use crate::node_mask::NodeAnswer;
use crate::refusal::Refusal;

const MPOL_F_MEMS_ALLOWED: c_ulong = 4;

/// The nodes that this process may take memory from (its cpuset's).
pub fn allowed_nodes() -> Result<NodeSet, Refusal> {
    ask(ptr::null(), MPOL_F_MEMS_ALLOWED).map(|(_, nodes)| nodes)
}

/// `get_mempolicy`: the mode and nodes that `flags` ask for.
pub(crate) fn ask(address: *const u8, flags: c_ulong) -> Result<(c_int, NodeSet), Refusal> {
    let mut mode: c_int = 0;
    let mut answer = NodeAnswer::new();
    // SAFETY: `mode` and `answer` are large enough for what the kernel writes; the address is
    // looked up, and where the question is for its node a page may be made there for reading, which changes no byte.
    let status = unsafe {
        libc::syscall(libc::SYS_get_mempolicy, &raw mut mode, answer.pointer(), answer.length(), address, flags)
    };
    if status == 0 { Ok((mode, answer.nodes())) } else { Err(Refusal::last("get_mempolicy")) }
}
