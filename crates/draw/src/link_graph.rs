//! Nodes on a circle and the links between them.

use crate::{Heading, PlanLink};

/// Which nodes are connected directly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkGraph {
    /// Title and description.
    pub heading: Heading,
    /// The nodes: number and name; neighbours of one package stand beside each other in this order.
    pub nodes: Vec<GraphNode>,
    /// The links.
    pub links: Vec<PlanLink>,
}

/// A node of the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphNode {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What it belongs to (nodes of one package are drawn as one arc), or nothing.
    pub group: String,
}
