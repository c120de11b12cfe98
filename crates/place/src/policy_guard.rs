//! A policy for a while.

use std::marker::PhantomData;

use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

/// Gives the calling thread another memory policy until dropped; then the policy from before comes
/// back, with its flags.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_place::{Policy, PolicyGuard, allowed_nodes};
///
/// let before = Policy::of_thread()?;
/// {
///     let _interleaved = PolicyGuard::enter(&Policy::Interleave(allowed_nodes()?))?;
///     // What is touched here for the first time lies on all nodes in turn.
///     let _table = vec![1u8; 1 << 20];
/// }
/// assert_eq!(Policy::of_thread()?, before);
/// # Ok(())
/// # }
/// ```
#[must_use = "the policy from before comes back when this is dropped"]
pub struct PolicyGuard {
    before: (Policy, PolicyFlags),
    /// A policy belongs to a thread, so the guard stays in it.
    thread: PhantomData<*const ()>,
}

impl PolicyGuard {
    /// Gives the calling thread this policy.
    pub fn enter(policy: &Policy) -> Result<Self, PlaceError> {
        Self::enter_with(policy, PolicyFlags::default())
    }

    /// As [`PolicyGuard::enter`], with flags.
    pub fn enter_with(policy: &Policy, flags: PolicyFlags) -> Result<Self, PlaceError> {
        let before = Policy::of_thread_with_flags()?;
        policy.set_for_thread_with(flags)?;
        Ok(Self { before, thread: PhantomData })
    }
}

impl Drop for PolicyGuard {
    fn drop(&mut self) {
        let (policy, flags) = &self.before;
        // Refused only when the cpuset has lost every node of the policy meanwhile; then the kernel
        // has no better answer either.
        let _ = policy.set_for_thread_with(*flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::get_mempolicy::allowed_nodes;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn the_policy_from_before_comes_back_with_its_flags() {
        let nodes = allowed_nodes().unwrap();
        let flags = PolicyFlags { static_nodes: true, ..PolicyFlags::default() };
        let outer = PolicyGuard::enter_with(&Policy::Bind(nodes.clone()), flags).unwrap();
        let inner = PolicyGuard::enter(&Policy::Interleave(nodes.clone())).unwrap();
        assert_eq!(Policy::of_thread().unwrap(), Policy::Interleave(nodes.clone()));
        drop(inner);
        assert_eq!(Policy::of_thread_with_flags().unwrap(), (Policy::Bind(nodes), flags));
        drop(outer);
        assert_eq!(Policy::of_thread().unwrap(), Policy::Default);
    }

    #[test]
    fn a_policy_that_could_not_be_brought_back_is_not_entered() {
        let entered = without(&[libc::SYS_get_mempolicy], Denied::Eperm, || {
            PolicyGuard::enter(&Policy::Local).err()
        });
        assert_eq!(entered, Some(PlaceError::NotPermitted { call: "get_mempolicy" }));
        let entered = without(&[libc::SYS_set_mempolicy], Denied::Eperm, || {
            PolicyGuard::enter(&Policy::Local).err()
        });
        assert_eq!(entered, Some(PlaceError::NotPermitted { call: "set_mempolicy" }));
    }
}
