//! A memory policy for a scope.

use std::marker::PhantomData;

use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

/// Sets the calling thread's memory policy, and restores the earlier one with its flags when
/// dropped.
///
/// ```
/// # fn main() -> Result<(), nearfar_place::PlaceError> {
/// use nearfar_place::{Policy, PolicyGuard, allowed_nodes};
///
/// let before = Policy::current()?;
/// {
///     let _interleaved = PolicyGuard::enter(&Policy::Interleave(allowed_nodes()?))?;
///     // Pages that are touched here for the first time are interleaved over all nodes.
///     let _table = vec![1u8; 1 << 20];
/// }
/// assert_eq!(Policy::current()?, before);
/// # Ok(())
/// # }
/// ```
#[must_use = "the earlier policy is restored when this is dropped"]
pub struct PolicyGuard {
    before: (Policy, PolicyFlags),
    /// A policy belongs to a thread, so the guard stays in it.
    thread: PhantomData<*const ()>,
}

impl PolicyGuard {
    /// Sets the calling thread's policy.
    ///
    /// # Errors
    ///
    /// Those of [`Policy::set_for_thread`] and [`Policy::current`].
    ///
    /// # References
    ///
    /// set_mempolicy(2)
    pub fn enter(policy: &Policy) -> Result<Self, PlaceError> {
        Self::enter_with(policy, PolicyFlags::default())
    }

    /// Like [`PolicyGuard::enter`], with flags.
    ///
    /// # Errors
    ///
    /// Those of [`PolicyGuard::enter`].
    ///
    /// # References
    ///
    /// set_mempolicy(2)
    pub fn enter_with(policy: &Policy, flags: PolicyFlags) -> Result<Self, PlaceError> {
        let before = Policy::current_with_flags()?;
        policy.set_for_thread_with(flags)?;
        Ok(Self { before, thread: PhantomData })
    }
}

impl Drop for PolicyGuard {
    fn drop(&mut self) {
        let (policy, flags) = &self.before;
        // Fails only if the cpuset has lost every node of the policy; then no other policy is
        // better.
        let _ = policy.set_for_thread_with(*flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::get_mempolicy::allowed_nodes;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn the_guard_restores_the_policy_with_its_flags() {
        let nodes = allowed_nodes().unwrap();
        let flags = PolicyFlags { static_nodes: true, ..PolicyFlags::default() };
        let outer = PolicyGuard::enter_with(&Policy::Bind(nodes.clone()), flags).unwrap();
        let inner = PolicyGuard::enter(&Policy::Interleave(nodes.clone())).unwrap();
        assert_eq!(Policy::current().unwrap(), Policy::Interleave(nodes.clone()));
        drop(inner);
        assert_eq!(Policy::current_with_flags().unwrap(), (Policy::Bind(nodes), flags));
        drop(outer);
        assert_eq!(Policy::current().unwrap(), Policy::Default);
    }

    #[test]
    fn a_policy_that_cannot_be_restored_is_not_set() {
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
