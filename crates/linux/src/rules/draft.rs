//! What has been decided so far.

use std::collections::BTreeSet;

use nearfar_model::{CpuId, NodeId};

use super::block::Block;
use super::distances::Claimed;
use super::domains::Domains;
use crate::cause::{Cause, Doubt};

/// The most causes, doubts and remarks that are kept: a table with more is wrong everywhere.
const MOST_KEPT: usize = 100;

/// What has been decided so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) causes: Vec<Cause>,
    pub(super) doubts: Vec<Doubt>,
    pub(super) undecided: Vec<String>,
}

impl Draft {
    pub(super) fn cause(&mut self, cause: Cause) {
        if self.causes.len() < MOST_KEPT {
            self.causes.push(cause);
        }
    }

    pub(super) fn doubt(&mut self, doubts: impl IntoIterator<Item = Doubt>) {
        let room = MOST_KEPT.saturating_sub(self.doubts.len());
        self.doubts.extend(doubts.into_iter().take(room));
    }

    pub(super) fn undecided(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.undecided.len() < MOST_KEPT && !self.undecided.contains(&what) {
            self.undecided.push(what);
        }
    }
}

/// What firmware has that the kernel takes.
#[derive(Debug)]
pub(super) struct Finding {
    /// Domains and their nodes; empty for a device tree, which speaks of nodes.
    pub(super) domains: Domains,
    /// All nodes that are named.
    pub(super) named: BTreeSet<NodeId>,
    /// Nodes with a generic initiator.
    pub(super) initiators: BTreeSet<NodeId>,
    /// Memory, as the table has it.
    pub(super) claimed: Vec<Block>,
    /// Memory, as far as there is RAM, joined.
    pub(super) blocks: Vec<Block>,
    /// CPUs' places.
    pub(super) places: Places,
    /// How many entries about CPUs each node has, CPUs that are not there too.
    pub(super) cpu_entries: Vec<NodeId>,
    /// Whether memoryless nodes are in use in any case (Arm).
    pub(super) all_online: bool,
    /// What is said of distances.
    pub(super) distances: Claimed,
}

/// Where CPUs are.
#[derive(Debug)]
pub(super) struct Places {
    /// CPUs that a table places.
    pub(super) placed: Vec<(CpuId, NodeId)>,
    /// CPUs that no table places.
    pub(super) left: Vec<CpuId>,
    /// What the kernel does with these.
    pub(super) remedy: Remedy,
}

/// What the kernel does with CPUs that no table places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// x86 deals them out: the n-th CPU goes to the n-th node with memory, in turn.
    InTurn,
    /// Arm puts them into node 0.
    NodeZero,
}
