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

mod graph;
mod hops;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::classes;
use crate::distances::{CostDistance, between};
use crate::node_costs::{NodeCosts, distinct};
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

/// The smallest ratio of two paths' bandwidths that distinguishes them (5 %).
const MARGIN: f64 = 1.05;
/// The smallest such difference in standard errors.
const ERRORS: f64 = 3.0;

/// The evidence of bandwidths for a pair's link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BandwidthCheck {
    /// Of a link: it is wider than a half of every path around it, so nothing else carries it. Of a
    /// path: it is narrower than both its halves.
    Agrees,
    /// Of a link: some path around it has two wider halves, so that it is a narrow link, or none.
    /// Of a path: it is wider than a half of every path there is, so that the two must be linked.
    Contradicts,
    /// The data is insufficient or missing.
    #[serde(rename = "silent")]
    Undetermined,
}

/// Compares the links of a matrix of latencies with one of bandwidths (more is better).
pub fn compare_bandwidth(links: &mut Links, bandwidth: &NodeCosts) {
    let widths = Widths::new(&links.nodes, bandwidth);
    links.edges.iter_mut().for_each(|edge| edge.bandwidth = Some(widths.for_edge(edge)));
    links.paths.iter_mut().for_each(|path| path.bandwidth = Some(widths.for_path(path)));
}

/// A bandwidth's logarithm, and its standard error.
type Width = (f64, f64);

/// The bandwidth between each two nodes, lower number first.
struct Widths<'a> {
    nodes: &'a [u32],
    /// Nodes that paths may lead through.
    with_cpus: &'a [u32],
    known: BTreeMap<(u32, u32), Width>,
}

impl<'a> Widths<'a> {
    fn new(nodes: &'a [u32], bandwidth: &'a NodeCosts) -> Self {
        let mut known = BTreeMap::new();
        for (at, &a) in nodes.iter().enumerate() {
            for &b in &nodes[at + 1..] {
                let width =
                    between(bandwidth, a, b).map(|distance| (distance.log, distance.se(bandwidth)));
                known.extend(width.map(|width| ((a, b), width)));
            }
        }
        Self { nodes, with_cpus: bandwidth.cpu_nodes(), known }
    }

    fn between(&self, a: u32, b: u32) -> Option<Width> {
        self.known.get(&(a.min(b), a.max(b))).copied()
    }

    /// Both halves of each path from a node to another through a third one.
    fn around<'b>(
        &'b self,
        through: &'b [u32],
        a: u32,
        b: u32,
    ) -> impl Iterator<Item = [Width; 2]> + 'b {
        let third = through.iter().filter(move |&&node| node != a && node != b);
        third.filter_map(move |&node| Some([self.between(a, node)?, self.between(node, b)?]))
    }

    /// Whether only a direct link can have this bandwidth.
    fn needs_a_link(&self, a: u32, b: u32, whole: Width) -> bool {
        let mut around = self.around(self.nodes, a, b).peekable();
        around.peek().is_some()
            && around.all(|halves| halves.into_iter().any(|half| is_wider(whole, half)))
    }

    fn for_edge(&self, edge: &NodeLink) -> BandwidthCheck {
        let Some(whole) = self.between(edge.a, edge.b) else { return BandwidthCheck::Undetermined };
        let is_narrow = |halves: [Width; 2]| halves.into_iter().all(|half| is_wider(half, whole));
        if self.around(self.with_cpus, edge.a, edge.b).any(is_narrow) {
            BandwidthCheck::Contradicts
        } else if self.needs_a_link(edge.a, edge.b, whole) {
            BandwidthCheck::Agrees
        } else {
            BandwidthCheck::Undetermined
        }
    }

    fn for_path(&self, path: &IndirectPath) -> BandwidthCheck {
        let known = |a, b| self.between(a, b);
        let (Some(whole), Some(there), Some(on)) =
            (known(path.a, path.b), known(path.a, path.via), known(path.via, path.b))
        else {
            return BandwidthCheck::Undetermined;
        };
        if self.needs_a_link(path.a, path.b, whole) {
            BandwidthCheck::Contradicts
        } else if is_wider(there, whole) && is_wider(on, whole) {
            BandwidthCheck::Agrees
        } else {
            BandwidthCheck::Undetermined
        }
    }
}

fn is_wider((wide, wide_se): Width, (narrow, narrow_se): Width) -> bool {
    wide - narrow > MARGIN.ln().max(ERRORS * wide_se.hypot(narrow_se))
}
