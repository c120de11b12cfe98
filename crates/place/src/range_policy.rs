//! The memory policy of a range of addresses.

use libc::c_int;

use crate::get_mempolicy::{MPOL_F_ADDR, ask};
use crate::mbind::{ExistingPages, mbind};
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

/// Sets the policy of `length` bytes from `start`, which is the address of a page.
///
/// The addresses are looked up and never accessed, so any range is safe to pass.
///
/// # Errors
///
/// [`PlaceError::NoSuchNode`] if a node cannot be used, [`PlaceError::KernelLacks`] if the kernel
/// lacks the policy, [`PlaceError::PagesElsewhere`] if existing pages do not follow and `existing`
/// requires it, [`PlaceError::Failed`] if the range is not mapped, [`PlaceError::NotPermitted`]
/// where a sandbox denies the call.
///
/// # References
///
/// mbind(2), `Documentation/admin-guide/mm/numa_memory_policy.rst`
pub fn set_range_policy(
    start: *const u8,
    length: usize,
    policy: &Policy,
    existing: ExistingPages,
) -> Result<(), PlaceError> {
    set_range_policy_with(start, length, policy, PolicyFlags::default(), existing)
}

/// Like [`set_range_policy`], with flags.
///
/// # Errors
///
/// Those of [`set_range_policy`]; [`PlaceError::UnfitFlags`] if no kernel accepts the flags with
/// this policy.
///
/// # References
///
/// mbind(2)
pub fn set_range_policy_with(
    start: *const u8,
    length: usize,
    policy: &Policy,
    flags: PolicyFlags,
    existing: ExistingPages,
) -> Result<(), PlaceError> {
    mbind(start, length, policy, flags, existing).map_err(|errno| match errno {
        libc::EIO => PlaceError::PagesElsewhere { nodes: policy.nodes() },
        libc::EPERM if existing == ExistingPages::MoveShared => {
            PlaceError::NeedsSysNice { doing: "moving shared pages" }
        }
        errno => PlaceError::for_policy("mbind", policy, flags, errno),
    })
}

/// The policy of the page at an address.
///
/// # Errors
///
/// [`PlaceError::Failed`] if the address is not mapped, [`PlaceError::NotPermitted`] where a
/// sandbox denies the call.
///
/// # References
///
/// `MPOL_F_ADDR` in get_mempolicy(2)
pub fn range_policy(address: *const u8) -> Result<Policy, PlaceError> {
    let (mode, nodes): (c_int, _) = ask(address, MPOL_F_ADDR)?;
    Policy::from_parts(mode, nodes)
}

#[cfg(test)]
mod tests {
    use nearfar_model::{NodeId, NodeSet};

    use super::*;
    use crate::get_mempolicy::allowed_nodes;
    use crate::mapping::Mapping;

    #[test]
    fn a_range_keeps_its_policy() {
        let mapping = Mapping::anonymous(1 << 21).unwrap();
        let policy = Policy::Bind(NodeSet::from_id(allowed_nodes().unwrap().first().unwrap()));
        set_range_policy(mapping.start(), mapping.length(), &policy, ExistingPages::Stay).unwrap();
        assert_eq!(range_policy(mapping.start()).unwrap(), policy);
        set_range_policy(mapping.start(), mapping.length(), &policy, ExistingPages::Move).unwrap();
    }

    #[test]
    fn absent_nodes_and_unmapped_addresses_are_refused() {
        let mapping = Mapping::anonymous(1 << 21).unwrap();
        let absent = Policy::Bind(NodeSet::from_id(NodeId(999)));
        let error =
            set_range_policy(mapping.start(), 1 << 21, &absent, ExistingPages::Stay).unwrap_err();
        assert!(matches!(error, PlaceError::NoSuchNode { call: "mbind", .. }), "{error}");
        let unmapped =
            set_range_policy(std::ptr::null(), 1 << 21, &Policy::Local, ExistingPages::Stay)
                .unwrap_err();
        assert!(matches!(unmapped, PlaceError::Failed { call: "mbind", .. }), "{unmapped}");
    }
}
