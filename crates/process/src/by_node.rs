//! Memory by node.

use nearfar_model::{Bytes, NodeId, NodeSet};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// How much memory is on which node. Nodes without any are left out; the others stand in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByNode(Vec<(NodeId, Bytes)>);

impl ByNode {
    /// The same memory page by page: so many pages of this size.
    pub(crate) fn of_pages(pages: &[(NodeId, u64)], size: Bytes) -> Self {
        let mut sizes = Self::default();
        for &(node, count) in pages {
            sizes.add(node, Bytes(count.saturating_mul(size.0)));
        }
        sizes
    }

    /// Adds memory on a node.
    pub fn add(&mut self, node: NodeId, size: Bytes) {
        if size.0 == 0 {
            return;
        }
        match self.0.binary_search_by_key(&node, |(known, _)| *known) {
            Ok(at) => self.0[at].1 = self.0[at].1 + size,
            Err(at) => self.0.insert(at, (node, size)),
        }
    }

    /// Adds other memory.
    pub fn add_all(&mut self, other: &Self) {
        for (node, size) in other.iter() {
            self.add(node, size);
        }
    }

    /// What is on a node.
    pub fn on(&self, node: NodeId) -> Bytes {
        self.iter().find(|(known, _)| *known == node).map_or(Bytes(0), |(_, size)| size)
    }

    /// What is on any of these nodes.
    pub fn on_any(&self, nodes: &NodeSet) -> Bytes {
        self.iter().filter(|(node, _)| nodes.contains(*node)).map(|(_, size)| size).sum()
    }

    /// All of it.
    pub fn total(&self) -> Bytes {
        self.iter().map(|(_, size)| size).sum()
    }

    /// The nodes that hold some.
    pub fn nodes(&self) -> NodeSet {
        self.iter().map(|(node, _)| node).collect()
    }

    /// Node by node, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, Bytes)> + '_ {
        self.0.iter().copied()
    }

    /// The node that holds most, the first of several.
    pub fn largest(&self) -> Option<NodeId> {
        self.iter().reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(node, _)| node)
    }
}

impl Serialize for ByNode {
    /// `[{"node": 0, "bytes": 4096}]`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct On {
            node: u32,
            bytes: u64,
        }
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for (node, size) in self.iter() {
            list.serialize_element(&On { node: node.0, bytes: size.0 })?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_add_up_by_node_and_empty_nodes_are_left_out() {
        let mut sizes =
            ByNode::of_pages(&[(NodeId(8), 2), (NodeId(0), 1), (NodeId(8), 1), (NodeId(3), 0)], Bytes::kib(4));
        sizes.add_all(&ByNode::of_pages(&[(NodeId(2), 1)], Bytes::mib(2)));
        assert_eq!(sizes.nodes().to_string(), "0,2,8");
        assert_eq!((sizes.on(NodeId(8)), sizes.on(NodeId(9))), (Bytes::kib(12), Bytes(0)));
        assert_eq!((sizes.total(), sizes.largest()), (Bytes::kib(2048 + 16), Some(NodeId(2))));
        assert_eq!(sizes.on_any(&NodeSet::parse_list("0,8").unwrap()), Bytes::kib(16));
    }

    #[test]
    fn absurd_counts_stop_at_the_largest_size() {
        let sizes = ByNode::of_pages(&[(NodeId(0), u64::MAX), (NodeId(0), 9)], Bytes::gib(1));
        assert_eq!(sizes.total(), Bytes(u64::MAX));
    }

    #[test]
    fn json_is_a_list_of_nodes() {
        let sizes = ByNode::of_pages(&[(NodeId(255), 1)], Bytes(4096));
        assert_eq!(serde_json::to_string(&sizes).unwrap(), r#"[{"node":255,"bytes":4096}]"#);
    }
}
