//! Where to run programs on a NUMA machine.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::Numa;
use nearfar_infer::classes::LatencyClass;
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_survey::{ClaimedNode, Survey};

use crate::survey::cell::GB;

/// The least gain in bandwidth that recommends interleaving (5 %).
const GAIN: f64 = 1.05;

/// Whether there are several nodes, and they differ.
fn has_places(survey: &Survey) -> bool {
    survey.verdict.numa == Numa::Yes && survey.machine.nodes > 1
}

fn with_cpus(survey: &Survey) -> impl Iterator<Item = &ClaimedNode> {
    survey.claims.nodes.iter().filter(|node| !node.cpus.is_empty())
}

fn has_memory(node: &ClaimedNode) -> bool {
    node.memory_bytes.is_none_or(|size| size.0 > 0)
}

/// Distance classes, near to far; none of equal nodes.
fn classes(survey: &Survey) -> &[LatencyClass] {
    let classes = survey.classes.as_ref().filter(|_| has_places(survey));
    classes.map(|classes| &classes.classes[..]).unwrap_or_default()
}

/// Run programs that fit into one node on one node.
pub(super) fn one_node(survey: &Survey) -> Option<String> {
    let sizes = with_cpus(survey)
        .filter_map(|node| Some((node.id, node.memory_bytes.filter(|size| size.0 > 0)?)));
    let sizes: BTreeMap<NodeId, Bytes> = sizes.collect();
    let (node, smallest) = (sizes.keys().next()?, sizes.values().min()?);
    let [low, high] = survey.verdict.ci95.filter(|_| has_places(survey))?;
    Some(format!(
        "Run a program that fits into {smallest} on the CPUs and memory of one node: 'nearfar run \
         -N {node} -m {node} PROGRAM'. Its slowest accesses would cost {:.0} to {:.0} % more \
         elsewhere.",
        low * 100.0,
        high * 100.0
    ))
}

/// Groups of near nodes, for programs that need several.
pub(super) fn near_nodes(survey: &Survey) -> Option<String> {
    let classes = classes(survey);
    let apart = |class: &&LatencyClass| class.cells.iter().any(|[cpus, memory]| cpus != memory);
    let mut beyond_own = classes.iter().filter(apart);
    let (near, far) = (beyond_own.next()?, beyond_own.next()?);
    let groups = groups(survey, near);
    let first = groups.first().filter(|first| first.iter().count() > 1)?;
    Some(format!(
        "Run a program that needs several nodes on nodes {}: 'nearfar run -N {first} -m {first} \
         PROGRAM'. They are {:.0} ns apart, other nodes {:.0} ns or more.",
        groups.iter().map(ToString::to_string).collect::<Vec<_>>().join(", or on "),
        near.cost_ns,
        far.cost_ns
    ))
}

/// The nodes with CPUs in groups whose pairs are all of one class; none if the class forms fewer
/// than two groups.
fn groups(survey: &Survey, near: &LatencyClass) -> Vec<NodeSet> {
    let nodes: Vec<u32> =
        with_cpus(survey).filter(|node| has_memory(node)).map(|node| node.id.0).collect();
    let cells: BTreeSet<[u32; 2]> = near.cells.iter().copied().collect();
    let around = |node: u32| -> BTreeSet<u32> {
        nodes
            .iter()
            .copied()
            .filter(|&other| other == node || cells.contains(&[node, other]))
            .collect()
    };
    let groups: BTreeSet<BTreeSet<u32>> = nodes.iter().map(|&node| around(node)).collect();
    let covered: usize = groups.iter().map(BTreeSet::len).sum();
    if covered != nodes.len() || groups.len() < 2 {
        return vec![];
    }
    groups.into_iter().map(|group| group.into_iter().map(NodeId).collect()).collect()
}

/// Memory without CPUs, and the CPUs nearest to it.
pub(super) fn without_cpus(survey: &Survey) -> Option<String> {
    let node =
        survey.claims.nodes.iter().find(|node| node.cpus.is_empty() && has_memory(node))?.id.0;
    let from = |class: &LatencyClass| -> Option<(f64, NodeSet)> {
        let cpus: NodeSet =
            class.cells.iter().filter(|cell| cell[1] == node).map(|cell| NodeId(cell[0])).collect();
        (!cpus.is_empty()).then_some((class.cost_ns, cpus))
    };
    let distances: Vec<(f64, NodeSet)> = classes(survey).iter().filter_map(from).collect();
    let nearest = distances.first()?.1.iter().next()?;
    let each: Vec<String> =
        distances.iter().map(|(cost, cpus)| format!("{cost:.0} ns from {}", named(cpus))).collect();
    Some(format!(
        "Node {node} has memory but no CPUs: {}. Use it for rarely used data of the nearest CPUs: \
         'nearfar run -N {nearest} -m {nearest},{node} PROGRAM' overflows into it.",
        each.join(", ")
    ))
}

fn named(nodes: &NodeSet) -> String {
    let plural = if nodes.iter().nth(1).is_some() { "nodes" } else { "node" };
    format!("{plural} {nodes}")
}

/// Interleave memory that all CPUs use.
pub(super) fn shared(survey: &Survey) -> Option<String> {
    best_weights(survey).or_else(|| interleaved_evenly(survey))
}

fn best_weights(survey: &Survey) -> Option<String> {
    let best = survey.interleave.as_ref()?.best.first()?;
    let alone = best.one_node_bytes_per_s.filter(|alone| best.bytes_per_s > GAIN * alone)?;
    let set_by = best
        .set_by
        .as_ref()
        .map_or_else(String::new, |command| format!("'{command}' (as root), then "));
    Some(format!(
        "Memory interleaved with the weights {} reaches {:.1} GB/s ({}), the best node alone \
         {:.1}: {set_by}'{}'.",
        best.weights,
        best.bytes_per_s / GB,
        best.kernel,
        alone / GB,
        best.run_by
    ))
}

fn interleaved_evenly(survey: &Survey) -> Option<String> {
    let nodes: BTreeSet<u32> =
        with_cpus(survey).filter(|node| has_memory(node)).map(|node| node.id.0).collect();
    let is_between = |class: &&LatencyClass| {
        class.cells.iter().any(|[cpus, memory]| cpus != memory && nodes.contains(memory))
    };
    let farthest = classes(survey).iter().rev().find(is_between)?;
    let set: NodeSet = nodes.iter().copied().map(NodeId).collect();
    (nodes.len() > 1).then(|| {
        format!(
            "Interleave memory that all CPUs use: 'nearfar run -i {set} PROGRAM'. On one \
             node, the farthest CPUs access it in {:.0} ns on average.",
            farthest.cost_ns
        )
    })
}
