//! Pairs that a third node explains, in the measurements and in each resample.

use super::{IndirectPath, Links, NodeLink, SUPPORT};
use crate::classes::ClassBorders;
use crate::distances::CostDistance;
use crate::node_costs::NodeCosts;

/// The smallest ratio of a distance to either leg of its indirect path (2.5 %).
const MARGIN: f64 = 1.025;
/// The smallest such difference in standard errors of the comparison.
const ERRORS: f64 = 3.0;

/// A pair with a known distance.
pub(super) struct NodePair {
    /// Indexes of its nodes.
    pub(super) ends: [usize; 2],
    distance: CostDistance,
    se: f64,
    /// Index of the class.
    pub(super) level: usize,
}

/// Numbers of resamples with and without a link of a pair.
#[derive(Clone, Copy, Default)]
struct LinkCounts {
    linked: usize,
    indirect: usize,
}

/// All pairs, and the nodes that may explain them.
pub(super) struct Graph<'a> {
    nodes: &'a [u32],
    pub(super) pairs: Vec<NodePair>,
    /// `[a][b]`: the index of the pair.
    index: Vec<Vec<Option<usize>>>,
    levels: &'a ClassBorders,
    /// Logarithm of [`MARGIN`].
    margin: f64,
    /// By node: whether its CPUs were measured, so that paths may lead through it. Memory without
    /// CPUs (CXL, HBM) forwards nothing; whether its CPUs are only offline is unknown.
    pub(super) has_cpus: Vec<bool>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(
        costs: &NodeCosts,
        nodes: &'a [u32],
        distances: Vec<Vec<Option<CostDistance>>>,
        levels: &'a ClassBorders,
    ) -> Self {
        let mut pairs = Vec::new();
        let mut index = vec![vec![None; nodes.len()]; nodes.len()];
        for (a, row) in distances.into_iter().enumerate() {
            for (b, distance) in row.into_iter().enumerate().skip(a + 1) {
                let Some(distance) = distance else { continue };
                (index[a][b], index[b][a]) = (Some(pairs.len()), Some(pairs.len()));
                let (se, level) = (distance.se(costs), levels.level(distance.log));
                pairs.push(NodePair { ends: [a, b], distance, se, level });
            }
        }
        let has_cpus = nodes.iter().map(|node| costs.cpu_nodes().contains(node)).collect();
        Self { nodes, pairs, index, levels, margin: MARGIN.ln(), has_cpus }
    }

    pub(super) fn links(&self, costs: &NodeCosts) -> Links {
        let observed: Vec<f64> = self.pairs.iter().map(|pair| pair.distance.log).collect();
        let counts = self.counts(costs);
        let mut links = Links { nodes: self.nodes.to_vec(), ..Links::default() };
        let levels = self.levels_of(&observed);
        let share = |count: usize| count as f64 / costs.errors().len() as f64;
        for (at, pair) in self.pairs.iter().enumerate() {
            let [a, b] = pair.ends.map(|end| self.nodes[end]);
            let edge = NodeLink { a, b, support: share(counts[at].linked), bandwidth: None };
            let is_explained = self.explanations(at, &observed, &levels).next().is_some();
            match self.via(at, &observed, &levels) {
                None if !is_explained && edge.support >= SUPPORT => links.edges.push(edge),
                Some(via) if share(counts[at].indirect) >= SUPPORT => {
                    links.paths.push(IndirectPath { a, b, via: self.nodes[via], bandwidth: None });
                }
                _ => links.open.push(edge),
            }
        }
        links
    }

    /// The numbers of resamples in which each pair is linked, or explained by a node with CPUs.
    fn counts(&self, costs: &NodeCosts) -> Vec<LinkCounts> {
        let mut counts = vec![LinkCounts::default(); self.pairs.len()];
        for errors in costs.errors() {
            let logs: Vec<f64> = self
                .pairs
                .iter()
                .map(|pair| pair.distance.log + pair.distance.within(errors))
                .collect();
            let levels = self.levels_of(&logs);
            for (at, count) in counts.iter_mut().enumerate() {
                count.linked += usize::from(self.explanations(at, &logs, &levels).next().is_none());
                count.indirect += usize::from(self.via(at, &logs, &levels).is_some());
            }
        }
        counts
    }

    fn levels_of(&self, logs: &[f64]) -> Vec<usize> {
        logs.iter().map(|&log| self.levels.level(log)).collect()
    }

    /// The third node with CPUs that explains a pair best, by its longer leg.
    fn via(&self, pair: usize, logs: &[f64], levels: &[usize]) -> Option<usize> {
        let longer = |legs: [usize; 2]| logs[legs[0]].max(logs[legs[1]]);
        let explanations =
            self.explanations(pair, logs, levels).filter(|(third, _)| self.has_cpus[*third]);
        explanations.min_by(|x, y| longer(x.1).total_cmp(&longer(y.1))).map(|(k, _)| k)
    }

    /// Third nodes that explain a pair, with both legs of the path.
    fn explanations<'b>(
        &'b self,
        pair: usize,
        logs: &'b [f64],
        levels: &'b [usize],
    ) -> impl Iterator<Item = (usize, [usize; 2])> + 'b {
        let [a, b] = self.pairs[pair].ends;
        let explains = move |leg: usize| {
            let shorter = logs[pair] - logs[leg];
            let variance = self.pairs[pair].se.powi(2) + self.pairs[leg].se.powi(2);
            levels[leg] < levels[pair]
                && shorter > self.margin
                && shorter * shorter > ERRORS * ERRORS * variance
        };
        let legs = self.index[a].iter().zip(&self.index[b]).enumerate();
        legs.filter_map(|(k, (there, on))| Some((k, [(*there)?, (*on)?])))
            .filter(move |(_, legs)| legs.iter().all(|&leg| explains(leg)))
    }
}
