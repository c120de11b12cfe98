//! NUMA distances that firmware claims; 10 is local.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::NodeId;
use crate::set::NodeSet;

/// Claimed distances between nodes, from ACPI's SLIT or `/sys/devices/system/node/nodeN/distance`.
/// They are relative, without a unit: 10 is local, 255 unreachable. They may be asymmetric, and
/// wrong.
///
/// In documents: `{nodes[], rows[][]}`. Deserialisation makes the checks of
/// [`DistanceMatrix::new`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Unchecked")]
#[schemars(!try_from)]
pub struct DistanceMatrix {
    nodes: Vec<NodeId>,
    rows: Vec<Vec<u32>>,
}

/// The document's fields, not yet validated.
#[derive(Deserialize)]
struct Unchecked {
    nodes: Vec<NodeId>,
    rows: Vec<Vec<u32>>,
}

impl TryFrom<Unchecked> for DistanceMatrix {
    type Error = RaggedDistances;

    fn try_from(unchecked: Unchecked) -> Result<Self, RaggedDistances> {
        Self::new(unchecked.nodes, unchecked.rows)
    }
}

/// A distance matrix whose rows do not fit its nodes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RaggedDistances {
    /// The numbers of rows and nodes differ.
    #[error("{nodes} nodes need as many rows of distances, not {rows}")]
    Rows {
        /// Number of nodes.
        nodes: usize,
        /// Number of rows.
        rows: usize,
    },
    /// A row whose number of distances is not the number of nodes.
    #[error("{nodes} nodes need as many distances in each row; row {row} has {found}")]
    Row {
        /// Number of nodes.
        nodes: usize,
        /// Index of the row.
        row: usize,
        /// Number of its distances.
        found: usize,
    },
}

impl DistanceMatrix {
    /// `rows[i][j]` is the distance from CPUs of `nodes[i]` to memory of `nodes[j]`.
    pub fn new(nodes: Vec<NodeId>, rows: Vec<Vec<u32>>) -> Result<Self, RaggedDistances> {
        let wanted = nodes.len();
        if rows.len() != wanted {
            return Err(RaggedDistances::Rows { nodes: wanted, rows: rows.len() });
        }
        match rows.iter().position(|row| row.len() != wanted) {
            Some(row) => Err(RaggedDistances::Row { nodes: wanted, row, found: rows[row].len() }),
            None => Ok(Self { nodes, rows }),
        }
    }

    /// The nodes, in the order of rows and columns.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The rows, one per node.
    pub fn rows(&self) -> &[Vec<u32>] {
        &self.rows
    }

    /// The claimed distance from CPUs of one node to memory of another.
    pub fn between(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let index = |id| self.nodes.iter().position(|&node| node == id);
        self.rows.get(index(from)?)?.get(index(to)?).copied()
    }

    /// The nodes among these whose CPUs are nearest to the memory of a node: several at the same
    /// distance.
    pub fn nearest(&self, node: NodeId, among: impl IntoIterator<Item = NodeId>) -> NodeSet {
        let far: Vec<(u32, NodeId)> =
            among.into_iter().filter_map(|one| Some((self.between(one, node)?, one))).collect();
        let least = far.iter().map(|(distance, _)| *distance).min();
        far.iter().filter(|(distance, _)| Some(*distance) == least).map(|(_, id)| *id).collect()
    }
}

/// The nodes among these that are nearest to a node: the node itself if it is one of them; the only
/// one without distances; empty if unknown.
pub fn nearest_nodes(distances: Option<&DistanceMatrix>, node: NodeId, among: &NodeSet) -> NodeSet {
    match distances {
        _ if among.contains(node) => NodeSet::from_id(node),
        Some(distances) => distances.nearest(node, among.iter()),
        None if among.len() == 1 => among.clone(),
        None => NodeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_node_is_nearest_without_distances() {
        let set = |ids: &[u32]| ids.iter().map(|id| NodeId(*id)).collect::<NodeSet>();
        assert_eq!(nearest_nodes(None, NodeId(2), &set(&[1])), set(&[1]));
        assert_eq!(nearest_nodes(None, NodeId(2), &set(&[0, 1])), set(&[]));
        assert_eq!(nearest_nodes(None, NodeId(1), &set(&[0, 1])), set(&[1]));
    }

    #[test]
    fn finds_distances_by_sparse_node_ids() {
        let matrix =
            DistanceMatrix::new(vec![NodeId(0), NodeId(4)], vec![vec![10, 21], vec![17, 10]])
                .unwrap();
        assert_eq!(matrix.between(NodeId(0), NodeId(4)), Some(21));
        assert_eq!(matrix.between(NodeId(4), NodeId(0)), Some(17));
        assert_eq!(matrix.between(NodeId(0), NodeId(1)), None);
    }

    fn error(nodes: u32, rows: Vec<Vec<u32>>) -> String {
        DistanceMatrix::new((0..nodes).map(NodeId).collect(), rows).unwrap_err().to_string()
    }

    #[test]
    fn ragged_rows_are_refused() {
        let short = error(2, vec![vec![10, 20], vec![20]]);
        assert_eq!(short, "2 nodes need as many distances in each row; row 1 has 1");
        assert_eq!(error(1, vec![]), "1 nodes need as many rows of distances, not 0");
        assert_eq!(
            error(1, vec![vec![10], vec![10]]),
            "1 nodes need as many rows of distances, not 2"
        );
        assert_eq!(error(0, vec![vec![]]), "0 nodes need as many rows of distances, not 1");
    }

    #[test]
    fn ragged_documents_are_refused() {
        let read = |text| serde_json::from_str::<DistanceMatrix>(text);
        let whole = r#"{"nodes":[0,1],"rows":[[10,21],[21,10]]}"#;
        assert_eq!(serde_json::to_string(&read(whole).unwrap()).unwrap(), whole);
        let damaged = read(r#"{"nodes":[0,1],"rows":[[10]]}"#).unwrap_err().to_string();
        assert!(damaged.starts_with("2 nodes need as many rows of distances, not 1"), "{damaged}");
    }
}
