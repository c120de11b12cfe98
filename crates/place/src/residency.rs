//! On which node a page *is*: move_pages(2) asked without target nodes.
//!
//! A policy is a wish; this is the kernel's answer after the fact, and the only proof that memory stands where it should.

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, c_void};
use nearfar_model::NodeId;

use crate::refusal::{Refusal, describe};

/// Where one page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Residence {
    /// On this node.
    Node(NodeId),
    /// Nowhere: not mapped, not yet touched, swapped out, or only the shared zero page.
    Absent,
    /// The kernel does not say, for this reason.
    Unknown(String),
}

impl Residence {
    /// What a page status of move_pages(2) means.
    pub(crate) fn of_status(status: c_int) -> Self {
        match status {
            0.. => Self::Node(NodeId(status.unsigned_abs())),
            _ if [-libc::ENOENT, -libc::EFAULT].contains(&status) => Self::Absent,
            _ => Self::Unknown(describe(status.saturating_neg())),
        }
    }

    /// The node, where there is one.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node(node) => Some(*node),
            Self::Absent | Self::Unknown(_) => None,
        }
    }
}

/// Where the pages at these addresses of this process are, one answer an address. Moves nothing and accesses nothing.
pub fn residences(addresses: &[*const u8]) -> Result<Vec<Residence>, Refusal> {
    let mut status: Vec<c_int> = vec![-libc::ENOENT; addresses.len()];
    let pages: *const *const c_void = addresses.as_ptr().cast();
    // SAFETY: both lists are as long as said; without target nodes the kernel only looks the addresses up.
    let result = unsafe {
        libc::syscall(libc::SYS_move_pages, 0, addresses.len(), pages, ptr::null::<c_int>(), status.as_mut_ptr(), 0)
    };
    match result {
        0 => Ok(status.into_iter().map(Residence::of_status).collect()),
        _ => Err(Refusal::last("move_pages")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denied_calls::{Denied, without};

    #[test]
    fn a_touched_page_is_on_a_node_and_nothing_is_nowhere() {
        let byte = Box::new(7u8);
        let found = residences(&[&raw const *byte, ptr::null()]).unwrap();
        assert!(found[0].node().is_some(), "{found:?}");
        assert_eq!(found[1], Residence::Absent);
        assert_eq!(residences(&[]).unwrap(), []);
    }

    #[test]
    fn any_status_has_a_meaning() {
        assert_eq!(Residence::of_status(3), Residence::Node(NodeId(3)));
        assert_eq!(Residence::of_status(-libc::ENOENT), Residence::Absent);
        assert!(matches!(Residence::of_status(-libc::EIO), Residence::Unknown(_)));
        assert!(matches!(Residence::of_status(c_int::MIN), Residence::Unknown(_)));
    }

    #[test]
    fn a_denied_question_is_an_error_not_a_guess() {
        let asked = without(&[libc::SYS_move_pages], Denied::Eperm, || residences(&[ptr::null()]));
        assert_eq!(asked, Err(Refusal::NotPermitted { call: "move_pages" }));
    }
}
