//! Builds a tree from the kernel's folders (nodes) and files (properties).

use super::{DeviceTree, meaning};
use super::{MAX_DEPTH, RawNodes, wanted};
use crate::fault::{FaultKind, Faults};

/// Maximum number of nodes. Large systems on chip have about 2,000.
const MAX_NODES: usize = 50_000;

/// Builds a tree from nodes and properties that are added one by one.
#[derive(Debug)]
pub struct TreeBuilder {
    nodes: RawNodes,
    faults: Faults,
}

/// A node in the tree being built.
#[derive(Clone, Copy, Debug)]
pub struct BuiltNode {
    index: usize,
    level: usize,
}

/// A tree with only its root.
impl Default for TreeBuilder {
    fn default() -> Self {
        let mut nodes = RawNodes::default();
        nodes.add(b"", None);
        Self { nodes, faults: Faults::default() }
    }
}

impl TreeBuilder {
    /// The root node.
    pub fn root(&self) -> BuiltNode {
        BuiltNode { index: 0, level: 0 }
    }

    /// Whether properties with this name are used. Others need not be read.
    pub fn keeps(name: &str) -> bool {
        wanted(name.as_bytes()).is_some()
    }

    /// Adds a property. Unused ones are ignored.
    pub fn add_property(&mut self, node: BuiltNode, name: &str, value: &[u8]) {
        self.nodes.0[node.index].add(name.as_bytes(), value);
    }

    /// Adds a child node. `None` if the tree is too deep (16 levels) or too large (50,000 nodes): a
    /// fault names `path`, and nothing below it need be read.
    pub fn add_node(&mut self, parent: BuiltNode, name: &str, path: &str) -> Option<BuiltNode> {
        let level = parent.level + 1;
        if level == MAX_DEPTH || self.nodes.0.len() == MAX_NODES {
            self.faults
                .add(0, FaultKind::Flood, || format!("{path} and its children are not read"));
            return None;
        }
        Some(BuiltNode { index: self.nodes.add(name.as_bytes(), Some(parent.index)), level })
    }

    /// Decodes the nodes.
    ///
    /// # References
    ///
    /// Documentation/devicetree/bindings/numa.txt
    pub fn build(self) -> DeviceTree {
        meaning::decode(&self.nodes, self.faults)
    }
}
