//! Memory policies: the nodes from which the kernel allocates new pages.
//!
//! See set_mempolicy(2) and `include/uapi/linux/mempolicy.h`.

use libc::c_int;
use nearfar_model::{NodeId, NodeSet};

use crate::place_error::PlaceError;
use crate::policy_flags::{MODE_FLAGS, PolicyFlags};

/// Where new pages come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The policy one level up: a range follows its thread's, a thread the system's, which is
    /// local.
    Default,
    /// The node of the CPU that touches the page first.
    Local,
    /// This node first, others when it is full.
    Preferred(NodeId),
    /// The nearest of these nodes first, others when they are full (Linux 5.15).
    PreferredMany(NodeSet),
    /// These nodes only. When they are full the out-of-memory killer ends a process.
    Bind(NodeSet),
    /// Over these nodes in turn, page by page.
    Interleave(NodeSet),
    /// As interleave, in proportion to the kernel's weights (Linux 6.9).
    WeightedInterleave(NodeSet),
}

const MPOL_DEFAULT: c_int = 0;
const MPOL_PREFERRED: c_int = 1;
const MPOL_BIND: c_int = 2;
const MPOL_INTERLEAVE: c_int = 3;
const MPOL_LOCAL: c_int = 4;
const MPOL_PREFERRED_MANY: c_int = 5;
const MPOL_WEIGHTED_INTERLEAVE: c_int = 6;

impl Policy {
    /// Its name in documents and on the command line: "default", "local", "preferred",
    /// "preferred-many", "bind", "interleave", "weighted-interleave".
    pub fn name(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Local => "local",
            Self::Preferred(_) => "preferred",
            Self::PreferredMany(_) => "preferred-many",
            Self::Bind(_) => "bind",
            Self::Interleave(_) => "interleave",
            Self::WeightedInterleave(_) => "weighted-interleave",
        }
    }

    /// The nodes that it names.
    pub fn nodes(&self) -> NodeSet {
        self.parts().1
    }

    /// The mode's number and its nodes.
    pub(crate) fn parts(&self) -> (c_int, NodeSet) {
        match self {
            Self::Default => (MPOL_DEFAULT, NodeSet::new()),
            Self::Local => (MPOL_LOCAL, NodeSet::new()),
            Self::Preferred(node) => (MPOL_PREFERRED, NodeSet::from_id(*node)),
            Self::PreferredMany(nodes) => (MPOL_PREFERRED_MANY, nodes.clone()),
            Self::Bind(nodes) => (MPOL_BIND, nodes.clone()),
            Self::Interleave(nodes) => (MPOL_INTERLEAVE, nodes.clone()),
            Self::WeightedInterleave(nodes) => (MPOL_WEIGHTED_INTERLEAVE, nodes.clone()),
        }
    }

    /// The policy of a mode and its nodes. Ignores mode flags.
    pub(crate) fn from_parts(mode: c_int, nodes: NodeSet) -> Result<Self, PlaceError> {
        match (mode & !MODE_FLAGS, nodes.first()) {
            (MPOL_DEFAULT, _) => Ok(Self::Default),
            // Kernels before 5.14 report local as preferred without nodes.
            (MPOL_LOCAL, _) | (MPOL_PREFERRED, None) => Ok(Self::Local),
            (MPOL_PREFERRED, Some(node)) => Ok(Self::Preferred(node)),
            (MPOL_PREFERRED_MANY, _) => Ok(Self::PreferredMany(nodes)),
            (MPOL_BIND, _) => Ok(Self::Bind(nodes)),
            (MPOL_INTERLEAVE, _) => Ok(Self::Interleave(nodes)),
            (MPOL_WEIGHTED_INTERLEAVE, _) => Ok(Self::WeightedInterleave(nodes)),
            (mode, _) => Err(PlaceError::Failed {
                call: "get_mempolicy",
                errno: format!("policy mode {mode} is unknown to nearfar"),
            }),
        }
    }

    /// Why no kernel accepts these flags with this policy.
    pub(crate) fn misfit(&self, flags: PolicyFlags) -> Option<&'static str> {
        let balanced = matches!(self, Self::Bind(_) | Self::PreferredMany(_));
        let without_nodes = matches!(self, Self::Default | Self::Local);
        match flags {
            PolicyFlags { static_nodes: true, relative_nodes: true, .. } => {
                Some("static and relative nodes exclude each other")
            }
            PolicyFlags { balancing: true, .. } if !balanced => {
                Some("balancing goes with bind, or with preferred-many")
            }
            PolicyFlags { static_nodes, relative_nodes, .. }
                if without_nodes && (static_nodes || relative_nodes) =>
            {
                Some("static or relative nodes need a policy that names nodes")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_do_not_fit_are_detected() {
        let bind = Policy::Bind(NodeSet::from_id(NodeId(0)));
        let both =
            PolicyFlags { static_nodes: true, relative_nodes: true, ..PolicyFlags::default() };
        let relative = PolicyFlags { relative_nodes: true, ..PolicyFlags::default() };
        assert!(bind.misfit(both).is_some() && Policy::Local.misfit(relative).is_some());
        assert!(Policy::Preferred(NodeId(0)).misfit(PolicyFlags::BALANCING).is_some());
        assert_eq!(bind.misfit(PolicyFlags::BALANCING), None);
        assert_eq!(bind.misfit(relative), None);
    }
}
