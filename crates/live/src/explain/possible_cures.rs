//! What may make a process faster, in a fixed order that has no merit: pages by node, interleaved
//! pages, threads by node, the kernel's balancing.

use nearfar_model::{NodeId, NodeSet};
use nearfar_process::busiest_node;

use crate::explain::FLOOR;
use crate::explain::Obstacle;
use crate::explain::bounds::{Accesses, Scenario};
use crate::explain::obstacles::obstacles;
use crate::explain::{Around, ObservedProcess};
use crate::explain::{Cure, CureKind};

/// Placements that make an access faster by the floor or more, for some use of the pages. One that
/// is never better than another, and sometimes worse, is left out.
pub(crate) fn possible_cures(
    process: &ObservedProcess,
    around: &Around<'_>,
    accesses: &Accesses<'_>,
) -> Vec<Cure> {
    let has_room = |kind: &CureKind| {
        let found = obstacles(process, around, kind.page_nodes().as_ref());
        !found.iter().any(|one| matches!(one, Obstacle::NoRoom { .. }))
    };
    let mut all = listed(&page_moves(process, around), accesses, has_room);
    all.extend(listed(&thread_moves(process, around), accesses, |_| true));
    let balanced = accesses.best(Scenario::WithThreads).is_some_and(|best| best <= -FLOOR);
    if balanced && around.balancing == Some(false) {
        all.push(Cure { kind: CureKind::Balancing, change: None });
    }
    all
}

/// Whether a placement may be faster by the floor, within the intervals of latencies.
pub(crate) fn may_gain(
    process: &ObservedProcess,
    around: &Around<'_>,
    accesses: &Accesses<'_>,
) -> bool {
    let kinds = [page_moves(process, around), thread_moves(process, around)];
    // Interleaved pages gain no more than pages on the best of their nodes.
    let kinds = kinds.iter().flatten().filter(|kind| !matches!(kind, CureKind::Interleave { .. }));
    kinds
        .filter_map(|kind| scenario(kind, |of| accesses.best_within_errors(of)).flatten())
        .any(|best| best <= -FLOOR)
}

fn page_moves(process: &ObservedProcess, around: &Around<'_>) -> Vec<CureKind> {
    let usable = process.usable_nodes(around.nodes);
    let mut all: Vec<CureKind> = usable.iter().map(|node| CureKind::MovePages { node }).collect();
    let homes: NodeSet = process.weights.iter().map(|(node, _)| *node).collect();
    let homes = homes.intersection(&usable);
    if homes.len() > 1 {
        all.push(CureKind::Interleave { nodes: homes });
    }
    all
}

/// To nodes with as many CPUs as it keeps busy.
fn thread_moves(process: &ObservedProcess, around: &Around<'_>) -> Vec<CureKind> {
    let fits = |cpus: usize| cpus > 0 && process.busy_cpus <= cpus as f64;
    let nodes = around.nodes.nodes.iter().filter(|node| fits(node.cpus.len()));
    nodes.map(|node| CureKind::MoveThreads { node: node.id, cpus: node.cpus.clone() }).collect()
}

/// Without latencies: pages to the node with the most CPU time, if some are elsewhere. What that
/// does is not known.
pub(crate) fn cures_without_costs(process: &ObservedProcess, around: &Around<'_>) -> Vec<Cure> {
    let usable = process.usable_nodes(around.nodes);
    let Some((node, _)) = busiest_node(process.weights.iter().copied(), &usable) else {
        return Vec::new();
    };
    let is_elsewhere = |&(at, pages): &(NodeId, u64)| at != node && pages > 0;
    if !process.pages.by_node.iter().any(is_elsewhere) {
        return Vec::new();
    }
    let mut all = vec![Cure { kind: CureKind::MovePages { node }, change: None }];
    if around.balancing == Some(false) {
        all.push(Cure { kind: CureKind::Balancing, change: None });
    }
    all
}

/// Those of one kind that may help. Only one that is possible makes another superfluous.
fn listed(
    kinds: &[CureKind],
    accesses: &Accesses<'_>,
    is_possible: impl Fn(&CureKind) -> bool,
) -> Vec<Cure> {
    let of = |kind: &CureKind| scenario(kind, |scenario| accesses.best(scenario)).flatten();
    let may_help: Vec<&CureKind> =
        kinds.iter().filter(|kind| of(kind).is_some_and(|best| best <= -FLOOR)).collect();
    let is_superfluous = |kind: &CureKind| {
        let is_better = |other: &&CureKind| {
            let both =
                scenario(other, |better| scenario(kind, |worse| accesses.is_better(better, worse)));
            both.flatten() == Some(true) && is_possible(other)
        };
        may_help.iter().any(is_better)
    };
    let listed = may_help.iter().filter(|kind| !is_superfluous(kind));
    listed
        .map(|kind| Cure {
            kind: (*kind).clone(),
            change: scenario(kind, |scenario| accesses.bounds(scenario)).flatten(),
        })
        .collect()
}

/// Where a cure has pages and threads; `None` for what the kernel decides.
fn scenario<T>(kind: &CureKind, with: impl FnOnce(Scenario<'_>) -> T) -> Option<T> {
    match kind {
        CureKind::MovePages { node } => Some(with(Scenario::PagesOn(&NodeSet::from_id(*node)))),
        CureKind::Interleave { nodes } => Some(with(Scenario::PagesOn(nodes))),
        CureKind::MoveThreads { node, .. } => Some(with(Scenario::ThreadsOn(*node))),
        CureKind::Balancing => None,
    }
}
