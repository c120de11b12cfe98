//! What people overlook: programs far from their memory, CPUs left free, memory that no policy
//! reaches.

use nearfar_machine::Topology;
use nearfar_model::NodeSet;
use nearfar_place::Policy;

use super::{CpusExplained, MemoryExplained, format_set};
use crate::launch::placement::MemoryChoice;

pub(super) fn of(
    cpus: &CpusExplained,
    memory: &MemoryExplained,
    choice: Option<&MemoryChoice>,
    topology: &Topology,
) -> Vec<String> {
    let mut remarks = Vec::new();
    if topology.online_nodes().len() < 2 {
        remarks.push(
            "This machine shows one node: every placement is local to it ('nearfar diagnose' \
             explains why)."
                .to_owned(),
        );
    }
    if let Some(nodes) = &memory.nodes {
        remarks.extend(far(cpus, nodes, topology));
        remarks.extend(without_cpus(nodes, topology));
        remarks.extend(free_to_roam(cpus, nodes, choice));
    }
    if memory.chosen {
        remarks.push(
            "The policy is for pages that the program touches first: files that are cached \
             already stay where they are, and shared memory keeps its own policy."
                .to_owned(),
        );
    }
    remarks
}

/// CPUs and memory that share no node.
fn far(cpus: &CpusExplained, nodes: &NodeSet, topology: &Topology) -> Option<String> {
    if cpus.nodes.is_empty() || !cpus.nodes.is_disjoint(nodes) || no_cpus(nodes, topology) == *nodes
    {
        return None;
    }
    let distances = topology.distances.as_ref();
    let nearest = cpus.nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to)));
    let nearest = nearest.filter_map(|(from, to)| distances?.between(from, to)).min();
    let claimed = nearest
        .map(|distance| format!(", at a claimed distance of {distance} where 10 is local"))
        .unwrap_or_default();
    Some(format!(
        "Every access crosses the machine: it runs on {}, and its memory is on {}{claimed}.",
        format_set(&cpus.nodes),
        format_set(nodes)
    ))
}

fn no_cpus(nodes: &NodeSet, topology: &Topology) -> NodeSet {
    topology
        .nodes
        .iter()
        .filter(|node| nodes.contains(node.id) && node.cpus.is_empty())
        .map(|node| node.id)
        .collect()
}

fn without_cpus(nodes: &NodeSet, topology: &Topology) -> Option<String> {
    let bare = no_cpus(nodes, topology);
    let verb = if bare.len() == 1 { "has" } else { "have" };
    (!bare.is_empty()).then(|| {
        format!("No CPU is near: {} {verb} memory only (CXL, HBM, a device's).", format_set(&bare))
    })
}

/// Memory held in place, CPUs not.
fn free_to_roam(
    cpus: &CpusExplained,
    nodes: &NodeSet,
    choice: Option<&MemoryChoice>,
) -> Option<String> {
    let held = choice
        .is_some_and(|choice| matches!(choice.policy, Policy::Bind(_) | Policy::Preferred(_)));
    let elsewhere = cpus.nodes.difference(nodes);
    if cpus.chosen || !held || elsewhere.is_empty() || cpus.nodes.is_disjoint(nodes) {
        return None;
    }
    Some(format!(
        "Its CPUs are not bound: on {} it is far from its memory; --cpunodebind={nodes} keeps it \
         near.",
        format_set(&elsewhere)
    ))
}
