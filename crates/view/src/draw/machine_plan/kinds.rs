//! Nodes that are drawn by their names alone: what is in them, once for all that are alike.

use super::cache::are_alike;
use super::node::{PAD, put_cpus};
use super::{MachinePlan, PlanNode};
use crate::draw::block::Block;
use crate::text::count;

/// More kinds of nodes than these are left to the table.
const KINDS: usize = 4;

/// Nodes with CPUs that look the same: the first of them, and their number.
pub(super) struct NodeKind<'p> {
    pub(super) first: &'p PlanNode,
    pub(super) nodes: usize,
}

/// The kinds of nodes with CPUs; none where there are many.
pub(super) fn kinds(plan: &MachinePlan) -> Vec<NodeKind<'_>> {
    let packages = plan.packages.iter().flat_map(|package| &package.nodes);
    let mut kinds: Vec<NodeKind<'_>> = Vec::new();
    for node in packages.chain(&plan.apart).filter(|node| node.groups().next().is_some()) {
        match kinds.iter_mut().find(|kind| is_like(kind.first, node)) {
            Some(kind) => kind.nodes += 1,
            None => kinds.push(NodeKind { first: node, nodes: 1 }),
        }
        if kinds.len() > KINDS {
            return Vec::new();
        }
    }
    kinds
}

fn is_like(one: &PlanNode, other: &PlanNode) -> bool {
    one.dies.len() == other.dies.len() && are_alike(one.groups(), other.groups())
}

impl NodeKind<'_> {
    /// "16 nodes alike; node 0:".
    pub(super) fn title(&self) -> String {
        match self.nodes {
            1 => self.first.name.clone(),
            nodes => format!("{} alike; {}:", count(nodes, "node"), self.first.name),
        }
    }

    /// The panel without its frame.
    pub(super) fn block(&self, room: f64) -> Block {
        let inner = room - 2.0 * PAD;
        let mut block = Block::beneath(6.0);
        block.add_line("h", PAD, &self.title(), inner);
        put_cpus(&mut block, self.first, inner);
        block.height += 7.0;
        block
    }
}
