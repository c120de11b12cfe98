//! What the place of its memory costs a process, and what may help.

use nearfar_model::NodeId;
use nearfar_process::Locality;

use crate::explain::AccessCosts;
use crate::explain::Cure;
use crate::explain::FLOOR;
use crate::explain::Obstacle;
use crate::explain::bounds::Accesses;
use crate::explain::document::{ExplainedProcess, NodeShare, ProcessVerdict};
use crate::explain::obstacles::obstacles;
use crate::explain::possible_cures::{cures_without_costs, may_gain, possible_cures};
use crate::explain::{Around, ObservedProcess};
use crate::{Interval, remote_share};

/// What the place of its memory costs a process, and what may help.
pub fn explain(process: &ObservedProcess, around: &Around<'_>) -> ExplainedProcess {
    // A survey of some nodes cannot show that nothing is to be gained.
    let costs = around.costs.filter(|costs| costs.cover(around.nodes));
    let nodes: Vec<NodeId> = around.nodes.with_memory().iter().collect();
    let share = remote_share(&process.pages, &process.weights, &nodes);
    let accesses = costs.map(|costs| accesses(process, costs));
    let cures = match &accesses {
        _ if share.is_none() || nodes.len() < 2 => Vec::new(),
        Some(accesses) => possible_cures(process, around, accesses),
        None => cures_without_costs(process, around),
    };
    let cost = accesses.as_ref().and_then(|all| all.cost(&process.usable_nodes(around.nodes)));
    let times = accesses.as_ref().and_then(Accesses::times);
    let all = process.pages.pages() as f64;
    ExplainedProcess {
        pid: process.pid,
        name: process.name.clone(),
        memory_bytes: process.memory,
        pages_by_node: shares(process.pages.by_node.iter().map(|(id, n)| (*id, *n as f64 / all))),
        pages_located: process.pages.pages(),
        all_pages_located: process.pages.is_whole,
        threads: process.threads,
        threads_by_node: shares(process.weights.iter().copied()),
        remote_share: share,
        fastest_access: times.map(|[fastest, _]| fastest),
        slowest_access: times.map(|[_, slowest]| slowest),
        remote_cost: cost,
        verdict: verdict(process, around, share.as_ref(), accesses.as_ref(), &cures),
        obstacles: obstacles_of_all(process, around, &cures),
        cures,
    }
}

/// The accesses of its threads to the pages that were located.
fn accesses<'c>(process: &ObservedProcess, costs: &'c AccessCosts) -> Accesses<'c> {
    let threads = process.weights.iter().filter(|(_, weight)| *weight > 0.0);
    let pages = process.pages.by_node.iter().filter(|(_, pages)| *pages > 0);
    let threads: Vec<NodeId> = threads.map(|(node, _)| *node).collect();
    Accesses::new(&threads, &pages.map(|(node, _)| *node).collect::<Vec<_>>(), costs)
}

fn shares(shares: impl Iterator<Item = (NodeId, f64)>) -> Vec<NodeShare> {
    shares.map(|(node, share)| NodeShare { node, share }).collect()
}

fn verdict(
    process: &ObservedProcess,
    around: &Around<'_>,
    share: Option<&Interval>,
    accesses: Option<&Accesses<'_>>,
    cures: &[Cure],
) -> ProcessVerdict {
    let Some(share) = share else {
        return match process.pages.pages() {
            0 => ProcessVerdict::NoPages,
            _ => ProcessVerdict::NodesUnknown,
        };
    };
    let nodes = around.nodes.with_memory().len();
    let locality = Locality::judge(nodes, Some(share.ci95[1]), FLOOR);
    if locality == Locality::OneNode {
        return ProcessVerdict::OneNode;
    }
    let Some(accesses) = accesses.filter(|accesses| accesses.times().is_some()) else {
        return match locality {
            Locality::Local => ProcessVerdict::NothingToGain,
            _ => ProcessVerdict::CostUnknown,
        };
    };
    if cures.iter().any(Cure::is_always_faster) {
        ProcessVerdict::Misplaced
    } else if !cures.is_empty() {
        ProcessVerdict::DependsOnUse
    } else if may_gain(process, around, accesses) {
        ProcessVerdict::Undetermined
    } else {
        ProcessVerdict::NothingToGain
    }
}

/// What would keep pages from moving to where a cure has them, each once.
fn obstacles_of_all(
    process: &ObservedProcess,
    around: &Around<'_>,
    cures: &[Cure],
) -> Vec<Obstacle> {
    let mut all = obstacles(process, around, None);
    for nodes in cures.iter().filter_map(|cure| cure.kind.page_nodes()) {
        let more = obstacles(process, around, Some(&nodes));
        all.extend(more.into_iter().filter(|one| !all.contains(one)).collect::<Vec<_>>());
    }
    all
}
