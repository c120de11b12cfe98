//! Agglomerative merging of neighbours into levels, with borders between them.

use super::gaps;
use crate::distances::{CostDistance, GAP};
use crate::many_tests::holm;
use crate::node_costs::NodeCosts;

/// The rate at which one class is split by chance.
const ALPHA: f64 = 0.05;
/// Passes of assigning distances to the most likely class; two or three suffice.
const PASSES: usize = 10;

/// Classes of costs, as borders on the scale of logarithms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassBorders {
    borders: Vec<f64>,
}

impl ClassBorders {
    /// The levels of distances with small errors.
    pub(crate) fn new(costs: &NodeCosts, distances: &[CostDistance]) -> Self {
        let mut sorted: Vec<&CostDistance> = distances.iter().collect();
        sorted.sort_by(|a, b| a.log.total_cmp(&b.log));
        let mut groups = Groups { sorted, ends: (1..=distances.len()).collect() };
        loop {
            while let Some(gap) = groups.closest().filter(|&(_, gap)| gap < GAP.ln()) {
                groups.merge(gap.0);
            }
            if let Some(chance) = groups.may_be_chance(costs) {
                groups.merge(chance);
                continue;
            }
            let before = groups.ends.clone();
            groups.settle();
            if groups.ends == before || groups.closest().is_none_or(|(_, gap)| gap >= GAP.ln()) {
                return Self { borders: groups.borders() };
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.borders.len() + 1
    }

    /// The class of a cost, counted from the nearest.
    pub(crate) fn level(&self, log: f64) -> usize {
        self.borders.partition_point(|&border| border <= log)
    }
}

/// Distances in ascending order, and the end of each group.
struct Groups<'a> {
    sorted: Vec<&'a CostDistance>,
    ends: Vec<usize>,
}

impl Groups<'_> {
    fn group(&self, at: usize) -> &[&CostDistance] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.sorted[start..self.ends[at]]
    }

    fn all(&self) -> impl Iterator<Item = &[&CostDistance]> {
        (0..self.ends.len()).map(|at| self.group(at))
    }

    /// The narrowest gap between neighbours: the first's index, and its width.
    fn closest(&self) -> Option<(usize, f64)> {
        let means: Vec<f64> = self.all().map(mean).collect();
        let gaps = means.windows(2).map(|pair| pair[1] - pair[0]).enumerate();
        gaps.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn merge(&mut self, at: usize) {
        self.ends.remove(at);
    }

    /// The neighbours whose gap is most likely due to chance, if any is (Holm).
    fn may_be_chance(&self, costs: &NodeCosts) -> Option<usize> {
        let ps: Vec<f64> = (0..self.ends.len().saturating_sub(1))
            .map(|at| gaps::p(costs, self.group(at), self.group(at + 1)))
            .collect();
        let is_any_chance = holm(&ps, ALPHA).contains(&false);
        is_any_chance.then(|| (0..ps.len()).max_by(|&a, &b| ps[a].total_cmp(&ps[b]))).flatten()
    }

    /// Moves the ends to where a distance is equally likely in both classes.
    fn settle(&mut self) {
        for _ in 0..PASSES {
            let borders = self.borders();
            let ends = borders
                .iter()
                .map(|border| self.sorted.partition_point(|distance| distance.log < *border));
            let mut ends: Vec<usize> = ends.chain([self.sorted.len()]).collect();
            ends.dedup();
            ends.retain(|&end| end > 0);
            if ends == self.ends {
                return;
            }
            self.ends = ends;
        }
    }

    /// The border between each two groups: where normal densities with a common variance and
    /// weights by group size intersect.
    fn borders(&self) -> Vec<f64> {
        let variance = self.variance();
        let between = |at: usize| {
            let (near, far) = (self.group(at), self.group(at + 1));
            let (low, high) = (mean(near), mean(far));
            let sizes = (near.len() as f64 / far.len() as f64).ln();
            (f64::midpoint(low, high) + variance / (high - low) * sizes).clamp(low, high)
        };
        (0..self.ends.len().saturating_sub(1)).map(between).collect()
    }

    fn variance(&self) -> f64 {
        let squares = |group: &[&CostDistance]| {
            let mean = mean(group);
            group.iter().map(|distance| (distance.log - mean).powi(2)).sum::<f64>()
        };
        self.all().map(squares).sum::<f64>()
            / (self.sorted.len().saturating_sub(self.ends.len())).max(1) as f64
    }
}

fn mean(group: &[&CostDistance]) -> f64 {
    group.iter().map(|distance| distance.log).sum::<f64>() / group.len() as f64
}
