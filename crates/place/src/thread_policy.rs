//! The memory policy of the calling thread: set_mempolicy(2).

#![allow(unsafe_code)]

use std::ptr;

use nearfar_model::NodeId;

use crate::get_mempolicy::{MPOL_F_NODE, ask};
use crate::node_mask::mask_arguments;
use crate::place_error::{PlaceError, last_errno};
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

impl Policy {
    /// Sets the policy of the calling thread, which threads and programs that it starts inherit.
    ///
    /// # Errors
    ///
    /// [`PlaceError::NoSuchNode`] if a node cannot be used, [`PlaceError::KernelLacks`] if the
    /// kernel lacks the policy, [`PlaceError::NotPermitted`] where a sandbox denies the call.
    ///
    /// # References
    ///
    /// set_mempolicy(2)
    pub fn set_for_thread(&self) -> Result<(), PlaceError> {
        self.set_for_thread_with(PolicyFlags::default())
    }

    /// Like [`Policy::set_for_thread`], with flags.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::set_for_thread`]; [`PlaceError::UnfitFlags`] if no kernel accepts the
    /// flags with this policy.
    ///
    /// # References
    ///
    /// set_mempolicy(2)
    pub fn set_for_thread_with(&self, flags: PolicyFlags) -> Result<(), PlaceError> {
        let (mode, nodes) = self.parts();
        let (mask, maxnode) = mask_arguments(&nodes);
        // SAFETY: the mask points to as many bits as its length states, or is null with length 0;
        // the kernel only reads it.
        let status =
            unsafe { libc::syscall(libc::SYS_set_mempolicy, mode | flags.bits(), mask, maxnode) };
        if status == 0 {
            Ok(())
        } else {
            Err(PlaceError::for_policy("set_mempolicy", self, flags, last_errno()))
        }
    }

    /// The policy of the calling thread.
    ///
    /// # Errors
    ///
    /// [`PlaceError::NotPermitted`] where a sandbox denies the call, [`PlaceError::NotInKernel`] on
    /// a kernel without NUMA.
    ///
    /// # References
    ///
    /// get_mempolicy(2)
    pub fn current() -> Result<Self, PlaceError> {
        Self::current_with_flags().map(|(policy, _)| policy)
    }

    /// The policy of the calling thread, with its flags.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::current`].
    ///
    /// # References
    ///
    /// get_mempolicy(2)
    pub fn current_with_flags() -> Result<(Self, PolicyFlags), PlaceError> {
        let (mode, nodes) = ask(ptr::null(), 0)?;
        Ok((Self::from_parts(mode, nodes)?, PolicyFlags::from_bits(mode)))
    }
}

/// The node of the calling thread's next interleaved page; `None` if its policy is not an
/// interleaving one.
///
/// # Errors
///
/// Those of [`Policy::current`].
///
/// # References
///
/// `MPOL_F_NODE` in get_mempolicy(2)
pub fn next_interleave_node() -> Result<Option<NodeId>, PlaceError> {
    if !matches!(Policy::current()?, Policy::Interleave(_) | Policy::WeightedInterleave(_)) {
        return Ok(None);
    }
    let (node, _) = ask(ptr::null(), MPOL_F_NODE)?;
    Ok(u32::try_from(node).ok().map(NodeId))
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeSet;

    use super::*;
    use crate::get_mempolicy::allowed_nodes;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn a_thread_keeps_its_policy() {
        let nodes = allowed_nodes().unwrap();
        let first = nodes.first().unwrap();
        for policy in [
            Policy::Bind(nodes.clone()),
            Policy::Preferred(first),
            Policy::Interleave(nodes),
            Policy::Default,
        ] {
            policy.set_for_thread().unwrap();
            assert_eq!(Policy::current().unwrap(), policy);
        }
    }

    #[test]
    fn nodes_that_do_not_exist_are_named() {
        let message =
            Policy::Bind(NodeSet::from_id(NodeId(1023))).set_for_thread().unwrap_err().to_string();
        assert!(message.contains("set_mempolicy does not accept nodes 1023"), "{message}");
        let message = Policy::Bind(NodeSet::from_id(NodeId(60_000)))
            .set_for_thread()
            .unwrap_err()
            .to_string();
        assert!(message.contains("60000"), "{message}");
    }

    #[test]
    fn flags_are_kept_or_refused_with_a_reason() {
        let nodes = allowed_nodes().unwrap();
        let flags = PolicyFlags { relative_nodes: true, ..PolicyFlags::default() };
        Policy::Interleave(NodeSet::from_id(NodeId(0))).set_for_thread_with(flags).unwrap();
        assert_eq!(Policy::current_with_flags().unwrap().1, flags);
        let message = Policy::Interleave(nodes)
            .set_for_thread_with(PolicyFlags::BALANCING)
            .unwrap_err()
            .to_string();
        assert!(message.contains("balancing goes with bind"), "{message}");
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
    fn a_seccomp_filter_is_reported() {
        let (set, get) =
            without(&[libc::SYS_set_mempolicy, libc::SYS_get_mempolicy], Denied::Eperm, || {
                (Policy::Local.set_for_thread(), Policy::current())
            });
        assert_eq!(set, Err(PlaceError::NotPermitted { call: "set_mempolicy" }));
        assert_eq!(get, Err(PlaceError::NotPermitted { call: "get_mempolicy" }));
    }

    #[test]
    fn a_kernel_without_numa_is_reported() {
        let get = without(&[libc::SYS_get_mempolicy], Denied::Enosys, allowed_nodes);
        assert_eq!(get, Err(PlaceError::NotInKernel { call: "get_mempolicy" }));
    }
}
