//! The memory policy of a range of addresses: mbind(2).

#![allow(unsafe_code)]

use libc::{c_int, c_long, c_uint, c_ulong};

use crate::node_mask::NodeMask;
use crate::policy::{Policy, ask};
use crate::policy_flags::PolicyFlags;
use crate::refusal::{Refusal, last_errno};

/// What happens to pages of the range that exist already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingPages {
    /// They stay where they are; only new pages follow the policy.
    Stay,
    /// They must follow the policy already, else the call fails.
    MustFollow,
    /// Those of this process alone are moved; the call fails when one cannot be.
    Move,
    /// Shared ones too (needs CAP_SYS_NICE).
    MoveShared,
}

const MPOL_MF_STRICT: c_uint = 1;
const MPOL_MF_MOVE: c_uint = 2;
const MPOL_MF_MOVE_ALL: c_uint = 4;
const MPOL_F_ADDR: c_ulong = 2;

impl ExistingPages {
    fn flags(self) -> c_uint {
        match self {
            Self::Stay => 0,
            Self::MustFollow => MPOL_MF_STRICT,
            Self::Move => MPOL_MF_STRICT | MPOL_MF_MOVE,
            Self::MoveShared => MPOL_MF_STRICT | MPOL_MF_MOVE_ALL,
        }
    }
}

/// Sets the policy of `length` bytes from `start`, which stands at the beginning of a page.
///
/// The addresses are looked up and never accessed, so any range is safe to pass; one that is not mapped is refused.
pub fn set_range_policy(
    start: *const u8,
    length: usize,
    policy: &Policy,
    existing: ExistingPages,
) -> Result<(), Refusal> {
    set_range_policy_with(start, length, policy, PolicyFlags::default(), existing)
}

/// As [`set_range_policy`], with flags.
pub fn set_range_policy_with(
    start: *const u8,
    length: usize,
    policy: &Policy,
    flags: PolicyFlags,
    existing: ExistingPages,
) -> Result<(), Refusal> {
    mbind(start, length, policy, flags, existing).map_err(|errno| match errno {
        libc::EIO => Refusal::PagesElsewhere { nodes: policy.nodes() },
        libc::EPERM if existing == ExistingPages::MoveShared => Refusal::NeedsSysNice { doing: "moving shared pages" },
        errno => Refusal::for_policy("mbind", policy, flags, errno),
    })
}

/// The system call. Fails with the error number.
pub(crate) fn mbind(
    start: *const u8,
    length: usize,
    policy: &Policy,
    flags: PolicyFlags,
    existing: ExistingPages,
) -> Result<(), i32> {
    let (mode, nodes) = policy.parts();
    let mask = NodeMask::of(&nodes);
    // SAFETY: the mask is valid for its length and only read; the policy of a range changes no byte of it.
    let status: c_long = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            start.addr(),
            length,
            c_long::from(mode | flags.bits()),
            mask.pointer(),
            mask.length(),
            existing.flags(),
        )
    };
    if status == 0 { Ok(()) } else { Err(last_errno()) }
}

/// The policy that the page at an address follows.
pub fn range_policy(address: *const u8) -> Result<Policy, Refusal> {
    let (mode, nodes): (c_int, _) = ask(address, MPOL_F_ADDR)?;
    Policy::from_parts(mode, nodes)
}

#[cfg(test)]
mod tests {
    use nearfar_model::{NodeId, NodeSet};

    use super::*;
    use crate::mapping::Mapping;
    use crate::policy::allowed_nodes;

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
        let refused = set_range_policy(mapping.start(), 1 << 21, &absent, ExistingPages::Stay).unwrap_err();
        assert!(matches!(refused, Refusal::NoSuchNode { call: "mbind", .. }), "{refused}");
        let unmapped = set_range_policy(std::ptr::null(), 1 << 21, &Policy::Local, ExistingPages::Stay).unwrap_err();
        assert!(matches!(unmapped, Refusal::Failed { call: "mbind", .. }), "{unmapped}");
    }
}
