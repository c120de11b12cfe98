//! Distances between nodes: as firmware claims them, else 10 and 20.

use std::collections::BTreeMap;

use nearfar_model::{DistanceMatrix, NodeId};

use crate::linux::prediction::{DistanceOrigin, PredictedNode};

const LOCAL: u32 = 10;
const REMOTE: u32 = 20;
/// Maximum number of nodes whose distances are computed.
const MAX_NODES: usize = 1024;

/// Distances from node to node.
pub(super) type DistancePairs = BTreeMap<(NodeId, NodeId), u32>;

/// Firmware's distances that the kernel accepts, possibly none; `None` if unknown.
pub(super) type ClaimedDistances = Option<DistancePairs>;

/// The distances between online nodes, as in sysfs.
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
