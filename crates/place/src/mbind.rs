//! The system call mbind(2).

#![allow(unsafe_code)]

use libc::{c_long, c_uint};

use crate::node_mask::mask_arguments;
use crate::place_error::last_errno;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

/// What happens to existing pages of the range when its policy changes: `MPOL_MF_*` of mbind(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingPages {
    /// They stay where they are; only new pages follow the policy.
    Stay,
    /// They must follow the policy already; otherwise the call fails (`MPOL_MF_STRICT`).
    MustFollow,
    /// Pages of this process alone are moved; the call fails if one cannot be (`MPOL_MF_MOVE`).
    Move,
    /// Shared pages are moved too (`MPOL_MF_MOVE_ALL`; needs CAP_SYS_NICE).
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
    let (mask, maxnode) = mask_arguments(&nodes);
    // SAFETY: the mask is valid for its length and only read; a range's policy changes no byte of
    // it.
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
