//! Placements that are worth a recommendation: each has a cost, and beats the placements beside it.
//!
//! A placement is recommended only if its cost, computed from the measured matrix, is below that of
//! every other placement of its kind, beyond noise. Where costs are equal, or one placement is best
//! for some CPUs and another for others, nothing is recommended.

mod one_node;
mod several_nodes;
mod shared;
#[cfg(test)]
mod tests;
mod without_cpus;

use serde::{Deserialize, Serialize};

use crate::classes::LatencyClass;
use crate::evidence::{AS_GOOD, CostComparison, CostFigure};
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
    let one_node = one_node::cheapest(costs);
    let is_new = |advice: &Advice| !one_node.iter().any(|known| is_same_placement(known, advice));
    let own_is_farther: Vec<Advice> =
        one_node::own_is_farther(costs).into_iter().filter(is_new).collect();
    let mut all: Vec<Advice> = one_node.into_iter().chain(own_is_farther).collect();
    all.extend(several_nodes::near_each_other(costs, classes, nodes));
    all.extend(without_cpus::slower_memory(costs, nodes));
    all.extend(shared::by_all_cpus(costs, nodes));
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
