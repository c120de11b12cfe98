//! What has been decided so far.

use std::collections::BTreeSet;

use nearfar_model::{CpuId, NodeId};

use super::block::MemoryBlock;
use super::distances::ClaimedDistances;
use super::domains::DomainNodes;
use crate::cause::{KernelCause, KernelDoubt};

/// The most causes, doubts and remarks that are kept: a table with more is wrong everywhere.
const MAX_KEPT: usize = 100;

/// What has been decided so far.
#[derive(Debug, Default)]
pub(super) struct PredictionDraft {
    pub(super) causes: Vec<KernelCause>,
    pub(super) doubts: Vec<KernelDoubt>,
    pub(super) undecided: Vec<String>,
}

impl PredictionDraft {
    pub(super) fn cause(&mut self, cause: KernelCause) {
        if self.causes.len() < MAX_KEPT {
            self.causes.push(cause);
        }
    }

    pub(super) fn doubt(&mut self, doubts: impl IntoIterator<Item = KernelDoubt>) {
        let room = MAX_KEPT.saturating_sub(self.doubts.len());
        self.doubts.extend(doubts.into_iter().take(room));
    }

    pub(super) fn undecided(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.undecided.len() < MAX_KEPT && !self.undecided.contains(&what) {
            self.undecided.push(what);
        }
    }
}

/// What firmware has that the kernel takes.
#[derive(Debug)]
pub(super) struct FirmwareNuma {
    /// Domains and their nodes; empty for a device tree, which speaks of nodes.
    pub(super) domains: DomainNodes,
    /// All nodes that are named.
    pub(super) named: BTreeSet<NodeId>,
    /// Nodes with a generic initiator.
    pub(super) initiators: BTreeSet<NodeId>,
    /// Memory, as the table has it.
    pub(super) claimed: Vec<MemoryBlock>,
    /// Memory, as far as there is RAM, joined.
    pub(super) blocks: Vec<MemoryBlock>,
    /// CPUs' places.
    pub(super) places: CpuPlacement,
    /// How many entries about CPUs each node has, CPUs that are not there too.
    pub(super) cpu_entries: Vec<NodeId>,
    /// Whether memoryless nodes are in use in any case (Arm).
    pub(super) all_online: bool,
    /// What is said of distances.
    pub(super) distances: ClaimedDistances,
}

/// Where CPUs are.
#[derive(Debug)]
pub(super) struct CpuPlacement {
    /// CPUs that a table places.
    pub(super) placed: Vec<(CpuId, NodeId)>,
    /// CPUs that no table places.
    pub(super) left: Vec<CpuId>,
    /// What the kernel does with these.
    pub(super) remedy: UnplacedCpus,
}

/// What the kernel does with CPUs that no table places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnplacedCpus {
    /// x86 deals them out: the n-th CPU goes to the n-th node with memory, in turn.
    InTurn,
    /// Arm puts them into node 0.
    NodeZero,
}
