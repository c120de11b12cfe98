//! Short lists in a cell: memory and threads by node, movements.

use std::cmp::Reverse;

use crate::columns::value::{MovingMemory, NodeBytes, NodeThreads};

use super::amount;

/// Nodes in a cell at most: the largest.
const MOST: usize = 4;

/// "0:1.2G 1:300M"; of many nodes the largest, and the number of the others.
pub(crate) fn memory(by_node: &[NodeBytes]) -> String {
    let mut nodes: Vec<&NodeBytes> = by_node.iter().filter(|one| one.bytes.0 > 0).collect();
    let others = nodes.len().saturating_sub(MOST);
    nodes.sort_by_key(|node| Reverse(node.bytes));
    nodes.truncate(MOST);
    nodes.sort_by_key(|node| node.node);
    let texts = nodes.iter().map(|node| format!("{}:{}", node.node, amount::bytes(node.bytes)));
    joined(texts.collect(), others)
}

/// "0:4 1:2".
pub(crate) fn threads(by_node: &[NodeThreads]) -> String {
    let mut nodes: Vec<&NodeThreads> = by_node.iter().collect();
    let others = nodes.len().saturating_sub(MOST);
    nodes.sort_by_key(|node| Reverse(node.threads));
    nodes.truncate(MOST);
    nodes.sort_by_key(|node| node.node);
    joined(nodes.iter().map(|node| format!("{}:{}", node.node, node.threads)).collect(), others)
}

fn joined(texts: Vec<String>, others: usize) -> String {
    let others = (others > 0).then(|| format!("+{others}"));
    texts.into_iter().chain(others).collect::<Vec<_>>().join(" ")
}

/// "0>1 120M/s".
pub(crate) fn moving(moving: Option<MovingMemory>) -> String {
    let text = |one: MovingMemory| {
        format!("{}>{} {}", one.from, one.to, amount::byte_rate(one.bytes_per_s))
    };
    moving.map(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, NodeId};

    use super::*;

    #[test]
    fn of_many_nodes_the_largest_are_shown() {
        let nodes = [3, 0, 5, 9, 1, 7].map(Bytes::gib);
        let by_node: Vec<NodeBytes> =
            (0..).map(NodeId).zip(nodes).map(|(node, bytes)| NodeBytes { node, bytes }).collect();
        assert_eq!(memory(&by_node), "0:3.0G 2:5.0G 3:9.0G 5:7.0G +1");
        assert_eq!(memory(&by_node[..2]), "0:3.0G");
        assert_eq!(threads(&[NodeThreads { node: NodeId(8), threads: 2 }]), "8:2");
    }
}
