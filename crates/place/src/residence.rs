//! What move_pages(2) says of a page.

use libc::c_int;
use nearfar_model::NodeId;

use crate::place_error::describe;

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
            _ => Self::Unknown(why_not(status.saturating_neg())),
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

/// Why a page was not moved, by move_pages(2)'s error numbers.
fn why_not(errno: i32) -> String {
    match errno {
        libc::EACCES => "other processes map it too: only CAP_SYS_NICE moves it".to_owned(),
        libc::EBUSY => "it is in use at this moment: try again".to_owned(),
        libc::ENOMEM => "its target node has no memory left".to_owned(),
        errno => describe(errno),
    }
}
