//! The kernel's shape of a tree, node by node: there each is a folder, and each property a file.

use super::node::{MAX_DEPTH, RawNodes, wanted};
use super::{DeviceTree, meaning};
use crate::fault::{FaultKind, Faults};

/// The most nodes that are kept. Large systems on chip have some 2,000.
const MAX_NODES: usize = 50_000;

/// Builds a tree of nodes and properties that are handed over one by one.
#[derive(Debug)]
pub struct TreeBuilder {
    nodes: RawNodes,
    faults: Faults,
}

/// A node of the tree that is built.
#[derive(Clone, Copy, Debug)]
pub struct BuiltNode {
    index: usize,
    level: usize,
}

/// A tree with its root alone.
impl Default for TreeBuilder {
    fn default() -> Self {
        let mut nodes = RawNodes::default();
        nodes.add(b"", None);
        Self { nodes, faults: Faults::default() }
    }
}

impl TreeBuilder {
    /// The node that all others are below.
    pub fn root(&self) -> BuiltNode {
        BuiltNode { index: 0, level: 0 }
    }

    /// Whether a property of this name is kept; others need not be read.
    pub fn keeps(name: &str) -> bool {
        wanted(name.as_bytes()).is_some()
    }

    /// Adds a property, if it is one that is kept.
    pub fn add_property(&mut self, node: BuiltNode, name: &str, value: &[u8]) {
        self.nodes.0[node.index].add(name.as_bytes(), value);
    }

    /// Adds a node below another. None where the tree would be too deep or too large: a fault names
    /// the node's path, and nothing below it need be read.
    pub fn add_node(&mut self, parent: BuiltNode, name: &str, path: &str) -> Option<BuiltNode> {
        let level = parent.level + 1;
        if level == MAX_DEPTH || self.nodes.0.len() == MAX_NODES {
            self.faults
                .add(0, FaultKind::Flood, || format!("{path} and what is below are not read"));
            return None;
        }
        Some(BuiltNode { index: self.nodes.add(name.as_bytes(), Some(parent.index)), level })
    }

    /// What the nodes say.
    pub fn build(self) -> DeviceTree {
        meaning::of(&self.nodes, self.faults)
    }
}
