//! What a plan adds to a node: caches in front of its memory, whose memory it is, what is not
//! allowed.

use std::collections::BTreeMap;

use nearfar_model::{NodeId, NodeSet};
use nearfar_survey::{ClaimedNode, ClaimedParts, Claims};
use nearfar_view::text::{IN_A_LINE, named_nodes, short_list};

/// By node without CPUs, the initiators with the least latency that firmware claims.
pub(super) fn nearest(claims: &Claims) -> BTreeMap<NodeId, NodeSet> {
    let cells = claims.hmat.iter().flat_map(|hmat| &hmat.cells);
    let has_cpus = |id: NodeId| claims.nodes.iter().any(|n| n.id == id && !n.cpus.is_empty());
    let mut found: BTreeMap<NodeId, (u64, NodeSet)> = BTreeMap::new();
    for cell in cells.filter(|cell| has_cpus(cell.initiator) && !has_cpus(cell.target)) {
        let Some(ns) = cell.read_latency_ns else { continue };
        let (least, nodes) = found.entry(cell.target).or_insert((ns, NodeSet::new()));
        if ns < *least {
            (*least, *nodes) = (ns, NodeSet::new());
        }
        if ns == *least {
            nodes.insert(cell.initiator);
        }
    }
    found.into_iter().map(|(node, (_, nodes))| (node, nodes)).collect()
}

/// Lines beneath a node's name.
pub(super) fn facts(
    node: &ClaimedNode,
    parts: &ClaimedParts,
    nearest: &BTreeMap<NodeId, NodeSet>,
) -> Vec<String> {
    let caches = parts.side_caches.iter().filter(|cache| cache.node == node.id);
    let caches = caches.map(|cache| match cache.bytes {
        Some(bytes) => format!("cache in front of its memory: {bytes}"),
        None => "cache in front of its memory: size unknown".to_owned(),
    });
    let nearest = nearest.get(&node.id);
    let nearest = nearest.map(|nodes| format!("nearest, as claimed: {}", named_nodes(nodes)));
    let memory = parts.disallowed_nodes.contains(node.id);
    let memory = memory.then(|| "memory not allowed here".to_owned());
    let cpus = node.cpus.intersection(&parts.disallowed_cpus);
    let cpus = (!cpus.is_empty()).then(|| {
        let noun = if cpus.len() == 1 { "CPU" } else { "CPUs" };
        format!("{noun} {} not allowed here", short_list(&cpus, IN_A_LINE))
    });
    caches.chain(nearest).chain(memory).chain(cpus).collect()
}

/// What "not allowed here" means.
pub(super) fn disallowed_note(parts: &ClaimedParts) -> Option<String> {
    let is_any = !parts.disallowed_cpus.is_empty() || !parts.disallowed_nodes.is_empty();
    is_any.then(|| {
        "Not allowed here: a cpuset or an affinity keeps programs of this user away.".to_owned()
    })
}
