//! A program that fits into one memory: which CPUs, which memory?

use super::Advice;
use crate::evidence::{AS_GOOD, CostComparison, CostFigure};
use crate::node_costs::NodeCosts;

/// The cheapest cell whose CPUs would lose elsewhere; of equally cheap ones a node's own memory,
/// then the lowest number.
pub(super) fn cheapest(costs: &NodeCosts) -> Option<Advice> {
    let cost = |[cpus, memory]: [u32; 2]| costs.cost(cpus, memory).unwrap_or(f64::INFINITY);
    let cells: Vec<[u32; 2]> = costs.known().map(|cell| costs.nodes_of(cell)).collect();
    let least = cells.iter().map(|&cell| cost(cell)).fold(f64::INFINITY, f64::min);
    let mut as_good: Vec<[u32; 2]> =
        cells.into_iter().filter(|&cell| cost(cell) <= AS_GOOD * least).collect();
    as_good.sort_by_key(|&[cpus, memory]| (cpus != memory, cpus, memory));
    as_good.into_iter().find_map(|cell| beside_others(costs, cell))
}

/// A placement, if other memory costs its CPUs more.
fn beside_others(costs: &NodeCosts, [cpus, memory]: [u32; 2]) -> Option<Advice> {
    let near = CostFigure::for_cell(costs, cpus, memory)?;
    let beside = |other: u32| {
        CostComparison::new(costs, near.clone(), CostFigure::for_cell(costs, cpus, other)?)
    };
    let others = costs.memory_nodes().iter().filter(|&&other| other != memory);
    let mut slower: Vec<CostComparison> =
        others.filter_map(|&other| beside(other)).filter(CostComparison::wins).collect();
    slower.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let farthest = (slower.len() > 1).then(|| slower.pop()).flatten();
    let alternatives: Vec<CostComparison> = slower.into_iter().take(1).chain(farthest).collect();
    (!alternatives.is_empty()).then_some(Advice::OneNode { cpus, memory, alternatives })
}

/// CPUs whose nearest memory is another node's.
pub(super) fn own_is_farther(costs: &NodeCosts) -> Vec<Advice> {
    costs.cpu_nodes().iter().filter_map(|&cpus| nearer_than_own(costs, cpus)).collect()
}

fn nearer_than_own(costs: &NodeCosts, cpus: u32) -> Option<Advice> {
    let known =
        costs.memory_nodes().iter().filter_map(|&node| Some((costs.cost(cpus, node)?, node)));
    let (_, memory) = known.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let figure = |memory: u32| CostFigure::for_cell(costs, cpus, memory);
    let own = CostComparison::new(costs, figure(memory)?, figure(cpus)?)?;
    own.wins().then_some(Advice::OwnIsFarther { cpus, memory, own })
}
