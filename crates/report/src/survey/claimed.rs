//! What firmware claims of each cell, beside what was measured.

use std::collections::BTreeMap;

use nearfar_model::{DistanceMatrix, NodeId};
use nearfar_survey::{Claims, Matrix};

/// Claims by pairs of nodes: those of the CPUs and of the memory.
pub(crate) struct Claimed<'c> {
    distances: Option<&'c DistanceMatrix>,
    /// The HMAT's times of a read, in ns.
    latencies: BTreeMap<(NodeId, NodeId), u64>,
}

impl<'c> Claimed<'c> {
    pub(crate) fn from_claims(claims: &'c Claims) -> Self {
        let cells = claims.hmat.iter().flat_map(|hmat| &hmat.cells);
        let latencies = cells
            .filter_map(|cell| Some(((cell.initiator, cell.target), cell.read_latency_ns?)))
            .collect();
        Self { distances: claims.distances.as_ref(), latencies }
    }

    /// Firmware's distance (SLIT, or a device tree's distance-map): 10 is local.
    pub(crate) fn distance(&self, pair: Option<(NodeId, NodeId)>) -> Option<u32> {
        let (from, to) = pair?;
        self.distances?.between(from, to)
    }

    /// The HMAT's time of a read, in ns.
    pub(crate) fn latency_ns(&self, pair: Option<(NodeId, NodeId)>) -> Option<u64> {
        self.latencies.get(&pair?).copied()
    }

    /// What the distance claims the ratio to local memory is.
    pub(crate) fn by_distance(&self, pair: Option<(NodeId, NodeId)>) -> Option<f64> {
        Some(f64::from(self.distance(pair)?) / 10.0)
    }

    /// What the HMAT claims it is: none where it knows nothing of the row's local memory.
    pub(crate) fn by_latency(&self, pair: Option<(NodeId, NodeId)>) -> Option<f64> {
        let (from, _) = pair?;
        let local = self.latency_ns(Some((from, from))).filter(|&ns| ns > 0)?;
        Some(self.latency_ns(pair)? as f64 / local as f64)
    }

    /// Whether there are distances.
    pub(crate) fn has_distances(&self) -> bool {
        self.distances.is_some()
    }

    /// Whether the HMAT has latencies of remote memory. The kernel alone often reports local ones
    /// only.
    pub(crate) fn has_far_latencies(&self) -> bool {
        self.latencies
            .keys()
            .any(|&(from, to)| from != to && self.by_latency(Some((from, to))).is_some())
    }
}

/// The nodes of a cell's CPUs and of its memory; none where a row spans nodes or a column is no
/// node.
pub(crate) fn pair(matrix: &Matrix, row: usize, column: usize) -> Option<(NodeId, NodeId)> {
    Some((matrix.rows.get(row)?.node?, matrix.columns.get(column)?.node?))
}
