//! What keeps pages of a process from moving.

use nearfar_model::{Bytes, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

/// An obstacle, known before anything moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Obstacle {
    /// It belongs to another user.
    OtherUser,
    /// It has locked memory (mlock): its owner wants no page faults, and moving causes some.
    LockedMemory {
        /// How much.
        #[schemars(with = "u64")]
        bytes: Bytes,
    },
    /// It has pinned memory (for DMA): the kernel does not move that.
    PinnedMemory {
        /// How much.
        #[schemars(with = "u64")]
        bytes: Bytes,
    },
    /// Its cpuset allows memory on these nodes only.
    Cpuset {
        /// The nodes.
        #[schemars(with = "String")]
        allowed: NodeSet,
    },
    /// A node has too little free memory.
    NoRoom {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
        /// Its free memory.
        #[schemars(with = "u64")]
        free: Bytes,
        /// What would move there.
        #[schemars(with = "u64")]
        needed: Bytes,
    },
    /// Pages move, and new ones are still allocated on nodes of its own policy, which no other
    /// process can change.
    Policy {
        /// The policy, as the kernel prints it.
        policy: String,
        /// Its nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
        /// Where the pages would move.
        #[schemars(with = "String")]
        wanted: NodeSet,
    },
    /// The kernel moves pages by itself (`kernel.numa_balancing`), which may undo what is moved.
    Balancing,
}

impl Obstacle {
    /// Whether a trial is refused for it.
    pub fn forbids_trial(&self) -> bool {
        match self {
            Self::OtherUser
            | Self::LockedMemory { .. }
            | Self::Cpuset { .. }
            | Self::NoRoom { .. } => true,
            Self::PinnedMemory { .. } | Self::Policy { .. } | Self::Balancing => false,
        }
    }
}
