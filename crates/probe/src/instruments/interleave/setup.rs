//! The CPUs and the interleaved memory that they access.

use std::time::Duration;

use nearfar_model::{Bytes, CpuId, MatrixShape, NodeId};
use nearfar_place::{InterleavedPlace, NodeWeight, WantedPages};
use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;
use crate::streams::{Isa, Kernel};
use crate::worker::station::{WorkSetup, sound};

/// A combination of weights and kernel that rows are visited with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InterleaveTreatment {
    /// A weight for each node; 0 excludes it.
    pub weights: Vec<u32>,
    /// What all of the row's CPUs do at the same time; `None`: one of them makes dependent loads.
    pub kernel: Option<Kernel>,
}

/// A node that memory is interleaved over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterleaveNode {
    /// Its number.
    pub node: NodeId,
    /// Free memory before anything is placed, if known.
    pub free: Option<Bytes>,
}

/// CPUs and memory: rows are CPU groups, the only column is all memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterleaveSetup {
    /// The CPUs of each row.
    pub rows: Vec<Vec<CpuId>>,
    /// The nodes, in the order of weights.
    pub nodes: Vec<InterleaveNode>,
    /// The combinations that rows are visited with.
    pub treatments: Vec<InterleaveTreatment>,
    /// The streams' instruction set.
    pub isa: Isa,
    /// The bytes that the threads of a window sweep together, at least, and that a chase covers.
    pub footprint: Bytes,
    /// The length of a window.
    pub window: Duration,
    /// Loads of a chase's sample.
    pub loads: u64,
}

const HUGE: u64 = 2 << 20;
/// Interleave cycles that memory must hold at least, so that the weights are exact to a quarter of
/// one.
const TURNS: u64 = 4;

impl WorkSetup for InterleaveSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape { rows: self.rows.len(), columns: 1, treatments: self.treatments.len() }
    }

    fn check(&self) -> Result<(), ProbeError> {
        let is_whole = |treatment: &InterleaveTreatment| {
            treatment.weights.len() == self.nodes.len()
                && treatment.weights.iter().any(|&weight| weight > 0)
        };
        let fits =
            self.rows.iter().all(|row| !row.is_empty()) && self.footprint.0 > 0 && self.loads > 0;
        sound(
            fits && self.treatments.iter().all(is_whole),
            "interleaved memory without CPUs, size or weights",
        )
    }
}

impl InterleaveSetup {
    /// The memory of a row's nth thread.
    pub(crate) fn thread_memory(
        &self,
        row: usize,
        thread: usize,
        weights: &[u32],
    ) -> InterleavedPlace {
        let threads = self.rows[row].len() as u64;
        let bytes = Bytes(self.footprint.0.div_ceil(threads).max(1));
        // Threads begin at different positions of a cycle. Each may use its fraction of the free
        // memory.
        let first =
            thread as u64 * weights.iter().map(|&weight| u64::from(weight)).sum::<u64>() / threads;
        InterleavedPlace {
            weights: self.node_weights(weights, threads),
            bytes,
            pages: WantedPages::Base,
            first,
        }
    }

    /// The memory of a chase.
    pub(crate) fn chase_memory(&self, weights: &[u32]) -> InterleavedPlace {
        let turn: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        let pages = if self.footprint.0 / HUGE >= TURNS * turn {
            WantedPages::Huge
        } else {
            WantedPages::Base
        };
        InterleavedPlace {
            weights: self.node_weights(weights, 1),
            bytes: self.footprint,
            pages,
            first: 0,
        }
    }

    fn node_weights(&self, weights: &[u32], threads: u64) -> Vec<NodeWeight> {
        let share = |(node, &weight): (&InterleaveNode, &u32)| NodeWeight {
            node: node.node,
            weight,
            free: node.free.map(|free| Bytes(free.0 / threads)),
        };
        self.nodes.iter().zip(weights).map(share).collect()
    }

    /// The number of placements that may be in use together: a quarter of what the fullest node has
    /// free.
    pub(crate) fn max_in_use(&self) -> usize {
        let free = self.nodes.iter().filter_map(|node| node.free).min();
        free.map_or(usize::MAX, |free| (free.0 / 4 / self.footprint.0) as usize)
    }
}
