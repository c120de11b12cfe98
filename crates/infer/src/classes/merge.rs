//! Merging neighbours from below, and what is left in the end: levels with borders between them.

use std::ops::Range;

use super::gaps;
use crate::distances::{Distance, GAP};
use crate::node_costs::NodeCosts;

/// The rate at which one class is split by chance.
const ALPHA: f64 = 0.05;
/// Passes of sorting distances into the likeliest class: it comes to rest in two or three.
const PASSES: usize = 10;

/// Classes of costs, as borders on the scale of logarithms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Levels {
    borders: Vec<f64>,
}

impl Levels {
    /// Of these distances, all of which are known well.
    pub(crate) fn of(costs: &NodeCosts, distances: &[Distance]) -> Self {
        let mut sorted: Vec<&Distance> = distances.iter().collect();
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

    /// Which class a cost falls in, counted from the nearest.
    pub(crate) fn level(&self, log: f64) -> usize {
        self.borders.partition_point(|&border| border <= log)
    }
}

/// Distances in ascending order, and where each group of them ends.
struct Groups<'a> {
    sorted: Vec<&'a Distance>,
    ends: Vec<usize>,
}

impl Groups<'_> {
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end)
    }

    fn group(&self, at: usize) -> &[&Distance] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.sorted[start..self.ends[at]]
    }

    fn means(&self) -> Vec<f64> {
        (0..self.ends.len()).map(|at| mean(self.group(at))).collect()
    }

    /// The narrowest gap between neighbours: the first's index, and its width.
    fn closest(&self) -> Option<(usize, f64)> {
        let means = self.means();
        let gaps = means.windows(2).map(|pair| pair[1] - pair[0]).enumerate();
        gaps.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn merge(&mut self, at: usize) {
        self.ends.remove(at);
    }

    /// The neighbours whose gap is likeliest chance, unless none is (Holm).
    fn may_be_chance(&self, costs: &NodeCosts) -> Option<usize> {
        let gaps = self.ends.len().saturating_sub(1);
        let mut ps: Vec<(f64, usize)> =
            (0..gaps).map(|at| (gaps::p(costs, self.group(at), self.group(at + 1)), at)).collect();
        ps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all_hold = ps.iter().enumerate().all(|(rank, (p, _))| *p <= ALPHA / (gaps - rank) as f64);
        if all_hold { None } else { ps.last().map(|&(_, at)| at) }
    }

    /// Moves the ends to where a distance is as likely of the one class as of the other.
    fn settle(&mut self) {
        for _ in 0..PASSES {
            let borders = self.borders();
            let ends = borders.iter().map(|border| self.sorted.partition_point(|distance| distance.log < *border));
            let mut ends: Vec<usize> = ends.chain([self.sorted.len()]).collect();
            ends.dedup();
            ends.retain(|&end| end > 0);
            if ends == self.ends {
                return;
            }
            self.ends = ends;
        }
    }

    /// Between each two groups: where normal densities of one common variance, as large as the groups are, meet.
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
        let squares: f64 = self
            .ranges()
            .map(|range| {
                let group = &self.sorted[range];
                let mean = mean(group);
                group.iter().map(|distance| (distance.log - mean).powi(2)).sum::<f64>()
            })
            .sum();
        squares / (self.sorted.len().saturating_sub(self.ends.len())).max(1) as f64
    }
}

fn mean(group: &[&Distance]) -> f64 {
    group.iter().map(|distance| distance.log).sum::<f64>() / group.len() as f64
}
