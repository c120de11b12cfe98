//! Distances between nodes: what firmware claims, and 10 and 20 where it claims nothing.

use std::collections::BTreeMap;

use nearfar_model::{DistanceMatrix, NodeId};

use crate::prediction::{DistanceOrigin, PredictedNode};

const LOCAL: u32 = 10;
const REMOTE: u32 = 20;
/// The most nodes whose distances are worked out.
const MAX_NODES: usize = 1024;

/// Distances from node to node.
pub(super) type DistancePairs = BTreeMap<(NodeId, NodeId), u32>;

/// What firmware claims, as far as the kernel takes it, which may be nothing; none where it is not
/// to be known.
pub(super) type ClaimedDistances = Option<DistancePairs>;

/// The distances between nodes that are in use, as sysfs shows them.
pub(super) fn between(
    nodes: &[PredictedNode],
    claimed: &ClaimedDistances,
) -> (Option<DistanceMatrix>, DistanceOrigin) {
    let ids: Vec<NodeId> =
        nodes.iter().filter(|node| node.online).map(|node| node.id).take(MAX_NODES).collect();
    let Some(pairs) = claimed else { return (None, DistanceOrigin::Unknown) };
    let one = |from: NodeId, to: NodeId| {
        let usual = if from == to { LOCAL } else { REMOTE };
        pairs.get(&(from, to)).copied().unwrap_or(usual)
    };
    let rows = ids.iter().map(|&from| ids.iter().map(|&to| one(from, to)).collect()).collect();
    let origin = if pairs.is_empty() { DistanceOrigin::Default } else { DistanceOrigin::Firmware };
    (DistanceMatrix::new(ids, rows).ok(), origin)
}
