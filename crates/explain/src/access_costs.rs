//! What memory of each node costs from the CPUs of each node, by a survey.

use std::collections::BTreeMap;

use nearfar_machine::process::NodeSummaries;
use nearfar_model::NodeId;

/// Half of a 95 % interval, in standard errors.
pub(crate) const NORMAL_95: f64 = 1.96;

/// The latency of a pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairCost {
    pub(crate) ns: f64,
    /// The standard error of its logarithm.
    pub(crate) error: f64,
}

/// Latencies by (node of the CPUs, node of the memory).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessCosts(BTreeMap<(NodeId, NodeId), PairCost>);

impl AccessCosts {
    /// From medians in nanoseconds, each with its 95 % interval. Those that are not positive, or
    /// without an interval, are skipped.
    pub fn new(
        latencies: impl IntoIterator<Item = ((NodeId, NodeId), f64, Option<[f64; 2]>)>,
    ) -> Self {
        let sound = latencies.into_iter().filter_map(|(pair, ns, ci95)| {
            let [low, high] = ci95?;
            let error = (high / low).ln() / (2.0 * NORMAL_95);
            let is_sound = ns.is_finite() && ns > 0.0 && error.is_finite() && error >= 0.0;
            is_sound.then_some((pair, PairCost { ns, error }))
        });
        Self(sound.collect())
    }

    pub(crate) fn get(&self, cpus: NodeId, memory: NodeId) -> Option<PairCost> {
        self.0.get(&(cpus, memory)).copied()
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
            .all(|cpus| memory.iter().all(|to| self.get(cpus, to).is_some()))
    }
}
