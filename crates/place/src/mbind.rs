//! mbind(2), as the kernel has it.

#![allow(unsafe_code)]

use libc::{c_long, c_uint};

use crate::node_mask::lent;
use crate::place_error::last_errno;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

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

/// The system call. Fails with the error number.
pub(crate) fn mbind(
    start: *const u8,
    length: usize,
    policy: &Policy,
    flags: PolicyFlags,
    existing: ExistingPages,
) -> Result<(), i32> {
    let (mode, nodes) = policy.parts();
    let (mask, maxnode) = lent(&nodes);
    // SAFETY: the mask is valid for its length and only read; the policy of a range changes no byte
    // of it.
    let status: c_long = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            start.addr(),
            length,
            c_long::from(mode | flags.bits()),
            mask,
            maxnode,
            existing.flags(),
        )
    };
    if status == 0 { Ok(()) } else { Err(last_errno()) }
}
