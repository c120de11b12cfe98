//! The placements that are worth trying on a machine where the user names none.

use nearfar_machine::Topology;
use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use super::SweepPlacement;

/// A distance between nodes, in any unit: what firmware claims, or what a survey measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDistance {
    /// The distance.
    pub value: f64,
    /// How well it is known, where it was measured.
    pub interval: Option<[f64; 2]>,
}

/// How far a node's memory is from a node's CPUs; none where it is unknown.
pub type DistanceSource<'a> = &'a dyn Fn(NodeId, NodeId) -> Option<NodeDistance>;

/// The source of distances between nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum ChosenBy {
    /// A kept survey.
    Survey {
        /// Its file.
        file: String,
    },
    /// Distances that firmware claims.
    Firmware,
    /// The machine's shape: distances are unknown.
    Shape,
}

/// Distances that differ by less are one.
const SAME: f64 = 0.04;

impl NodeDistance {
    /// Whether nothing shows that it is farther than one that is not greater.
    fn is_no_farther_than(&self, other: &Self) -> bool {
        let overlap =
            self.interval.zip(other.interval).is_some_and(|([low, _], [_, high])| low <= high);
        overlap || self.value <= other.value * (1.0 + SAME)
    }
}

/// Unbound; the first node's memory from its own CPUs and from one node at each farther distance;
/// dealt out over all nodes; and by CPUs.
pub fn usual(topology: &Topology, distance: DistanceSource<'_>) -> Vec<SweepPlacement> {
    let with_memory = |id: &NodeId| {
        topology.allowed.nodes.contains(*id)
            && topology.node(*id).is_some_and(nearfar_machine::Node::has_memory)
    };
    let memories: Vec<NodeId> =
        topology.nodes.iter().map(|node| node.id).filter(with_memory).collect();
    let has_cpus = |node: &&nearfar_machine::Node| !node.cpus.is_disjoint(&topology.allowed.cpus);
    let home = topology.nodes.iter().filter(has_cpus).map(|node| node.id).find(with_memory);
    let mut all = vec![SweepPlacement::Unbound];
    if let Some(home) = home.filter(|_| memories.len() > 1) {
        all.push(SweepPlacement::Local(home));
        all.extend(one_at_each_distance(home, &memories, distance));
        all.push(SweepPlacement::Interleave);
    }
    all.extend(by_cpus(topology));
    all
}

/// One remote placement for each distance that the others have from this node, the nearest first.
fn one_at_each_distance(
    home: NodeId,
    memories: &[NodeId],
    distance: DistanceSource<'_>,
) -> Vec<SweepPlacement> {
    let others = memories.iter().filter(|&&memory| memory != home);
    let unknown = NodeDistance { value: f64::MAX, interval: None };
    let mut far: Vec<(NodeDistance, NodeId)> =
        others.map(|&memory| (distance(home, memory).unwrap_or(unknown), memory)).collect();
    far.sort_by(|a, b| a.0.value.total_cmp(&b.0.value).then(a.1.cmp(&b.1)));
    far.dedup_by(|next, known| next.0.is_no_farther_than(&known.0));
    far.into_iter().map(|(_, memory)| SweepPlacement::Remote { cpus: home, memory }).collect()
}

fn by_cpus(topology: &Topology) -> Vec<SweepPlacement> {
    let usable = topology.online().intersection(&topology.allowed.cpus);
    let caches =
        topology.last_level_groups().iter().filter(|group| !group.is_disjoint(&usable)).count();
    let cores = topology.cores().iter().filter(|core| !core.cpus.is_disjoint(&usable)).count();
    let mut all = Vec::new();
    if topology.nodes.iter().filter(|node| !node.cpus.is_disjoint(&usable)).count() > 1
        || caches > 1
    {
        all.extend([SweepPlacement::Spread, SweepPlacement::Packed]);
    }
    if cores < usable.len() {
        all.push(SweepPlacement::OnePerCore);
    }
    if caches > 1 && caches < cores {
        all.push(SweepPlacement::OnePerCache);
    }
    all
}
