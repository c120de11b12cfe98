//! Which nodes are connected directly.

use nearfar_infer::classes::Refused;
use nearfar_infer::links::{Edge, Links};
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
    pub(super) fn of(found: Result<Links, Refused>) -> Self {
        match found {
            Ok(links) => Self::said(links),
            Err(refused) => Self::refused(refused.to_string()),
        }
    }

    /// Nothing, for this reason.
    pub fn refused(why: String) -> Self {
        Self { refused: Some(why), ..Self::default() }
    }

    fn said(links: Links) -> Self {
        let link = |edge: Edge| NodeLink { a: edge.a, b: edge.b, support: edge.support };
        let hops = |hops: Vec<nearfar_infer::links::Hops>| {
            hops.into_iter().map(|one| NodeHops { a: one.a, b: one.b, hops: one.hops }).collect()
        };
        Self {
            nodes: links.nodes,
            edges: links.edges.into_iter().map(link).collect(),
            open: links.open.into_iter().map(link).collect(),
            ways: links.ways.into_iter().map(|way| NodeWay { a: way.a, b: way.b, via: way.via }).collect(),
            hops: links.hops.map(hops),
            no_hops_because: links.no_hops_because,
            refused: None,
        }
    }
}
