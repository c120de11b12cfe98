//! Joins blocks below a threshold of cost, by a vote of all measured pairs between them.
//!
//! A pair with a cost below the threshold votes for joining its two blocks, one above it against.
//! The cheapest pairs are counted first, and two blocks join when more pairs vote for it than
//! against: one wrong measurement does not join two groups. At the end, a block that fits better
//! elsewhere moves there. Unmeasured pairs do not vote.

use std::collections::BTreeMap;

use super::pairs::{CpuPair, CpuPairs};
use super::partition::Partition;

/// Passes of moving blocks to where they fit better.
const MOVES: usize = 3;

/// Joins the blocks of `below` by the pairs that cost less than `threshold` (a log cost).
pub(crate) fn join(pairs: &CpuPairs, below: &Partition, threshold: f64) -> Partition {
    let mut votes = Votes::new(pairs, below, threshold);
    let mut near: Vec<&CpuPair> =
        pairs.measured().filter(|pair| pair.log_ns <= threshold).collect();
    near.sort_by(|a, b| a.log_ns.total_cmp(&b.log_ns).then(a.cpus.cmp(&b.cpus)));
    for pair in near {
        let [a, b] = [pair.cpus.0, pair.cpus.1].map(|cpu| votes.home[below.block(cpu)]);
        if a != b && votes.net(a, b) > 0 {
            votes.merge(a.min(b), a.max(b));
        }
    }
    let mut home = votes.home;
    for _ in 0..MOVES {
        if !settle(pairs, below, threshold, &mut home) {
            break;
        }
    }
    Partition::by_key((0..below.cpus()).map(|cpu| home[below.block(cpu)]))
}

/// Pairs for joining minus pairs against, between any two blocks.
struct Votes {
    blocks: usize,
    net: Vec<i32>,
    /// The block that each block is now part of.
    home: Vec<usize>,
}

impl Votes {
    fn new(pairs: &CpuPairs, below: &Partition, threshold: f64) -> Self {
        let blocks = below.len();
        let mut net = vec![0; blocks * blocks];
        for pair in pairs.measured() {
            let [a, b] = [pair.cpus.0, pair.cpus.1].map(|cpu| below.block(cpu));
            let vote = vote(pair, threshold);
            net[a * blocks + b] += vote;
            net[b * blocks + a] += vote;
        }
        Self { blocks, net, home: (0..blocks).collect() }
    }

    fn net(&self, a: usize, b: usize) -> i32 {
        self.net[a * self.blocks + b]
    }

    fn merge(&mut self, into: usize, from: usize) {
        for other in 0..self.blocks {
            let moved = self.net[from * self.blocks + other];
            self.net[into * self.blocks + other] += moved;
            self.net[other * self.blocks + into] += moved;
        }
        for home in self.home.iter_mut().filter(|home| **home == from) {
            *home = into;
        }
    }
}

fn vote(pair: &CpuPair, threshold: f64) -> i32 {
    if pair.log_ns <= threshold { 1 } else { -1 }
}

/// Moves every block of `below` to the home with most votes; true if any moved.
fn settle(pairs: &CpuPairs, below: &Partition, threshold: f64, home: &mut [usize]) -> bool {
    let blocks = below.len();
    let mut fits: Vec<BTreeMap<usize, i32>> = vec![BTreeMap::new(); blocks];
    for pair in pairs.measured() {
        let [a, b] = [pair.cpus.0, pair.cpus.1].map(|cpu| below.block(cpu));
        if a != b {
            *fits[a].entry(home[b]).or_default() += vote(pair, threshold);
            *fits[b].entry(home[a]).or_default() += vote(pair, threshold);
        }
    }
    let mut residents = vec![0; blocks];
    home.iter().for_each(|&home| residents[home] += 1);
    let before = home.to_vec();
    for (block, fit) in fits.iter().enumerate() {
        let own = fit.get(&before[block]).copied().unwrap_or(0);
        let Some((&best, &most)) = fit.iter().max_by_key(|&(_, &votes)| votes) else { continue };
        if most > own && most > 0 {
            home[block] = best;
        } else if own < 0 && residents[before[block]] > 1 && residents[block] == 0 {
            home[block] = block;
        }
    }
    home != before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core_to_core::pairs::HandoffCost;

    fn pairs(cpus: usize, costs: &[(usize, usize, f64)]) -> CpuPairs {
        let mut pairs = CpuPairs::new(cpus);
        for &(a, b, median_ns) in costs {
            pairs.add((a, b), HandoffCost { median_ns, relative_se: 0.01 });
        }
        pairs
    }

    fn joined(pairs: &CpuPairs) -> Vec<Vec<usize>> {
        join(pairs, &Partition::singletons(pairs.cpus()), 40f64.ln()).members().to_vec()
    }

    #[test]
    fn near_pairs_join_despite_unmeasured_ones() {
        let pairs = pairs(5, &[(0, 1, 25.0), (2, 3, 26.0), (0, 2, 60.0), (1, 4, 24.0)]);
        assert_eq!(joined(&pairs), [vec![0, 1, 4], vec![2, 3]]);
    }

    #[test]
    fn one_low_measurement_does_not_join_groups() {
        let mut costs = Vec::new();
        for a in 0..6 {
            for b in a + 1..6 {
                costs.push((a, b, if (a < 3) == (b < 3) { 25.0 } else { 60.0 }));
            }
        }
        costs.push((0, 5, 10.0));
        let mut pairs = pairs(6, &costs[..8]);
        for &(a, b, median_ns) in &costs[8..] {
            pairs.add((a, b), HandoffCost { median_ns, relative_se: 0.01 });
        }
        assert_eq!(joined(&pairs), [vec![0, 1, 2], vec![3, 4, 5]]);
    }

    #[test]
    fn a_misplaced_cpu_moves_back() {
        let costs = [
            (0, 1, 25.0),
            (0, 2, 25.0),
            (1, 2, 25.0),
            (3, 4, 25.0),
            (2, 3, 20.0),
            (2, 4, 60.0),
            (0, 3, 60.0),
        ];
        assert_eq!(joined(&pairs(5, &costs)), [vec![0, 1, 2], vec![3, 4]]);
    }
}
