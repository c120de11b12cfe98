//! The prediction so far.

use std::collections::BTreeSet;

use nearfar_model::{CpuId, NodeId};

use super::block::MemoryBlock;
use super::distances::ClaimedDistances;
use super::domains::DomainNodes;
use crate::linux::cause::{KernelCause, KernelDoubt};

/// Maximum number of causes, doubts and open questions: a table with more is damaged everywhere.
const MAX_KEPT: usize = 100;

/// The prediction so far.
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

/// Firmware's data that the kernel accepts.
#[derive(Debug)]
pub(super) struct FirmwareNuma {
    /// Domains and their nodes; empty for a device tree, which has node numbers.
    pub(super) domains: DomainNodes,
    /// All nodes in the tables.
    pub(super) named: BTreeSet<NodeId>,
    /// Nodes with a generic initiator.
    pub(super) initiators: BTreeSet<NodeId>,
    /// Memory ranges as in the table.
    pub(super) claimed: Vec<MemoryBlock>,
    /// Memory ranges cut to RAM and joined.
    pub(super) blocks: Vec<MemoryBlock>,
    pub(super) places: CpuPlacement,
    /// The node of each CPU entry, of absent CPUs too.
    pub(super) cpu_entries: Vec<NodeId>,
    /// Whether nodes without memory are always online (Arm).
    pub(super) all_online: bool,
    pub(super) distances: ClaimedDistances,
}

/// The nodes of CPUs.
#[derive(Debug)]
pub(super) struct CpuPlacement {
    /// CPUs with a node in a table.
    pub(super) placed: Vec<(CpuId, NodeId)>,
    /// CPUs without a node in any table.
    pub(super) left: Vec<CpuId>,
    /// How the kernel places these.
    pub(super) remedy: UnplacedCpus,
}

/// How the kernel places CPUs without a node in any table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnplacedCpus {
    /// x86 assigns them round-robin: the n-th CPU goes to the n-th node with memory.
    InTurn,
    /// Arm assigns them to node 0.
    NodeZero,
}
