//! Bandwidth as second evidence: a path through a third node cannot be wider than either half.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{IndirectPath, Links, NodeLink};
use crate::distances::between;
use crate::node_costs::NodeCosts;

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
