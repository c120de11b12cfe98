//! Memory policies: from which nodes the kernel takes pages that do not exist yet.
//!
//! See set_mempolicy(2) and `include/uapi/linux/mempolicy.h`.

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, c_ulong};
use nearfar_model::{NodeId, NodeSet};

use crate::node_mask::{NodeAnswer, NodeMask};
use crate::policy_flags::{MODE_FLAGS, PolicyFlags};
use crate::refusal::{Refusal, last_errno};

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

const MPOL_F_NODE: c_ulong = 1;
const MPOL_F_MEMS_ALLOWED: c_ulong = 4;

impl Policy {
    /// Makes this the policy of the calling thread and of threads and programs it starts from now on.
    pub fn set_for_thread(&self) -> Result<(), Refusal> {
        self.set_for_thread_with(PolicyFlags::default())
    }

    /// As [`Policy::set_for_thread`], with flags.
    pub fn set_for_thread_with(&self, flags: PolicyFlags) -> Result<(), Refusal> {
        let (mode, nodes) = self.parts();
        let mask = NodeMask::of(&nodes);
        // SAFETY: the mask points at as many bits as its length says, or is null with length 0; the kernel only reads it.
        let status =
            unsafe { libc::syscall(libc::SYS_set_mempolicy, mode | flags.bits(), mask.pointer(), mask.length()) };
        if status == 0 { Ok(()) } else { Err(Refusal::for_policy("set_mempolicy", self, flags, last_errno())) }
    }

    /// The policy of the calling thread.
    pub fn of_thread() -> Result<Self, Refusal> {
        Self::of_thread_with_flags().map(|(policy, _)| policy)
    }

    /// The policy of the calling thread, with its flags.
    pub fn of_thread_with_flags() -> Result<(Self, PolicyFlags), Refusal> {
        let (mode, nodes) = ask(ptr::null(), 0)?;
        Ok((Self::from_parts(mode, nodes)?, PolicyFlags::from_bits(mode)))
    }

    /// Its name in nearfar's words and on its command line: "default", "local", "preferred", "preferred-many", "bind",
    /// "interleave", "weighted-interleave".
    pub fn name(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Local => "local",
            Self::Preferred(_) => "preferred",
            Self::PreferredMany(_) => "preferred-many",
            Self::Bind(_) => "bind",
            Self::Interleave(_) => "interleave",
            Self::WeightedInterleave(_) => "weighted-interleave",
        }
    }

    /// The nodes that it names.
    pub fn nodes(&self) -> NodeSet {
        self.parts().1
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

/// The node that the calling thread's next interleaved page comes from; `None` when its policy interleaves nothing.
pub fn next_interleave_node() -> Result<Option<NodeId>, Refusal> {
    if !matches!(Policy::of_thread()?, Policy::Interleave(_) | Policy::WeightedInterleave(_)) {
        return Ok(None);
    }
    let (node, _) = ask(ptr::null(), MPOL_F_NODE)?;
    Ok(u32::try_from(node).ok().map(NodeId))
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
    fn flags_are_kept_or_refused_in_words() {
        let nodes = allowed_nodes().unwrap();
        let flags = PolicyFlags { relative_nodes: true, ..PolicyFlags::default() };
        Policy::Interleave(NodeSet::of(NodeId(0))).set_for_thread_with(flags).unwrap();
        assert_eq!(Policy::of_thread_with_flags().unwrap().1, flags);
        let said = Policy::Interleave(nodes).set_for_thread_with(PolicyFlags::BALANCING).unwrap_err().to_string();
        assert!(said.contains("balancing goes with bind"), "{said}");
        Policy::Default.set_for_thread().unwrap();
    }

    #[test]
    fn only_an_interleaved_thread_has_a_next_node() {
        let nodes = allowed_nodes().unwrap();
        assert_eq!(next_interleave_node(), Ok(None));
        Policy::Interleave(nodes.clone()).set_for_thread().unwrap();
        assert!(nodes.contains(next_interleave_node().unwrap().unwrap()));
        Policy::Default.set_for_thread().unwrap();
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
