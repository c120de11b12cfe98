//! What remote memory costs a process, and what would help.

use nearfar_live::{Interval, NodeWeights, remote_share};
use nearfar_machine::process::NodeSummaries;
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_process::PageSample;

use crate::FLOOR;
use crate::access_costs::AccessCosts;
use crate::cure::{Cure, CureKind};
use crate::document::{ExplainedProcess, NodeShare, ProcessVerdict};
use crate::obstacle::Obstacle;
use crate::saving::{Placement, Scenario};

/// A process, as it was observed.
#[derive(Clone, Debug, Default)]
pub struct ObservedProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its memory.
    pub memory: Bytes,
    /// A sample of its pages.
    pub pages: PageSample,
    /// The CPU time of its threads by node; the sum is 1.
    pub weights: NodeWeights,
    /// Number of threads.
    pub threads: usize,
    /// CPUs that it kept busy while it was observed.
    pub busy_cpus: f64,
    /// Nodes that its cpuset allows for memory; `None` if unknown.
    pub allowed_nodes: Option<NodeSet>,
    /// Locked memory.
    pub locked: Bytes,
    /// Pinned memory.
    pub pinned: Bytes,
    /// Whether it belongs to another user, whose processes this one may not move.
    pub is_of_other_user: bool,
}

/// The machine around a process.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// CPUs and free memory of each node.
    pub nodes: &'a NodeSummaries,
    /// What memory costs, if a survey is kept.
    pub costs: Option<&'a AccessCosts>,
    /// Whether the kernel moves pages by itself; `None` if it cannot.
    pub balancing: Option<bool>,
}

/// What remote memory costs a process, and what would help.
pub fn explain(process: &ObservedProcess, around: &Around<'_>) -> ExplainedProcess {
    // A survey of some nodes cannot show that nothing is to be gained.
    let around =
        &Around { costs: around.costs.filter(|costs| costs.cover(around.nodes)), ..*around };
    let nodes: Vec<NodeId> = around.nodes.with_memory().iter().collect();
    let placement = Placement { pages: &process.pages, weights: &process.weights, nodes: &nodes };
    let ratio = |of, to| around.costs.and_then(|costs| placement.ratio(of, to, costs));
    let share = remote_share(&process.pages, &process.weights, &nodes);
    let cost = ratio(Scenario::AsIs, Scenario::AllLocal).map(|ratio| minus_one(&ratio));
    let cures = if share.is_some() && nodes.len() > 1 {
        cures(process, around, &placement)
    } else {
        Vec::new()
    };
    ExplainedProcess {
        pid: process.pid,
        name: process.name.clone(),
        memory_bytes: process.memory,
        pages_by_node: shares(process),
        threads: process.threads,
        threads_by_node: process
            .weights
            .iter()
            .map(|&(node, share)| NodeShare { node, share })
            .collect(),
        remote_share: share,
        access_ns: around.costs.and_then(|costs| placement.mean_ns(Scenario::AsIs, costs)),
        remote_cost: cost,
        verdict: verdict(process, &nodes, share.as_ref(), around.costs.is_some(), &cures),
        obstacles: obstacles(process, around, page_nodes(&cures).as_ref()),
        cures,
    }
}

fn shares(process: &ObservedProcess) -> Vec<NodeShare> {
    let all = process.pages.pages() as f64;
    let of = |&(node, pages): &(NodeId, u64)| NodeShare { node, share: pages as f64 / all };
    process.pages.by_node.iter().map(of).collect()
}

fn minus_one(ratio: &Interval) -> Interval {
    Interval { value: ratio.value - 1.0, ci95: ratio.ci95.map(|end| end - 1.0) }
}

/// The share that is saved, from the ratio of after to before.
fn saved(ratio: &Interval) -> Interval {
    let [low, high] = ratio.ci95;
    Interval { value: 1.0 - ratio.value, ci95: [1.0 - high, 1.0 - low] }
}

fn verdict(
    process: &ObservedProcess,
    nodes: &[NodeId],
    share: Option<&Interval>,
    has_costs: bool,
    cures: &[Cure],
) -> ProcessVerdict {
    let Some(share) = share else {
        return match process.pages.pages() {
            0 => ProcessVerdict::NoPages,
            _ => ProcessVerdict::NodesUnknown,
        };
    };
    if nodes.len() < 2 {
        return ProcessVerdict::OneNode;
    }
    let best = cures.iter().filter_map(|cure| cure.saving).map(|saving| saving.ci95);
    let best = best.max_by(|[one, _], [other, _]| one.total_cmp(other));
    match best {
        Some([low, _]) if low >= FLOOR => ProcessVerdict::Misplaced,
        Some([_, high]) if high >= FLOOR => ProcessVerdict::Undetermined,
        _ if has_costs => ProcessVerdict::NothingToGain,
        _ if share.ci95[1] < FLOOR => ProcessVerdict::NothingToGain,
        _ => ProcessVerdict::CostUnknown,
    }
}

/// What may help by the floor or more, the most helpful first. Without latencies: pages to the node
/// with the most CPU time, if some are elsewhere.
fn cures(process: &ObservedProcess, around: &Around<'_>, placement: &Placement<'_>) -> Vec<Cure> {
    let saving = |scenario: Scenario<'_>| {
        let ratio = placement.ratio(scenario, Scenario::AsIs, around.costs?)?;
        Some(saved(&ratio)).filter(|saving| saving.ci95[1] >= FLOOR)
    };
    let usable: NodeSet = match &process.allowed_nodes {
        Some(allowed) => around.nodes.with_memory().intersection(allowed),
        None => around.nodes.with_memory(),
    };
    let pages_on = |nodes: &NodeSet| saving(Scenario::PagesOn(nodes));
    let moved = usable.iter().filter_map(|node| {
        Some(Cure {
            kind: CureKind::MovePages { node },
            saving: Some(pages_on(&NodeSet::from_id(node))?),
        })
    });
    let bound = around.nodes.nodes.iter().filter_map(|node| {
        let fits = !node.cpus.is_empty() && process.busy_cpus <= node.cpus.len() as f64;
        let saving = saving(Scenario::ThreadsOn(node.id)).filter(|_| fits)?;
        let kind = CureKind::MoveThreads { node: node.id, cpus: node.cpus.clone() };
        Some(Cure { kind, saving: Some(saving) })
    });
    let homes: NodeSet = process.weights.iter().map(|(node, _)| *node).collect();
    let homes = homes.intersection(&usable);
    let interleaved = (homes.len() > 1).then(|| pages_on(&homes)).flatten();
    let mut all = [best(moved), best(bound)].into_iter().flatten().collect::<Vec<_>>();
    all.extend(interleaved.map(|saving| Cure {
        kind: CureKind::Interleave { nodes: homes.clone() },
        saving: Some(saving),
    }));
    if around.costs.is_none() {
        all.extend(without_costs(process, &usable));
    }
    all.sort_by(|one, other| value(other).total_cmp(&value(one)));
    let pages_help = all.iter().any(|cure| matches!(cure.kind, CureKind::MovePages { .. }));
    if pages_help && around.balancing == Some(false) {
        all.push(Cure { kind: CureKind::Balancing, saving: None });
    }
    all
}

/// Where the first cure that moves pages has them.
fn page_nodes(cures: &[Cure]) -> Option<NodeSet> {
    cures.iter().find_map(|cure| cure.kind.page_nodes())
}

fn value(cure: &Cure) -> f64 {
    cure.saving.map_or(0.0, |saving| saving.value)
}

fn best(cures: impl Iterator<Item = Cure>) -> Option<Cure> {
    cures.max_by(|one, other| value(one).total_cmp(&value(other)))
}

fn without_costs(process: &ObservedProcess, usable: &NodeSet) -> Option<Cure> {
    let usable_weights = process.weights.iter().filter(|(node, _)| usable.contains(*node));
    let (node, _) = *usable_weights.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let is_elsewhere = |&(at, pages): &(NodeId, u64)| at != node && pages > 0;
    let kind = CureKind::MovePages { node };
    process.pages.by_node.iter().any(is_elsewhere).then_some(Cure { kind, saving: None })
}

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
