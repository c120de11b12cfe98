//! What firmware claims memory costs: the NUMA distances, where 10 is local.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::NodeId;

/// Claimed distances between nodes, as ACPI's SLIT and `/sys/devices/system/node/nodeN/distance` give them:
/// relative, without a unit, 10 for local, 255 for unreachable. Not always symmetric, not always true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DistanceMatrix {
    nodes: Vec<NodeId>,
    rows: Vec<Vec<u32>>,
}

/// A distance matrix whose rows do not fit its nodes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{nodes} nodes need {nodes} rows of {nodes} distances; row {row} has {found}")]
pub struct RaggedDistances {
    nodes: usize,
    row: usize,
    found: usize,
}

impl DistanceMatrix {
    /// `rows[i][j]` is the distance from CPUs of `nodes[i]` to memory of `nodes[j]`.
    pub fn new(nodes: Vec<NodeId>, rows: Vec<Vec<u32>>) -> Result<Self, RaggedDistances> {
        let wanted = nodes.len();
        let wrong = rows.iter().map(Vec::len).position(|length| length != wanted);
        match wrong.or_else(|| (rows.len() != wanted).then_some(rows.len())) {
            None => Ok(Self { nodes, rows }),
            Some(row) => Err(RaggedDistances { nodes: wanted, row, found: rows.get(row).map_or(0, Vec::len) }),
        }
    }

    /// The nodes, in the order of rows and columns.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The rows, one a node.
    pub fn rows(&self) -> &[Vec<u32>] {
        &self.rows
    }

    /// The claimed distance from CPUs of one node to memory of another.
    pub fn between(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let index = |id| self.nodes.iter().position(|&node| node == id);
        Some(self.rows[index(from)?][index(to)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_distances_by_sparse_node_ids() {
        let matrix = DistanceMatrix::new(vec![NodeId(0), NodeId(4)], vec![vec![10, 21], vec![17, 10]]).unwrap();
        assert_eq!(matrix.between(NodeId(0), NodeId(4)), Some(21));
        assert_eq!(matrix.between(NodeId(4), NodeId(0)), Some(17));
        assert_eq!(matrix.between(NodeId(0), NodeId(1)), None);
    }

    #[test]
    fn refuses_ragged_rows() {
        let short = DistanceMatrix::new(vec![NodeId(0), NodeId(1)], vec![vec![10, 20], vec![20]]);
        assert_eq!(short.unwrap_err().to_string(), "2 nodes need 2 rows of 2 distances; row 1 has 1");
        assert!(DistanceMatrix::new(vec![NodeId(0)], vec![]).is_err());
        assert!(DistanceMatrix::new(vec![], vec![vec![]]).is_err());
    }
}
