//! What placements truly cost on a described machine.
//!
//! Means over CPU nodes count each node's CPUs: "the CPUs" of a sentence are all of them.

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::machine::LabMachine;

/// A placement this close to the best one is a best one (2 %).
pub(super) const AS_GOOD: f64 = 1.02;
/// Sets of nodes are means, and known better (1 %).
pub(super) const SET_AS_GOOD: f64 = 1.01;

/// True costs of memory, in the guest's nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct MemoryTruth {
    /// Nodes with CPUs, and how many; the rows of `ns`.
    cpus: Vec<(u32, f64)>,
    /// Nodes with memory, and how much; the columns of `ns`.
    memory: Vec<(u32, Bytes)>,
    ns: Vec<Vec<f64>>,
}

/// What memory for all CPUs costs: on average, and the CPU node for which it is most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SharedCost {
    pub(super) mean: f64,
    pub(super) most: f64,
}

impl MemoryTruth {
    pub(super) fn new(machine: &LabMachine) -> Self {
        Self {
            cpus: machine.cpu_nodes().map(|node| (node.id.0, node.cpus.len() as f64)).collect(),
            memory: machine
                .memory_nodes()
                .map(|node| (node.id.0, node.memory.unwrap_or_default()))
                .collect(),
            ns: machine.slowed(&machine.latency_ns()),
        }
    }

    pub(super) fn cpu_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.cpus.iter().map(|(node, _)| *node)
    }

    pub(super) fn memory_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.memory.iter().map(|(node, _)| *node)
    }

    pub(super) fn whole_nodes(&self) -> NodeSet {
        self.cpu_nodes().filter(|&node| self.size(node).is_some()).map(NodeId).collect()
    }

    /// Nodes with memory only.
    pub(super) fn without_cpus(&self) -> impl Iterator<Item = u32> + '_ {
        self.memory_nodes().filter(|&node| self.cpu_nodes().all(|other| other != node))
    }

    pub(super) fn size(&self, node: u32) -> Option<Bytes> {
        self.memory.iter().find(|(other, _)| *other == node).map(|(_, size)| *size)
    }

    /// What a node's memory costs a node's CPUs.
    pub(super) fn cost(&self, cpus: u32, memory: u32) -> Option<f64> {
        let row = self.cpus.iter().position(|(node, _)| *node == cpus)?;
        let column = self.memory.iter().position(|(node, _)| *node == memory)?;
        self.ns.get(row)?.get(column).copied()
    }

    /// The least that memory costs a node's CPUs; without some memory, of the others.
    pub(super) fn least(&self, cpus: u32, without: Option<u32>) -> f64 {
        let others = self.memory_nodes().filter(|&memory| Some(memory) != without);
        others.filter_map(|memory| self.cost(cpus, memory)).fold(f64::INFINITY, f64::min)
    }

    /// The most that memory costs a node's CPUs.
    pub(super) fn most(&self, cpus: u32) -> f64 {
        self.memory_nodes().filter_map(|memory| self.cost(cpus, memory)).fold(0.0, f64::max)
    }

    /// The least that any memory costs any CPUs.
    pub(super) fn least_of_all(&self) -> f64 {
        self.cpu_nodes().map(|cpus| self.least(cpus, None)).fold(f64::INFINITY, f64::min)
    }

    /// The least that a node's memory costs any CPUs.
    pub(super) fn nearest_cpus(&self, memory: u32) -> f64 {
        let costs = self.cpu_nodes().filter_map(|cpus| self.cost(cpus, memory));
        costs.fold(f64::INFINITY, f64::min)
    }

    /// Whether no other memory costs a node's CPUs less than their own.
    pub(super) fn own_is_nearest(&self, node: u32) -> bool {
        self.cost(node, node).is_some_and(|own| own <= AS_GOOD * self.least(node, None))
    }

    /// The mean of a set's memory from its own CPUs; none where a node lacks either.
    pub(super) fn within(&self, set: &NodeSet) -> Option<f64> {
        self.mean(set, set)
    }

    /// The mean of some memory from some CPUs.
    fn mean(&self, cpus: &NodeSet, memory: &NodeSet) -> Option<f64> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for node in cpus.iter() {
            let (_, weight) = self.cpus.iter().find(|(other, _)| *other == node.0)?;
            for to in memory.iter() {
                sum += weight * self.cost(node.0, to.0)?;
                weights += weight;
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// The least mean of the sets that have one node of this one exchanged; none where there is no
    /// other node.
    pub(super) fn exchanged(&self, set: &NodeSet) -> Option<f64> {
        let others = self.whole_nodes().difference(set);
        let swapped = |out: NodeId, into: NodeId| -> NodeSet {
            set.iter().filter(|node| *node != out).chain([into]).collect()
        };
        let swaps = set.iter().flat_map(|out| others.iter().map(move |into| (out, into)));
        let means = swaps.filter_map(|(out, into)| self.within(&swapped(out, into)));
        means.reduce(f64::min)
    }

    /// Memory that all CPUs use, spread over a set.
    pub(super) fn shared(&self, memory: &NodeSet) -> Option<SharedCost> {
        let all: NodeSet = self.cpu_nodes().map(NodeId).collect();
        let most = all
            .iter()
            .map(|cpus| self.mean(&NodeSet::from_id(cpus), memory))
            .collect::<Option<Vec<f64>>>()?;
        Some(SharedCost {
            mean: self.mean(&all, memory)?,
            most: most.into_iter().fold(0.0, f64::max),
        })
    }

    /// What memory of all CPUs may be spread over: nodes with CPUs, those without, and all.
    pub(super) fn interleavings(&self) -> Vec<NodeSet> {
        let with = self.whole_nodes();
        let without: NodeSet = self.without_cpus().map(NodeId).collect();
        let mut sets = vec![with.union(&without), with, without];
        sets.retain(|set| set.len() > 1);
        sets
    }

    /// Memory that all CPUs use, on each single node.
    pub(super) fn on_one_node(&self) -> Vec<(u32, SharedCost)> {
        self.memory_nodes()
            .filter_map(|node| Some((node, self.shared(&NodeSet::from_id(NodeId(node)))?)))
            .collect()
    }

    /// The largest ratio of two memories as one node's CPUs see them.
    pub(super) fn largest_ratio(&self) -> f64 {
        self.cpu_nodes().map(|cpus| self.most(cpus) / self.least(cpus, None)).fold(1.0, f64::max)
    }
}
