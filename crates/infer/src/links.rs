//! Links: which nodes are connected directly?
//!
//! A relative-neighbourhood graph (Toussaint, *Pattern Recognition* 12, 1980): every pair of nodes
//! is linked unless an indirect path through a third node explains its distance. A third node does
//! so when it is nearer to both, by a margin (2.5 %, or three standard errors) and by distance
//! class, since all members of a class have the same distance. Costs of hops do not add up, so
//! nothing is assumed about the cost of two hops. No path leads through a node whose CPUs were not
//! measured (CXL, HBM): a pair that only such a node explains stays open.
//!
//! The *support* of a link is the share of resamples with it. Links with a support of at least 95 %
//! are published, and indirect paths through a node with CPUs likewise; all other pairs stay open.
//! Hops are counted only where no pair is open and where more hops never cost less.

mod bandwidth;
mod graph;
mod hops;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::classes;
use crate::distances::{CostDistance, between};
use crate::node_costs::{NodeCosts, distinct};

pub use bandwidth::{BandwidthCheck, compare_bandwidth};
use graph::Graph;
pub use hops::NoHops;

/// The smallest support of a published link, or of its absence.
pub const SUPPORT: f64 = 0.95;

/// A pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeLink {
    /// A node.
    pub a: u32,
    /// Another, of a higher number.
    pub b: u32,
    /// The share of resamples in which they are linked.
    pub support: f64,
    /// Of a link, where bandwidth was measured: "agrees" (nothing around it is as wide),
    /// "contradicts" (a path around it is wider: a narrow link, or none) or "silent"
    /// (undetermined).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<BandwidthCheck>,
}

/// A pair of nodes without a link, and the node between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IndirectPath {
    /// A node.
    pub a: u32,
    /// Another, of a higher number.
    pub b: u32,
    /// The node nearest to both, of those with CPUs.
    pub via: u32,
    /// Where bandwidth was measured: "agrees" (the path is narrower than its halves), "contradicts"
    /// (it is wider than any path around: the two must be linked) or "silent" (undetermined).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<BandwidthCheck>,
}

/// The number of links between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hops {
    /// A node.
    pub a: u32,
    /// Another, of a higher number.
    pub b: u32,
    /// Links on the shortest path.
    pub hops: u32,
}

/// Links, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Links {
    /// The nodes, in ascending order.
    pub nodes: Vec<u32>,
    /// Pairs that are linked in at least 95 % of all resamples.
    pub edges: Vec<NodeLink>,
    /// Undetermined pairs.
    pub open: Vec<NodeLink>,
    /// Pairs without a link, and the node between them.
    #[serde(rename = "ways")]
    pub paths: Vec<IndirectPath>,
    /// Hops between all pairs; null where they are undetermined.
    pub hops: Option<Vec<Hops>>,
    /// Why hops are not counted.
    pub no_hops_because: Option<NoHops>,
}

/// Why there are no links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NoLinks {
    /// Costs without classes show no links.
    Unclassified {
        /// Why there are no classes.
        reason: classes::NoClasses,
    },
    /// Too few nodes with memory and CPUs to reach it.
    FewNodes {
        /// Number of such nodes.
        nodes: usize,
    },
    /// Latency was not measured.
    NotMeasured,
    /// The document has no samples.
    NoSamples,
    /// Fewer than two nodes have memory.
    OneMemory,
    /// A node's local memory is as far as all other memory, within the classes' 4 %.
    OneDistance,
    /// The cost of a pair is unknown, and links need every pair.
    Incomplete {
        /// A node.
        a: u32,
        /// Another.
        b: u32,
    },
}

impl From<classes::NoClasses> for NoLinks {
    fn from(reason: classes::NoClasses) -> Self {
        Self::Unclassified { reason }
    }
}

/// The links between all nodes; an error where the data is insufficient.
pub fn links(costs: &NodeCosts) -> Result<Links, NoLinks> {
    let levels = classes::levels(costs)?;
    let nodes = distinct(costs.cpu_nodes().iter().chain(costs.memory_nodes()));
    if nodes.len() < 3 {
        return Err(NoLinks::FewNodes { nodes: nodes.len() });
    }
    let knows_own = nodes.iter().any(|&node| between(costs, node, node).is_some());
    if knows_own && levels.count() == 1 {
        return Err(NoLinks::OneDistance);
    }
    let distances = distances(costs, &nodes)?;
    let graph = Graph::new(costs, &nodes, distances, &levels);
    let mut links = graph.links(costs);
    match hops::count(&links, &graph) {
        Ok(hops) => links.hops = Some(hops),
        Err(why) => links.no_hops_because = Some(why),
    }
    Ok(links)
}

/// Of each pair of nodes, by index; `None` where neither has CPUs, or neither memory.
fn distances(costs: &NodeCosts, nodes: &[u32]) -> Result<Vec<Vec<Option<CostDistance>>>, NoLinks> {
    let reachable =
        |a: u32, b: u32| costs.cpu_nodes().contains(&a) && costs.memory_nodes().contains(&b);
    let of_pair = |a: u32, b: u32| match between(costs, a, b) {
        None if reachable(a, b) || reachable(b, a) => {
            Err(NoLinks::Incomplete { a: a.min(b), b: a.max(b) })
        }
        found => Ok(found.filter(|_| a != b)),
    };
    nodes
        .iter()
        .map(|&a| nodes.iter().map(|&b| if a == b { Ok(None) } else { of_pair(a, b) }).collect())
        .collect()
}
