//! How much longer or shorter an average access takes if pages or threads were elsewhere.

use std::collections::BTreeMap;

use nearfar_live::{Interval, NodeWeights};
use nearfar_model::{NodeId, NodeSet};
use nearfar_process::PageSample;

use crate::access_costs::{AccessCosts, NORMAL_95};

/// Where pages and threads would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario<'a> {
    /// Where they are.
    AsIs,
    /// Each page on the node of the thread that uses it.
    AllLocal,
    /// All pages on these nodes, interleaved if there are several.
    PagesOn(&'a NodeSet),
    /// All threads on this node.
    ThreadsOn(NodeId),
}

/// A share of accesses by (node of the CPUs, node of the memory).
type PairShares = BTreeMap<(NodeId, NodeId), f64>;

impl Scenario<'_> {
    /// The accesses to a page that is on this node as it is; their sum is 1.
    fn accesses(self, page: NodeId, weights: &NodeWeights) -> PairShares {
        let mut shares = PairShares::new();
        let mut add = |pair, share| *shares.entry(pair).or_insert(0.0) += share;
        for &(cpus, weight) in weights {
            match self {
                Self::AsIs => add((cpus, page), weight),
                Self::AllLocal => add((cpus, cpus), weight),
                Self::ThreadsOn(node) => add((node, page), weight),
                Self::PagesOn(nodes) => {
                    nodes.iter().for_each(|node| add((cpus, node), weight / nodes.len() as f64));
                }
            }
        }
        shares
    }
}

/// Pages and threads of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement<'p> {
    pub(crate) pages: &'p PageSample,
    pub(crate) weights: &'p NodeWeights,
    /// Nodes that pages may be on, though none was drawn there.
    pub(crate) nodes: &'p [NodeId],
}

impl Placement<'_> {
    /// Pages drawn by node, and some added to each: as in Agresti and Coull's interval, a node
    /// without a drawn page may have some.
    fn counts(&self, added: f64) -> BTreeMap<NodeId, f64> {
        let mut counts: BTreeMap<NodeId, f64> =
            self.nodes.iter().map(|node| (*node, added)).collect();
        for (node, pages) in &self.pages.by_node {
            *counts.entry(*node).or_insert(added) += *pages as f64;
        }
        counts
    }

    /// The mean latency of an access, in nanoseconds. `None` where a latency is not known, or
    /// without pages or threads.
    pub(crate) fn mean_ns(&self, scenario: Scenario<'_>, costs: &AccessCosts) -> Option<f64> {
        let pages = self.pages.pages() as f64;
        let counts = self.counts(0.0).into_iter().filter(|(_, count)| *count > 0.0);
        let means = counts.map(|(page, count)| {
            Some(count / pages * page_ns(scenario, page, self.weights, costs)?)
        });
        let mean = means.sum::<Option<f64>>()?;
        (!self.weights.is_empty() && pages > 0.0).then_some(mean)
    }

    /// The mean latency of one scenario over that of another, with its 95 % interval.
    ///
    /// The errors of the latencies and of the sample of pages are propagated to the logarithm of
    /// the ratio, to first order (the delta method).
    pub(crate) fn ratio(
        &self,
        of: Scenario<'_>,
        to: Scenario<'_>,
        costs: &AccessCosts,
    ) -> Option<Interval> {
        let (of_ns, to_ns) = (self.mean_ns(of, costs)?, self.mean_ns(to, costs)?);
        let value = of_ns / to_ns;
        let variance = self.sampling_variance(of, to, costs)
            + self.latency_variance(of, to, costs, [of_ns, to_ns]);
        let reach = NORMAL_95 * variance.sqrt();
        Some(Interval { value, ci95: [value * (-reach).exp(), value * reach.exp()] })
    }

    /// The variance of the logarithm of the ratio by the sample of pages.
    fn sampling_variance(&self, of: Scenario<'_>, to: Scenario<'_>, costs: &AccessCosts) -> f64 {
        if self.pages.is_whole {
            return 0.0;
        }
        let counts = self.counts(1.0);
        let all: f64 = counts.values().sum();
        // A node whose latencies are unknown has no pages that were drawn.
        let values = counts.iter().filter_map(|(page, count)| {
            let ns = |scenario| page_ns(scenario, *page, self.weights, costs);
            Some((count / all, ns(of)?, ns(to)?))
        });
        let values: Vec<(f64, f64, f64)> = values.collect();
        let mean = |ns: fn(&(f64, f64, f64)) -> f64| -> f64 {
            values.iter().map(|value| value.0 * ns(value)).sum()
        };
        let (of_mean, to_mean) = (mean(|value| value.1), mean(|value| value.2));
        let squares = values
            .iter()
            .map(|(share, of_ns, to_ns)| share * (of_ns / of_mean - to_ns / to_mean).powi(2));
        squares.sum::<f64>() / all
    }

    /// The variance of the logarithm of the ratio by the latencies.
    fn latency_variance(
        &self,
        of: Scenario<'_>,
        to: Scenario<'_>,
        costs: &AccessCosts,
        means: [f64; 2],
    ) -> f64 {
        let mut slopes = PairShares::new();
        for (scenario, sign, mean) in [(of, 1.0, means[0]), (to, -1.0, means[1])] {
            for (page, count) in self.counts(0.0) {
                let share = count / self.pages.pages() as f64;
                for (pair, access) in scenario.accesses(page, self.weights) {
                    let ns = costs.get(pair.0, pair.1).map_or(0.0, |cost| cost.ns);
                    *slopes.entry(pair).or_insert(0.0) += sign * share * access * ns / mean;
                }
            }
        }
        let square = |(pair, slope): (&(NodeId, NodeId), &f64)| {
            costs.get(pair.0, pair.1).map_or(0.0, |cost| (slope * cost.error).powi(2))
        };
        slopes.iter().map(square).sum()
    }
}

/// The mean latency of an access to a page that is on this node as it is.
fn page_ns(
    scenario: Scenario<'_>,
    page: NodeId,
    weights: &NodeWeights,
    costs: &AccessCosts,
) -> Option<f64> {
    let accesses = scenario.accesses(page, weights).into_iter();
    accesses.map(|((cpus, memory), share)| Some(share * costs.get(cpus, memory)?.ns)).sum()
}
