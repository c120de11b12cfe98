//! What may help a process, and how much.

use nearfar_model::{CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::explain::FLOOR;
use crate::explain::bounds::TimeBounds;

/// What to change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CureKind {
    /// Move its pages to this node.
    MovePages {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
    },
    /// Bind its threads to the CPUs of this node, where its pages are.
    MoveThreads {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
        /// Its CPUs.
        #[schemars(with = "String")]
        cpus: CpuSet,
    },
    /// Interleave its pages over the nodes of its threads.
    Interleave {
        /// The nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
    },
    /// Let the kernel move pages to the threads that use them (`kernel.numa_balancing`).
    Balancing,
}

/// A change of placement, with the bounds of what it does to an access's time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Cure {
    /// What to change.
    #[serde(flatten)]
    pub kind: CureKind,
    /// How much more time an access takes, over all ways in which its threads may use its pages.
    /// Null where latencies are not known, and for what the kernel decides.
    pub change: Option<TimeBounds>,
}

impl Cure {
    /// Whether each access is faster, by 2 % or more, whichever pages are used.
    pub fn is_always_faster(&self) -> bool {
        self.change.is_some_and(|change| change.most.change <= -FLOOR)
    }
}

impl CureKind {
    /// The nodes that pages go to.
    pub fn page_nodes(&self) -> Option<NodeSet> {
        match self {
            Self::MovePages { node } => Some(NodeSet::from_id(*node)),
            Self::Interleave { nodes } => Some(nodes.clone()),
            Self::MoveThreads { .. } | Self::Balancing => None,
        }
    }
}
