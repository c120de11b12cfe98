//! The placements that are worth trying on a machine when nobody names any.

use nearfar_machine::Topology;
use nearfar_model::NodeId;

use super::Placement;

/// How far a node's memory is from a node's CPUs, in any unit: what firmware claims, or what a survey measured.
pub type Farness<'a> = &'a dyn Fn(NodeId, NodeId) -> Option<f64>;

/// Distances that differ by less are one.
const SAME: f64 = 0.04;

/// Unbound; the first node's memory from its own CPUs and from one node at each farther distance; dealt out over all nodes; and by CPUs.
pub fn usual(topology: &Topology, farness: Farness<'_>) -> Vec<Placement> {
    let with_memory = |id: &NodeId| {
        topology.allowed.nodes.contains(*id) && topology.node(*id).is_some_and(nearfar_machine::Node::has_memory)
    };
    let memories: Vec<NodeId> = topology.nodes.iter().map(|node| node.id).filter(with_memory).collect();
    let has_cpus = |node: &&nearfar_machine::Node| !node.cpus.is_disjoint(&topology.allowed.cpus);
    let home = topology.nodes.iter().filter(has_cpus).map(|node| node.id).find(with_memory);
    let mut all = vec![Placement::Unbound];
    if let Some(home) = home.filter(|_| memories.len() > 1) {
        all.push(Placement::Local(home));
        all.extend(one_at_each_distance(home, &memories, farness));
        all.push(Placement::Interleave);
    }
    all.extend(by_cpus(topology));
    all
}

/// One remote placement for each distance that the others have from this node, the nearest first.
fn one_at_each_distance(home: NodeId, memories: &[NodeId], farness: Farness<'_>) -> Vec<Placement> {
    let others = memories.iter().filter(|&&memory| memory != home);
    let mut far: Vec<(f64, NodeId)> =
        others.map(|&memory| (farness(home, memory).unwrap_or(f64::MAX), memory)).collect();
    far.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    far.dedup_by(|next, known| next.0 <= known.0 * (1.0 + SAME));
    far.into_iter().map(|(_, memory)| Placement::Remote { cpus: home, memory }).collect()
}

fn by_cpus(topology: &Topology) -> Vec<Placement> {
    let usable = topology.online().intersection(&topology.allowed.cpus);
    let caches = topology.last_level_groups().iter().filter(|group| !group.is_disjoint(&usable)).count();
    let cores = topology.cores().iter().filter(|core| !core.cpus.is_disjoint(&usable)).count();
    let mut all = Vec::new();
    if topology.nodes.iter().filter(|node| !node.cpus.is_disjoint(&usable)).count() > 1 || caches > 1 {
        all.extend([Placement::Spread, Placement::Packed]);
    }
    if cores < usable.len() {
        all.push(Placement::OnePerCore);
    }
    if caches > 1 && caches < cores {
        all.push(Placement::OnePerCache);
    }
    all
}
