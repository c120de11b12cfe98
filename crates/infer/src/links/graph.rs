//! Which pairs a third node explains, in the measurements and in each resample of them.

use super::{Edge, Links, SUPPORT, Way};
use crate::classes::Levels;
use crate::distances::Distance;
use crate::node_costs::NodeCosts;

/// Both legs must be shorter by this much at least (2.5 %).
const MARGIN: f64 = 1.025;
/// And by so many standard errors of the comparison.
const ERRORS: f64 = 3.0;

/// A pair with a known distance.
pub(super) struct Pair {
    /// Indexes of its nodes.
    pub(super) ends: [usize; 2],
    distance: Distance,
    se: f64,
    /// Index of the class.
    pub(super) level: usize,
}

/// All pairs, and which of them may explain which.
pub(super) struct Graph<'a> {
    nodes: &'a [u32],
    pub(super) pairs: Vec<Pair>,
    /// `[a][b]`: the index of the pair.
    index: Vec<Vec<Option<usize>>>,
    levels: &'a Levels,
}

impl<'a> Graph<'a> {
    pub(super) fn new(
        costs: &NodeCosts,
        nodes: &'a [u32],
        distances: Vec<Vec<Option<Distance>>>,
        levels: &'a Levels,
    ) -> Self {
        let mut pairs = Vec::new();
        let mut index = vec![vec![None; nodes.len()]; nodes.len()];
        for (a, row) in distances.into_iter().enumerate() {
            for (b, distance) in row.into_iter().enumerate().skip(a + 1) {
                let Some(distance) = distance else { continue };
                (index[a][b], index[b][a]) = (Some(pairs.len()), Some(pairs.len()));
                let (se, level) = (distance.se(costs), levels.level(distance.log));
                pairs.push(Pair { ends: [a, b], distance, se, level });
            }
        }
        Self { nodes, pairs, index, levels }
    }

    pub(super) fn links(&self, costs: &NodeCosts) -> Links {
        let observed: Vec<f64> = self.pairs.iter().map(|pair| pair.distance.log).collect();
        let counts = self.kept(costs);
        let mut links = Links {
            nodes: self.nodes.to_vec(),
            edges: vec![],
            open: vec![],
            ways: vec![],
            hops: None,
            no_hops_because: None,
        };
        for (at, pair) in self.pairs.iter().enumerate() {
            let [a, b] = pair.ends.map(|end| self.nodes[end]);
            let edge = Edge { a, b, support: counts[at] as f64 / costs.errors().len() as f64 };
            match self.via(at, &observed, &self.levels_of(&observed)) {
                None if edge.support >= SUPPORT => links.edges.push(edge),
                Some(via) if edge.support <= 1.0 - SUPPORT => {
                    links.ways.push(Way { a, b, via: self.nodes[via] });
                }
                _ => links.open.push(edge),
            }
        }
        links
    }

    /// In how many resamples each pair is linked.
    fn kept(&self, costs: &NodeCosts) -> Vec<usize> {
        let mut counts = vec![0; self.pairs.len()];
        for errors in costs.errors() {
            let logs: Vec<f64> =
                self.pairs.iter().map(|pair| pair.distance.log + pair.distance.within(errors)).collect();
            let levels = self.levels_of(&logs);
            for (at, count) in counts.iter_mut().enumerate() {
                *count += usize::from(self.via(at, &logs, &levels).is_none());
            }
        }
        counts
    }

    fn levels_of(&self, logs: &[f64]) -> Vec<usize> {
        logs.iter().map(|&log| self.levels.level(log)).collect()
    }

    /// The third node that explains a pair best: that whose longer leg is the shortest.
    fn via(&self, pair: usize, logs: &[f64], levels: &[usize]) -> Option<usize> {
        let [a, b] = self.pairs[pair].ends;
        let explains = |leg: usize| {
            let margin = MARGIN.ln().max(ERRORS * self.pairs[pair].se.hypot(self.pairs[leg].se));
            levels[leg] < levels[pair] && logs[pair] - logs[leg] > margin
        };
        let legs = |k: usize| Some([self.index[a][k]?, self.index[k][b]?]);
        let longer = |k: usize| {
            let legs = legs(k).filter(|legs| legs.iter().all(|&leg| explains(leg)))?;
            Some((logs[legs[0]].max(logs[legs[1]]), k))
        };
        let candidates = (0..self.nodes.len()).filter(|&k| k != a && k != b).filter_map(longer);
        candidates.min_by(|x, y| x.0.total_cmp(&y.0)).map(|(_, k)| k)
    }
}
