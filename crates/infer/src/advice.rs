//! Placements that are worth a recommendation: each has a cost, and beats the placements beside it.
//!
//! A placement is recommended only if its cost, computed from the measured matrix, is below that of
//! every other placement of its kind, beyond noise. Where costs are equal, or one placement is best
//! for some CPUs and another for others, nothing is recommended.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::classes::LatencyClass;
use crate::evidence::{AS_GOOD, CostComparison, CostFigure, CostStatistic, WORTH_REPORTING};
use crate::node_costs::NodeCosts;

/// The nodes of a machine, measured or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineNodes {
    /// Nodes with CPUs.
    pub with_cpus: Vec<u32>,
    /// Nodes with memory.
    pub with_memory: Vec<u32>,
}

/// One recommended placement, and the costs that it is recommended for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Advice {
    /// For a program that fits into one memory: the cheapest cell of the machine.
    OneNode {
        /// The node of the CPUs.
        cpus: u32,
        /// The node of the memory.
        memory: u32,
        /// The nearest memory that costs these CPUs more, and the farthest.
        alternatives: Vec<CostComparison>,
    },
    /// For these CPUs, another node's memory is the nearest.
    OwnIsFarther {
        /// The node of the CPUs.
        cpus: u32,
        /// The node of the nearest memory.
        memory: u32,
        /// Their own memory beside it.
        own: CostComparison,
    },
    /// For a program that needs several nodes: sets of nodes near to each other.
    SeveralNodes {
        /// The sets, all as good as the first.
        sets: Vec<Vec<u32>>,
        /// The set that loses the least by the exchange of a node, beside it with that node
        /// exchanged.
        exchanged: CostComparison,
    },
    /// Memory without CPUs, slower than that of the CPUs nearest to it.
    WithoutCpus {
        /// The node of the memory.
        memory: u32,
        /// The nearest node with CPUs.
        nearest: u32,
        /// What the memory costs, near to far: figures of one group differ by less than 2 %.
        costs: Vec<Vec<CostFigure>>,
        /// The memory beside the own memory of the nearest CPUs.
        beside_own: CostComparison,
    },
    /// For memory that all CPUs use: interleaved over these nodes, no CPUs are far.
    Interleaved {
        /// The nodes.
        nodes: Vec<u32>,
        /// The mean of the CPU node for which it is largest; beside the best single node.
        largest: CostComparison,
    },
    /// For memory that all CPUs use: one node, nearer than interleaved memory.
    OneForAll {
        /// The node.
        memory: u32,
        /// The mean over all CPUs, beside that of interleaved memory.
        mean: CostComparison,
        /// The largest of the CPU nodes' means, likewise.
        largest: CostComparison,
    },
}

/// What is worth recommending. `classes` are those of the same measurements.
pub fn advice(costs: &NodeCosts, classes: &[LatencyClass], nodes: &MachineNodes) -> Vec<Advice> {
    let one_node = cheapest(costs);
    let is_new = |advice: &Advice| !one_node.iter().any(|known| is_same_placement(known, advice));
    let own_is_farther: Vec<Advice> = own_is_farther(costs).into_iter().filter(is_new).collect();
    let mut all: Vec<Advice> = one_node.into_iter().chain(own_is_farther).collect();
    all.extend(near_each_other(costs, classes, nodes));
    all.extend(slower_memory(costs, nodes));
    all.extend(by_all_cpus(costs, nodes));
    all
}

fn is_same_placement(a: &Advice, b: &Advice) -> bool {
    let placement = |advice: &Advice| match advice {
        Advice::OneNode { cpus, memory, .. } | Advice::OwnIsFarther { cpus, memory, .. } => {
            Some([*cpus, *memory])
        }
        _ => None,
    };
    placement(a).is_some() && placement(a) == placement(b)
}

/// The least known cost of a node's CPUs.
fn least_cost(costs: &NodeCosts, cpus: u32) -> Option<f64> {
    costs.memory_nodes().iter().filter_map(|&memory| costs.cost(cpus, memory)).reduce(f64::min)
}

/// Whether no memory is nearer to a node's CPUs than their own.
fn own_is_nearest(costs: &NodeCosts, node: u32) -> bool {
    let own = costs.cost(node, node).zip(least_cost(costs, node));
    own.is_some_and(|(own, least)| own <= AS_GOOD * least)
}

/// One for each node without CPUs that is slower than the own memory of the nearest ones. (Faster
/// memory is the cheapest cell of the machine.)
fn slower_memory(costs: &NodeCosts, nodes: &MachineNodes) -> Vec<Advice> {
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

/// The cheapest cell whose CPUs would lose elsewhere; of equally cheap ones a node's own memory,
/// then the lowest number.
fn cheapest(costs: &NodeCosts) -> Option<Advice> {
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
fn own_is_farther(costs: &NodeCosts) -> Vec<Advice> {
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

/// Sets of nodes that do not gain by the exchange of a node. In each candidate all pairs are of the
/// nearest class beyond own memory.
fn near_each_other(
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
fn by_all_cpus(costs: &NodeCosts, nodes: &MachineNodes) -> Option<Advice> {
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
