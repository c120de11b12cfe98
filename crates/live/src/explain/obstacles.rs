//! What would keep pages of a process from moving, or bring new ones elsewhere.

use nearfar_model::{Bytes, NodeSet};

use crate::explain::Obstacle;
use crate::explain::{Around, ObservedProcess};

/// What would keep the pages of a process from moving to these nodes.
pub fn obstacles(
    process: &ObservedProcess,
    around: &Around<'_>,
    nodes: Option<&NodeSet>,
) -> Vec<Obstacle> {
    let mut all = Vec::new();
    if process.is_of_other_user {
        all.push(Obstacle::OtherUser);
    }
    if process.locked > Bytes(0) {
        all.push(Obstacle::LockedMemory { bytes: process.locked });
    }
    if process.pinned > Bytes(0) {
        all.push(Obstacle::PinnedMemory { bytes: process.pinned });
    }
    if around.balancing == Some(true) {
        all.push(Obstacle::Balancing);
    }
    let Some(nodes) = nodes else { return all };
    let allowed = process.allowed_nodes.as_ref().filter(|allowed| !nodes.is_subset(allowed));
    all.extend(allowed.map(|allowed| Obstacle::Cpuset { allowed: allowed.clone() }));
    // New pages of a local policy follow the threads; any other keeps its nodes.
    let policy = process.policy.as_ref().filter(|policy| !policy.is_local());
    let foreign = policy.filter(|policy| !policy.nodes().is_subset(nodes));
    all.extend(foreign.map(|policy| Obstacle::Policy {
        policy: policy.text().to_owned(),
        nodes: policy.nodes(),
        wanted: nodes.clone(),
    }));
    let (mut here, pages) = (0.0, process.pages.pages() as f64);
    for &(node, count) in &process.pages.by_node {
        here += if nodes.contains(node) { count as f64 / pages } else { 0.0 };
    }
    let needed = process.memory.0 as f64 * (1.0 - here) / nodes.len() as f64;
    all.extend(nodes.iter().filter_map(|node| {
        let free = around.nodes.node(node)?.free?;
        let needed = Bytes(needed as u64);
        (free < needed).then_some(Obstacle::NoRoom { node, free, needed })
    }));
    all
}
