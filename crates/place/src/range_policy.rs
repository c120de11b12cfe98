//! The memory policy of a range of addresses.

use libc::c_int;

use crate::get_mempolicy::{MPOL_F_ADDR, ask};
use crate::mbind::{ExistingPages, mbind};
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

/// Sets the policy of `length` bytes from `start`, which stands at the beginning of a page.
///
/// The addresses are looked up and never accessed, so any range is safe to pass; one that is not
/// mapped is refused.
pub fn set_range_policy(
    start: *const u8,
    length: usize,
    policy: &Policy,
    existing: ExistingPages,
) -> Result<(), PlaceError> {
    set_range_policy_with(start, length, policy, PolicyFlags::default(), existing)
}

/// As [`set_range_policy`], with flags.
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

/// The policy that the page at an address follows.
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
    fn a_range_keeps_the_policy_it_was_given() {
        let mapping = Mapping::anonymous(1 << 21).unwrap();
        let policy = Policy::Bind(NodeSet::of(allowed_nodes().unwrap().first().unwrap()));
        set_range_policy(mapping.start(), mapping.length(), &policy, ExistingPages::Stay).unwrap();
        assert_eq!(range_policy(mapping.start()).unwrap(), policy);
        set_range_policy(mapping.start(), mapping.length(), &policy, ExistingPages::Move).unwrap();
    }

    #[test]
    fn absent_nodes_and_unmapped_addresses_are_refused() {
        let mapping = Mapping::anonymous(1 << 21).unwrap();
        let absent = Policy::Bind(NodeSet::of(NodeId(999)));
        let refused =
            set_range_policy(mapping.start(), 1 << 21, &absent, ExistingPages::Stay).unwrap_err();
        assert!(matches!(refused, PlaceError::NoSuchNode { call: "mbind", .. }), "{refused}");
        let unmapped =
            set_range_policy(std::ptr::null(), 1 << 21, &Policy::Local, ExistingPages::Stay)
                .unwrap_err();
        assert!(matches!(unmapped, PlaceError::Failed { call: "mbind", .. }), "{unmapped}");
    }
}
