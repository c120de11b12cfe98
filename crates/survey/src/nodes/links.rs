//! Which nodes are connected directly.

use nearfar_infer::links::{Edge, Heard, Links, Refused, Way, Witness};
use serde::{Deserialize, Serialize};

/// Links between nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeLinks {
    /// The nodes, in ascending order.
    pub nodes: Vec<u32>,
    /// Pairs that are linked in at least 95 % of all resamples.
    pub edges: Vec<NodeLink>,
    /// Pairs of which the measurements do not tell.
    pub open: Vec<NodeLink>,
    /// Pairs that are not linked, and through whom the way leads.
    pub ways: Vec<NodeWay>,
    /// Hops between all pairs; null where they are not supported.
    pub hops: Option<Vec<NodeHops>>,
    /// Why hops are not counted.
    pub no_hops_because: Option<String>,
    /// Why nothing is said of links.
    pub refused: Option<String>,
}

/// A pair of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeLink {
    /// A node.
    pub a: u32,
    /// Another, of a higher number.
    pub b: u32,
    /// The share of resamples in which they are linked.
    pub support: f64,
    /// Of a link, where bandwidth was measured: "agrees" (nothing around it is as wide), "contradicts" (a way around it is wider: a narrow
    /// link, or none) or "silent".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<String>,
}

/// A pair of nodes that a third one explains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeWay {
    /// A node.
    pub a: u32,
    /// Another, of a higher number.
    pub b: u32,
    /// The node nearest to both.
    pub via: u32,
    /// Where bandwidth was measured: "agrees" (the way is narrower than its halves), "contradicts" (it is wider than any way around: the two
    /// must be linked) or "silent".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<String>,
}

/// How many links lie between two nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeHops {
    /// A node.
    pub a: u32,
    /// Another, of a higher number.
    pub b: u32,
    /// Links on the shortest way.
    pub hops: u32,
}

impl NodeLinks {
    /// What was found, and what bandwidth says of it where that was asked.
    pub(super) fn of(found: Result<Links, Refused>, witness: impl Fn(&Links) -> Option<Witness>) -> Self {
        match found {
            Ok(links) => Self::said(&links, witness(&links)),
            Err(refused) => Self::refused(refused.to_string()),
        }
    }

    /// Nothing, for this reason.
    pub fn refused(why: String) -> Self {
        Self { refused: Some(why), ..Self::default() }
    }

    fn said(links: &Links, witness: Option<Witness>) -> Self {
        let (edges, ways) = witness.map(|witness| (witness.edges, witness.ways)).unwrap_or_default();
        let hops = |hops: &Vec<nearfar_infer::links::Hops>| {
            hops.iter().map(|one| NodeHops { a: one.a, b: one.b, hops: one.hops }).collect()
        };
        Self {
            nodes: links.nodes.clone(),
            edges: links.edges.iter().enumerate().map(|(at, edge)| NodeLink::of(edge, edges.get(at))).collect(),
            open: links.open.iter().map(|edge| NodeLink::of(edge, None)).collect(),
            ways: links.ways.iter().enumerate().map(|(at, way)| NodeWay::of(way, ways.get(at))).collect(),
            hops: links.hops.as_ref().map(hops),
            no_hops_because: links.no_hops_because.clone(),
            refused: None,
        }
    }
}

impl NodeLink {
    fn of(edge: &Edge, heard: Option<&Heard>) -> Self {
        Self { a: edge.a, b: edge.b, support: edge.support, bandwidth: heard.map(name) }
    }
}

impl NodeWay {
    fn of(way: &Way, heard: Option<&Heard>) -> Self {
        Self { a: way.a, b: way.b, via: way.via, bandwidth: heard.map(name) }
    }
}

fn name(heard: &Heard) -> String {
    match heard {
        Heard::Agrees => "agrees",
        Heard::Contradicts => "contradicts",
        Heard::Silent => "silent",
    }
    .to_owned()
}
