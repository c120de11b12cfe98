//! Bytes of memory by node.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, NodeId, NodeSet};
use serde::{Serialize, Serializer};

/// Bytes on each node, in ascending order of nodes; nodes without memory are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BytesByNode(BTreeMap<NodeId, Bytes>);

/// The bytes of pages of this size, by node.
pub(crate) fn sizes_of(
    pages: &[(NodeId, u64)],
    size: Bytes,
) -> impl Iterator<Item = (NodeId, Bytes)> + '_ {
    pages.iter().map(move |&(node, count)| (node, Bytes(count.saturating_mul(size.0))))
}

impl FromIterator<(NodeId, Bytes)> for BytesByNode {
    fn from_iter<I: IntoIterator<Item = (NodeId, Bytes)>>(sizes: I) -> Self {
        let mut by_node = BTreeMap::new();
        for (node, size) in sizes.into_iter().filter(|(_, size)| size.0 > 0) {
            let sum: &mut Bytes = by_node.entry(node).or_default();
            *sum = *sum + size;
        }
        Self(by_node)
    }
}

impl BytesByNode {
    /// Bytes on a node.
    pub fn on(&self, node: NodeId) -> Bytes {
        self.0.get(&node).copied().unwrap_or_default()
    }

    /// Bytes on all of these nodes together.
    pub fn on_any(&self, nodes: &NodeSet) -> Bytes {
        self.iter().filter(|(node, _)| nodes.contains(*node)).map(|(_, size)| size).sum()
    }

    /// Bytes on all nodes.
    pub fn total(&self) -> Bytes {
        self.0.values().copied().sum()
    }

    /// The nodes with memory.
    pub fn nodes(&self) -> NodeSet {
        self.0.keys().copied().collect()
    }

    /// Node by node, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, Bytes)> + '_ {
        self.0.iter().map(|(&node, &size)| (node, size))
    }

    /// The node with the most memory; of equal ones, the first.
    pub fn largest(&self) -> Option<NodeId> {
        self.iter()
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .map(|(node, _)| node)
    }
}

/// Bytes on a node.
#[derive(Serialize, schemars::JsonSchema)]
struct NodeBytes {
    /// The node.
    node: NodeId,
    /// Bytes on it.
    bytes: Bytes,
}

nearfar_model::schema_as!(BytesByNode: Vec<NodeBytes>);

impl Serialize for BytesByNode {
    /// `[{"node": 0, "bytes": 4096}]`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|(node, bytes)| NodeBytes { node, bytes }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_summed_by_node_without_empty_nodes() {
        let small = [(NodeId(8), 2), (NodeId(0), 1), (NodeId(8), 1), (NodeId(3), 0)];
        let sizes =
            sizes_of(&small, Bytes::kib(4)).chain(sizes_of(&[(NodeId(2), 1)], Bytes::mib(2)));
        let sizes: BytesByNode = sizes.collect();
        assert_eq!(sizes.nodes().to_string(), "0,2,8");
        assert_eq!((sizes.on(NodeId(8)), sizes.on(NodeId(9))), (Bytes::kib(12), Bytes(0)));
        assert_eq!((sizes.total(), sizes.largest()), (Bytes::kib(2048 + 16), Some(NodeId(2))));
        assert_eq!(sizes.on_any(&NodeSet::parse_list("0,8").unwrap()), Bytes::kib(16));
    }

    #[test]
    fn absurd_counts_saturate() {
        let sizes: BytesByNode =
            sizes_of(&[(NodeId(0), u64::MAX), (NodeId(0), 9)], Bytes::gib(1)).collect();
        assert_eq!(sizes.total(), Bytes(u64::MAX));
    }

    #[test]
    fn json_is_a_list_of_nodes() {
        let sizes: BytesByNode = sizes_of(&[(NodeId(255), 1)], Bytes(4096)).collect();
        assert_eq!(serde_json::to_string(&sizes).unwrap(), r#"[{"node":255,"bytes":4096}]"#);
    }
}
