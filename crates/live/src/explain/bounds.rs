//! How much longer or shorter an access takes if pages or threads were elsewhere: from the best to
//! the worst case over all ways in which its threads may use its pages.
//!
//! The kernel records neither which thread uses which page, nor how often. So no mean is known. It
//! lies between the least and the most of single accesses, whatever the weights of threads and
//! pages are.

use nearfar_model::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::explain::{AccessCosts, NodePair};

/// A change of an access's time, with the access.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AccessChange {
    /// As a fraction: 0.8 is 80 % more time, -0.4 is 40 % less.
    pub change: f64,
    /// The node of the thread, as it is now.
    #[schemars(with = "u32")]
    pub cpus: NodeId,
    /// The node of the page, as it is now.
    #[schemars(with = "u32")]
    pub memory: NodeId,
}

/// The least and the most change of an access's time, by which thread uses which page.
///
/// The ends contain the 95 % intervals of the survey's latencies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TimeBounds {
    /// The best case.
    pub least: AccessChange,
    /// The worst case.
    pub most: AccessChange,
}

impl TimeBounds {
    fn hull(self, other: Self) -> Self {
        let least = if other.least.change < self.least.change { other.least } else { self.least };
        let most = if other.most.change > self.most.change { other.most } else { self.most };
        Self { least, most }
    }
}

/// The latency of an access.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AccessTime {
    /// The survey's latency, in nanoseconds.
    pub ns: f64,
    /// The node of the thread.
    #[schemars(with = "u32")]
    pub cpus: NodeId,
    /// The node of the page.
    #[schemars(with = "u32")]
    pub memory: NodeId,
}

/// Where pages and threads would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scenario<'a> {
    /// All pages on these nodes; a page may be on any of them.
    PagesOn(&'a NodeSet),
    /// All threads on this node.
    ThreadsOn(NodeId),
    /// Each page on the node of a thread that uses it.
    WithThreads,
}

impl Scenario<'_> {
    /// The accesses that an access may become.
    fn of(self, (cpus, memory): NodePair) -> Vec<NodePair> {
        match self {
            Self::PagesOn(nodes) => nodes.iter().map(|node| (cpus, node)).collect(),
            Self::ThreadsOn(node) => vec![(node, memory)],
            Self::WithThreads => vec![(cpus, cpus)],
        }
    }
}

/// All pairs of a thread's node and a page's node of a process, and what they cost.
pub(crate) struct Accesses<'c> {
    pairs: Vec<NodePair>,
    costs: &'c AccessCosts,
}

impl<'c> Accesses<'c> {
    pub(crate) fn new(threads: &[NodeId], pages: &[NodeId], costs: &'c AccessCosts) -> Self {
        let pairs = threads.iter().flat_map(|&cpus| pages.iter().map(move |&page| (cpus, page)));
        Self { pairs: pairs.collect(), costs }
    }

    /// The fastest and the slowest access. `None` where a latency is not known.
    pub(crate) fn times(&self) -> Option<[AccessTime; 2]> {
        let times = self.pairs.iter().map(|&(cpus, memory)| {
            Some(AccessTime { ns: self.costs.get((cpus, memory))?.ns, cpus, memory })
        });
        let times = times.collect::<Option<Vec<_>>>()?;
        let fastest = times.iter().min_by(|one, other| one.ns.total_cmp(&other.ns))?;
        // The first of equal ones, as above.
        let slowest = times.iter().rev().max_by(|one, other| one.ns.total_cmp(&other.ns))?;
        Some([*fastest, *slowest])
    }

    /// How much longer an access takes as it is than to the fastest of these nodes' memory.
    ///
    /// Which of them is the fastest may be uncertain: any other one may be.
    pub(crate) fn cost(&self, nodes: &NodeSet) -> Option<TimeBounds> {
        let changes = self.pairs.iter().map(|&(cpus, memory)| {
            let own = self.costs.get((cpus, memory))?;
            let others = nodes.iter().filter(|node| *node != memory);
            let others = others.map(|node| self.costs.get((cpus, node)));
            let others = others.collect::<Option<Vec<_>>>()?;
            let low = others.iter().map(|cost| cost.low).fold(own.high, f64::min);
            let high = others.iter().map(|cost| cost.high).fold(own.low, f64::min);
            let end = |ratio: f64| AccessChange { change: ratio - 1.0, cpus, memory };
            Some(TimeBounds { least: end(own.low / high), most: end(own.high / low) })
        });
        hull(changes)
    }

    /// How much longer an access takes in a scenario than as it is.
    pub(crate) fn bounds(&self, scenario: Scenario<'_>) -> Option<TimeBounds> {
        let changes = self.pairs.iter().flat_map(|&pair| {
            scenario.of(pair).into_iter().map(move |after| self.change(pair, after))
        });
        hull(changes)
    }

    /// The change of the best case, by the medians of latencies alone; of interleaved pages the
    /// mean, which many pages come to.
    pub(crate) fn best(&self, scenario: Scenario<'_>) -> Option<f64> {
        let changes = self.pairs.iter().map(|&pair| {
            let after = scenario.of(pair).into_iter().map(|pair| Some(self.costs.get(pair)?.ns));
            let after = after.collect::<Option<Vec<f64>>>()?;
            let mean = after.iter().sum::<f64>() / after.len() as f64;
            Some(mean / self.costs.get(pair)?.ns - 1.0)
        });
        changes.collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::min)
    }

    /// The change of the best case within the 95 % interval of its ratio, by the errors of both
    /// latencies.
    pub(crate) fn best_within_errors(&self, scenario: Scenario<'_>) -> Option<f64> {
        let changes = self.pairs.iter().flat_map(|&pair| {
            scenario.of(pair).into_iter().map(move |after| {
                let (new, old) = (self.costs.get(after)?, self.costs.get(pair)?);
                let reach = (new.ns / new.low).ln().hypot((old.high / old.ns).ln());
                Some(if after == pair { 0.0 } else { new.ns / old.ns * (-reach).exp() - 1.0 })
            })
        });
        changes.collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::min)
    }

    /// Whether no access takes longer in this scenario than in the other, and some less.
    pub(crate) fn is_better(&self, scenario: Scenario<'_>, other: Scenario<'_>) -> bool {
        let (Some(ours), Some(theirs)) = (self.medians(scenario), self.medians(other)) else {
            return false;
        };
        let both = || ours.iter().zip(&theirs);
        both().all(|([_, worst], [best, _])| worst <= best)
            && both().any(|([best, _], [_, worst])| best < worst)
    }

    /// The shortest and the longest median that each access may have.
    fn medians(&self, scenario: Scenario<'_>) -> Option<Vec<[f64; 2]>> {
        let ends = |&pair: &NodePair| {
            let after = scenario.of(pair).into_iter().map(|pair| Some(self.costs.get(pair)?.ns));
            let after = after.collect::<Option<Vec<f64>>>()?;
            Some([after.iter().copied().reduce(f64::min)?, after.into_iter().reduce(f64::max)?])
        };
        self.pairs.iter().map(ends).collect()
    }

    /// The change if an access becomes another. The latency of the same one is the same, however
    /// uncertain it is.
    fn change(&self, before: NodePair, after: NodePair) -> Option<TimeBounds> {
        let (new, old) = (self.costs.get(after)?, self.costs.get(before)?);
        let (cpus, memory) = before;
        let end = |ratio: f64| AccessChange { change: ratio - 1.0, cpus, memory };
        Some(match after == before {
            true => TimeBounds { least: end(1.0), most: end(1.0) },
            false => TimeBounds { least: end(new.low / old.high), most: end(new.high / old.low) },
        })
    }
}

fn hull(changes: impl Iterator<Item = Option<TimeBounds>>) -> Option<TimeBounds> {
    changes.collect::<Option<Vec<_>>>()?.into_iter().reduce(TimeBounds::hull)
}
