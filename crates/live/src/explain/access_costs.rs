//! What memory of each node costs from the CPUs of each node, by a survey.

use std::collections::BTreeMap;

use nearfar_machine::process::NodeSummaries;
use nearfar_model::NodeId;

/// CPUs of a node that access memory of a node.
pub(crate) type NodePair = (NodeId, NodeId);

/// The latency of a pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairCost {
    pub(crate) ns: f64,
    /// The ends of its 95 % interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Latencies by (node of the CPUs, node of the memory).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessCosts(BTreeMap<NodePair, PairCost>);

impl AccessCosts {
    /// From medians in nanoseconds, each with its 95 % interval. Those that are not positive, or
    /// without an interval, are skipped.
    pub fn new(
        latencies: impl IntoIterator<Item = ((NodeId, NodeId), f64, Option<[f64; 2]>)>,
    ) -> Self {
        let sound = latencies.into_iter().filter_map(|(pair, ns, ci95)| {
            let [low, high] = ci95?;
            let is_sound = 0.0 < low && low <= ns && ns <= high && high.is_finite();
            is_sound.then_some((pair, PairCost { ns, low, high }))
        });
        Self(sound.collect())
    }

    pub(crate) fn get(&self, pair: NodePair) -> Option<PairCost> {
        self.0.get(&pair).copied()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all latencies from nodes with CPUs to nodes with memory are known: only then is it
    /// known that no placement is better.
    pub fn cover(&self, nodes: &NodeSummaries) -> bool {
        let with_cpus = nodes.nodes.iter().filter(|node| !node.cpus.is_empty());
        let memory = nodes.with_memory();
        with_cpus
            .map(|node| node.id)
            .all(|cpus| memory.iter().all(|to| self.get((cpus, to)).is_some()))
    }
}
