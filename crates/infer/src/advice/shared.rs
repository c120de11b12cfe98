//! Memory that all CPUs use: interleaved, or on one node?
//!
//! Two costs count: the mean over all CPUs, and the mean of the CPU node that is farthest. The
//! better placement wins one of them, and does not lose the other. Interleaving cannot win the
//! mean, since the best single node costs no more than the mean of all. It wins where that is equal
//! and no CPUs are to be far.

use super::{Advice, MachineNodes};
use crate::evidence::{AS_GOOD, CostComparison, CostFigure, CostStatistic};
use crate::node_costs::NodeCosts;

/// Both costs of one placement.
struct SharedPlacement {
    memory: Vec<u32>,
    mean: CostFigure,
    largest: CostFigure,
}

impl SharedPlacement {
    /// Memory that is spread evenly over nodes, used by all CPUs alike.
    fn new(costs: &NodeCosts, cpus: &[u32], memory: Vec<u32>) -> Option<Self> {
        let cells: Vec<[u32; 2]> =
            cpus.iter().flat_map(|&cpus| memory.iter().map(move |&node| [cpus, node])).collect();
        Some(Self {
            memory,
            mean: CostFigure::new(costs, CostStatistic::Mean, cells.clone())?,
            largest: CostFigure::new(costs, CostStatistic::LargestMean, cells)?,
        })
    }
}

/// The better one, where there is one; none where a cost is unknown.
pub(super) fn by_all_cpus(costs: &NodeCosts, nodes: &MachineNodes) -> Option<Advice> {
    if nodes.with_cpus.len() < 2 || nodes.with_memory.len() < 2 {
        return None;
    }
    let place = |memory: Vec<u32>| SharedPlacement::new(costs, &nodes.with_cpus, memory);
    let singles: Vec<SharedPlacement> =
        nodes.with_memory.iter().map(|&node| place(vec![node])).collect::<Option<_>>()?;
    let interleaved: Vec<SharedPlacement> =
        interleavings(nodes).into_iter().map(place).collect::<Option<_>>()?;
    interleaving_wins(costs, &singles, &interleaved)
        .or_else(|| one_node_wins(costs, &singles, &interleaved))
}

/// The sets that memory may be interleaved over: nodes with CPUs, those without, and all.
fn interleavings(nodes: &MachineNodes) -> Vec<Vec<u32>> {
    let (with, without): (Vec<u32>, Vec<u32>) =
        nodes.with_memory.iter().partition(|node| nodes.with_cpus.contains(node));
    let mut sets = vec![with, without, nodes.with_memory.clone()];
    sets.retain(|set| set.len() > 1);
    sets.dedup();
    sets
}

fn least(
    placements: &[SharedPlacement],
    of: fn(&SharedPlacement) -> &CostFigure,
) -> Option<&SharedPlacement> {
    placements.iter().min_by(|a, b| of(a).ns().total_cmp(&of(b).ns()))
}

fn interleaving_wins(
    costs: &NodeCosts,
    singles: &[SharedPlacement],
    interleaved: &[SharedPlacement],
) -> Option<Advice> {
    let best = least(interleaved, |placement| &placement.largest)?;
    let rival = least(singles, |placement| &placement.largest)?;
    let largest = CostComparison::new(costs, best.largest.clone(), rival.largest.clone())?;
    let least_mean = least(singles, |placement| &placement.mean)?.mean.ns();
    (largest.wins() && best.mean.ns() <= AS_GOOD * least_mean)
        .then(|| Advice::Interleaved { nodes: best.memory.clone(), largest })
}

fn one_node_wins(
    costs: &NodeCosts,
    singles: &[SharedPlacement],
    interleaved: &[SharedPlacement],
) -> Option<Advice> {
    let least_mean = least(singles, |placement| &placement.mean)?.mean.ns();
    let as_good = || singles.iter().filter(|single| single.mean.ns() <= AS_GOOD * least_mean);
    let least_largest = as_good().map(|single| single.largest.ns()).fold(f64::INFINITY, f64::min);
    let best = as_good().find(|single| single.largest.ns() <= AS_GOOD * least_largest)?;
    // The interleaving with the least mean, and the one with the least farthest, must both lose.
    let rival = least(interleaved, |placement| &placement.mean)?;
    let rival_of_farthest = least(interleaved, |placement| &placement.largest)?;
    let mean = CostComparison::new(costs, best.mean.clone(), rival.mean.clone())?;
    let largest = CostComparison::new(costs, best.largest.clone(), rival.largest.clone())?;
    (mean.wins() && best.largest.ns() <= rival_of_farthest.largest.ns())
        .then(|| Advice::OneForAll { memory: best.memory[0], mean, largest })
}
