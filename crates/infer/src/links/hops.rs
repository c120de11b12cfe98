//! Hop counts along the published links, where they agree with costs.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::graph::Graph;
use super::{Hops, Links};

/// Why hops are not counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NoHops {
    /// The link between two nodes is uncertain.
    UncertainLink {
        /// A node.
        a: u32,
        /// Another.
        b: u32,
    },
    /// No links lead from one node to another.
    NoPath {
        /// A node.
        a: u32,
        /// Another.
        b: u32,
    },
    /// From one node, more hops lead to a nearer node than fewer do.
    MoreHopsNearer {
        /// The node.
        from: u32,
        /// The nearer one.
        nearer: u32,
        /// Hops to it.
        nearer_hops: u32,
        /// The farther one.
        farther: u32,
        /// Hops to it.
        farther_hops: u32,
    },
}

/// Hops between all pairs of nodes, or why they are not counted.
pub(super) fn count(links: &Links, graph: &Graph) -> Result<Vec<Hops>, NoHops> {
    if let Some(open) = links.open.first() {
        return Err(NoHops::UncertainLink { a: open.a, b: open.b });
    }
    let counts: Vec<Vec<Option<u32>>> =
        (0..links.nodes.len()).map(|from| from_node(links, graph, from)).collect();
    let mut hops = Vec::new();
    for (from, (row, &a)) in counts.iter().zip(&links.nodes).enumerate() {
        for (count, &b) in row.iter().zip(&links.nodes).skip(from + 1) {
            let count = count.ok_or(NoHops::NoPath { a, b })?;
            hops.push(Hops { a, b, hops: count });
        }
    }
    agree(&counts, graph, &links.nodes)?;
    Ok(hops)
}

/// Hops from one node to each, breadth first. No path leads through memory without CPUs.
fn from_node(links: &Links, graph: &Graph, from: usize) -> Vec<Option<u32>> {
    let index = |node: u32| links.nodes.binary_search(&node).unwrap_or(0);
    let mut found = vec![None; links.nodes.len()];
    found[from] = Some(0);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((at, hops)) = queue.pop_front() {
        if at != from && !graph.has_cpus[at] {
            continue;
        }
        for edge in &links.edges {
            let (a, b) = (index(edge.a), index(edge.b));
            let next = if a == at { b } else { a };
            if (a == at || b == at) && found[next].is_none() {
                found[next] = Some(hops + 1);
                queue.push_back((next, hops + 1));
            }
        }
    }
    found
}

/// From each node, more hops must not lead to a nearer class than fewer do.
fn agree(counts: &[Vec<Option<u32>>], graph: &Graph, nodes: &[u32]) -> Result<(), NoHops> {
    for from in 0..nodes.len() {
        let mut ways: Vec<(u32, usize, usize)> = graph
            .pairs
            .iter()
            .filter(|pair| pair.ends.contains(&from))
            .filter_map(|pair| {
                let to = if pair.ends[0] == from { pair.ends[1] } else { pair.ends[0] };
                Some((counts[from][to]?, pair.level, to))
            })
            .collect();
        ways.sort_unstable();
        for fewer in &ways {
            if let Some(more) = ways.iter().find(|more| more.0 > fewer.0 && more.1 < fewer.1) {
                return Err(NoHops::MoreHopsNearer {
                    from: nodes[from],
                    nearer: nodes[more.2],
                    nearer_hops: more.0,
                    farther: nodes[fewer.2],
                    farther_hops: fewer.0,
                });
            }
        }
    }
    Ok(())
}
