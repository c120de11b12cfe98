//! Memory without CPUs: whose CPUs are nearest, and is it slower than their own?

use super::{Advice, MachineNodes, own_is_nearest};
use crate::evidence::{AS_GOOD, CostComparison, CostFigure, WORTH_REPORTING};
use crate::node_costs::NodeCosts;

/// One for each node without CPUs that is slower than the own memory of the nearest ones. (Faster
/// memory is the cheapest cell of the machine.)
pub(super) fn slower_memory(costs: &NodeCosts, nodes: &MachineNodes) -> Vec<Advice> {
    let without = nodes.with_memory.iter().filter(|node| !nodes.with_cpus.contains(node));
    without.filter_map(|&memory| nearest_cpus(costs, memory)).collect()
}

fn nearest_cpus(costs: &NodeCosts, memory: u32) -> Option<Advice> {
    let cpus = costs.cpu_nodes().iter();
    let mut figures: Vec<CostFigure> =
        cpus.filter_map(|&cpus| CostFigure::for_cell(costs, cpus, memory)).collect();
    figures.sort_by(|a, b| a.ns().total_cmp(&b.ns()));
    let least = figures.first()?.ns();
    let as_near = figures.iter().filter(|figure| figure.ns() <= AS_GOOD * least);
    let nearest = as_near.flat_map(CostFigure::cells).map(|cell| cell[0]).min()?;
    let figure = |node: u32| CostFigure::for_cell(costs, nearest, node);
    let beside_own = CostComparison::new(costs, figure(nearest)?, figure(memory)?)?;
    (beside_own.wins() && own_is_nearest(costs, nearest)).then(|| Advice::WithoutCpus {
        memory,
        nearest,
        costs: grouped(figures),
        beside_own,
    })
}

/// Ascending figures in groups within 2 %.
fn grouped(figures: Vec<CostFigure>) -> Vec<Vec<CostFigure>> {
    let mut groups: Vec<Vec<CostFigure>> = Vec::new();
    for figure in figures {
        match groups.last_mut() {
            Some(group) if figure.ns() <= WORTH_REPORTING * group[0].ns() => group.push(figure),
            _ => groups.push(vec![figure]),
        }
    }
    groups
}
