//! A program that needs several nodes: which of them are near to each other?

use std::collections::BTreeSet;

use super::{Advice, MachineNodes, own_is_nearest};
use crate::classes::LatencyClass;
use crate::evidence::{AS_GOOD, CostComparison, CostFigure, CostStatistic};
use crate::node_costs::NodeCosts;

/// Sets of nodes that do not gain by the exchange of a node. In each candidate all pairs are of the
/// nearest class beyond own memory.
pub(super) fn near_each_other(
    costs: &NodeCosts,
    classes: &[LatencyClass],
    nodes: &MachineNodes,
) -> Option<Advice> {
    let whole: Vec<u32> =
        nodes.with_cpus.iter().copied().filter(|node| nodes.with_memory.contains(node)).collect();
    if !whole.iter().all(|&node| own_is_nearest(costs, node)) {
        return None;
    }
    let nearest = classes.iter().find(|class| class.cells.iter().any(|[cpus, to]| cpus != to))?;
    let mut sets: Vec<(CostFigure, CostComparison)> = sets(&whole, nearest)
        .iter()
        .map(|set| {
            let figure = spread_over(costs, set)?;
            let exchanged =
                CostComparison::new(costs, figure.clone(), best_exchange(costs, set, &whole)?)?;
            Some((figure, exchanged))
        })
        .collect::<Option<_>>()?;
    sets.sort_by(|a, b| a.0.ns().total_cmp(&b.0.ns()));
    let least = sets.first()?.0.ns();
    sets.retain(|(figure, exchanged)| figure.ns() <= AS_GOOD * least && exchanged.wins());
    // Of equally good ones the lowest numbers first.
    let members = |figure: &CostFigure| -> Vec<u32> {
        figure.cells().iter().map(|cell| cell[0]).collect::<BTreeSet<u32>>().into_iter().collect()
    };
    sets.sort_by_key(|(figure, _)| members(figure));
    let size = members(&sets.first()?.0).len();
    sets.retain(|(figure, _)| members(figure).len() == size);
    // The exchange that costs the least, of any of the sets.
    let least_far =
        |a: &&CostComparison, b: &&CostComparison| a.far().ns().total_cmp(&b.far().ns());
    let exchanged = sets.iter().map(|(_, exchanged)| exchanged).min_by(least_far)?.clone();
    let sets = sets.iter().map(|(figure, _)| members(figure)).collect();
    Some(Advice::SeveralNodes { sets, exchanged })
}

/// The nodes in sets of several whose pairs are all of one class; none if the class forms fewer
/// than two, or if they overlap.
fn sets(nodes: &[u32], class: &LatencyClass) -> Vec<Vec<u32>> {
    let cells: BTreeSet<[u32; 2]> = class.cells.iter().copied().collect();
    let around = |node: u32| -> Vec<u32> {
        let near = |other: u32| other == node || cells.contains(&[node, other]);
        nodes.iter().copied().filter(|&other| near(other)).collect()
    };
    let sets: BTreeSet<Vec<u32>> = nodes.iter().map(|&node| around(node)).collect();
    let covered: usize = sets.iter().map(Vec::len).sum();
    if covered != nodes.len() || sets.len() < 2 {
        return vec![];
    }
    sets.into_iter().filter(|set| set.len() > 1).collect()
}

/// The cost of memory that is spread over a set, from its own CPUs.
fn spread_over(costs: &NodeCosts, set: &[u32]) -> Option<CostFigure> {
    let cells = set.iter().flat_map(|&cpus| set.iter().map(move |&memory| [cpus, memory]));
    CostFigure::new(costs, CostStatistic::Mean, cells.collect())
}

/// The cheapest set with one node exchanged for one of the others.
fn best_exchange(costs: &NodeCosts, set: &[u32], nodes: &[u32]) -> Option<CostFigure> {
    let others: Vec<u32> = nodes.iter().copied().filter(|node| !set.contains(node)).collect();
    let exchanged = |leaves: u32, joins: u32| -> Vec<u32> {
        set.iter().map(|&node| if node == leaves { joins } else { node }).collect()
    };
    let all = set.iter().flat_map(|&leaves| others.iter().map(move |&joins| (leaves, joins)));
    let figures = all.filter_map(|(leaves, joins)| spread_over(costs, &exchanged(leaves, joins)));
    figures.min_by(|a, b| a.ns().total_cmp(&b.ns()))
}
