//! The status of a page as move_pages(2) reports it.

use libc::c_int;
use nearfar_model::NodeId;

use crate::place_error::describe;

/// Where one page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Residence {
    /// On this node.
    Node(NodeId),
    /// In no memory: not mapped, not yet touched, swapped out, or only the shared zero page.
    Absent,
    /// The kernel does not report it, for this reason.
    Unknown(String),
}

impl Residence {
    /// The meaning of a page status of move_pages(2).
    pub(crate) fn from_status(status: c_int) -> Self {
        match status {
            0.. => Self::Node(NodeId(status.unsigned_abs())),
            _ if [-libc::ENOENT, -libc::EFAULT].contains(&status) => Self::Absent,
            _ => Self::Unknown(reason(status.saturating_neg())),
        }
    }

    /// The page's node, if known.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node(node) => Some(*node),
            Self::Absent | Self::Unknown(_) => None,
        }
    }
}

/// The meaning of an error number for one page in move_pages(2).
fn reason(errno: i32) -> String {
    match errno {
        libc::EACCES => "other processes map it too: only CAP_SYS_NICE moves it".to_owned(),
        libc::EBUSY => "it is in use at this moment: try again".to_owned(),
        libc::ENOMEM => "its target node has no memory left".to_owned(),
        errno => describe(errno),
    }
}
