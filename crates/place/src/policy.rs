//! Memory policies: from which nodes the kernel takes pages that do not exist yet.
//!
//! See set_mempolicy(2) and `include/uapi/linux/mempolicy.h`.

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, c_ulong};
use nearfar_model::{NodeId, NodeSet};

use crate::node_mask::{NodeAnswer, NodeMask};
use crate::refusal::Refusal;

/// Where new pages come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The policy one level up: a range falls back to its thread's, a thread to the system's, which is local.
    Default,
    /// The node of the CPU that touches first.
    Local,
    /// This node first, others when it is full.
    Preferred(NodeId),
    /// The nearest of these nodes first, others when they are full (Linux 5.15).
    PreferredMany(NodeSet),
    /// These nodes only. When they are full the kernel kills rather than goes elsewhere.
    Bind(NodeSet),
    /// Page by page over these nodes in turn.
    Interleave(NodeSet),
    /// As interleave, in proportion to the kernel's weights (Linux 6.9).
    WeightedInterleave(NodeSet),
}

const MPOL_DEFAULT: c_int = 0;
const MPOL_PREFERRED: c_int = 1;
const MPOL_BIND: c_int = 2;
const MPOL_INTERLEAVE: c_int = 3;
const MPOL_LOCAL: c_int = 4;
const MPOL_PREFERRED_MANY: c_int = 5;
const MPOL_WEIGHTED_INTERLEAVE: c_int = 6;
/// Mode flags (static nodes, relative nodes, NUMA balancing) stand in these bits of the mode.
const MODE_FLAGS: c_int = 0xe000;

const MPOL_F_MEMS_ALLOWED: c_ulong = 4;

impl Policy {
    /// Makes this the policy of the calling thread and of threads it starts from now on.
    pub fn set_for_thread(&self) -> Result<(), Refusal> {
        let (mode, nodes) = self.parts();
        let mask = NodeMask::of(&nodes);
        // SAFETY: the mask points at as many bits as its length says, or is null with length 0; the kernel only reads it.
        let status = unsafe { libc::syscall(libc::SYS_set_mempolicy, mode, mask.pointer(), mask.length()) };
        if status == 0 { Ok(()) } else { Err(Refusal::last_for_nodes("set_mempolicy", &nodes)) }
    }

    /// The policy of the calling thread.
    pub fn of_thread() -> Result<Self, Refusal> {
        let (mode, nodes) = ask(ptr::null(), 0)?;
        Self::from_parts(mode, nodes)
    }

    /// The mode's number and the nodes that go with it.
    pub(crate) fn parts(&self) -> (c_int, NodeSet) {
        match self {
            Self::Default => (MPOL_DEFAULT, NodeSet::new()),
            Self::Local => (MPOL_LOCAL, NodeSet::new()),
            Self::Preferred(node) => (MPOL_PREFERRED, NodeSet::of(*node)),
            Self::PreferredMany(nodes) => (MPOL_PREFERRED_MANY, nodes.clone()),
            Self::Bind(nodes) => (MPOL_BIND, nodes.clone()),
            Self::Interleave(nodes) => (MPOL_INTERLEAVE, nodes.clone()),
            Self::WeightedInterleave(nodes) => (MPOL_WEIGHTED_INTERLEAVE, nodes.clone()),
        }
    }

    /// The policy that a mode and its nodes mean. Mode flags are left aside.
    pub(crate) fn from_parts(mode: c_int, nodes: NodeSet) -> Result<Self, Refusal> {
        match (mode & !MODE_FLAGS, nodes.first()) {
            (MPOL_DEFAULT, _) => Ok(Self::Default),
            // Kernels before 5.14 report local as preferred without nodes.
            (MPOL_LOCAL, _) | (MPOL_PREFERRED, None) => Ok(Self::Local),
            (MPOL_PREFERRED, Some(node)) => Ok(Self::Preferred(node)),
            (MPOL_PREFERRED_MANY, _) => Ok(Self::PreferredMany(nodes)),
            (MPOL_BIND, _) => Ok(Self::Bind(nodes)),
            (MPOL_INTERLEAVE, _) => Ok(Self::Interleave(nodes)),
            (MPOL_WEIGHTED_INTERLEAVE, _) => Ok(Self::WeightedInterleave(nodes)),
            (mode, _) => Err(Refusal::Failed {
                call: "get_mempolicy",
                errno: format!("policy mode {mode} is newer than nearfar"),
            }),
        }
    }
}

/// The nodes that this process may take memory from (its cpuset's).
pub fn allowed_nodes() -> Result<NodeSet, Refusal> {
    ask(ptr::null(), MPOL_F_MEMS_ALLOWED).map(|(_, nodes)| nodes)
}

/// `get_mempolicy`: the mode and nodes that `flags` ask for.
pub(crate) fn ask(address: *const u8, flags: c_ulong) -> Result<(c_int, NodeSet), Refusal> {
    let mut mode: c_int = 0;
    let mut answer = NodeAnswer::new();
    // SAFETY: `mode` and `answer` are large enough for what the kernel writes; the address is looked up, never accessed.
    let status = unsafe {
        libc::syscall(libc::SYS_get_mempolicy, &raw mut mode, answer.pointer(), answer.length(), address, flags)
    };
    if status == 0 { Ok((mode, answer.nodes())) } else { Err(Refusal::last("get_mempolicy")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denied_calls::{Denied, without};

    #[test]
    fn a_thread_keeps_the_policy_it_was_given() {
        let nodes = allowed_nodes().unwrap();
        let first = nodes.first().unwrap();
        for policy in
            [Policy::Bind(nodes.clone()), Policy::Preferred(first), Policy::Interleave(nodes), Policy::Default]
        {
            policy.set_for_thread().unwrap();
            assert_eq!(Policy::of_thread().unwrap(), policy);
        }
    }

    #[test]
    fn nodes_that_do_not_exist_are_named() {
        let said = Policy::Bind(NodeSet::of(NodeId(1023))).set_for_thread().unwrap_err().to_string();
        assert!(said.contains("set_mempolicy does not take nodes 1023"), "{said}");
        let said = Policy::Bind(NodeSet::of(NodeId(60_000))).set_for_thread().unwrap_err().to_string();
        assert!(said.contains("60000"), "{said}");
    }

    #[test]
    fn a_seccomp_filter_is_told_as_such() {
        let (set, get) = without(&[libc::SYS_set_mempolicy, libc::SYS_get_mempolicy], Denied::Eperm, || {
            (Policy::Local.set_for_thread(), Policy::of_thread())
        });
        assert_eq!(set, Err(Refusal::NotPermitted { call: "set_mempolicy" }));
        assert_eq!(get, Err(Refusal::NotPermitted { call: "get_mempolicy" }));
    }

    #[test]
    fn a_kernel_without_numa_is_told_as_such() {
        let get = without(&[libc::SYS_get_mempolicy], Denied::Enosys, allowed_nodes);
        assert_eq!(get, Err(Refusal::NotInKernel { call: "get_mempolicy" }));
    }
}
