//! Which weights of interleaving move most? A search over small integers that measures nothing
//! itself.
//!
//! What all nodes give together is limited by the one that is asked for more than it has:
//! `min(bandwidth / share)`. So weights in proportion to each node's own bandwidth are the first
//! guess. From the best so far it takes steps: one node's weight, or that of all nodes with
//! equal weight, or of two nodes, up or down by one, at several scales (1:1 is 8:8, whose neighbour
//! is 9:8). What cannot be told from the best is measured again, and named beside it if it still
//! cannot be told.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Readings that the best and all that cannot be told from it get.
const SAMPLES: usize = 3;
/// Differences of more standard errors than this are told apart.
const TOLD_APART: f64 = 2.0;
/// Below this, as a fraction, a reading's own standard error is not believed.
const LEAST_SE: f64 = 0.002;

/// How far a search may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightLimits {
    /// The largest weight.
    pub largest: u32,
    /// The most measurements.
    pub measurements: usize,
}

impl Default for WeightLimits {
    fn default() -> Self {
        Self { largest: 16, measurements: 100 }
    }
}

/// Bandwidth at some weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightedBandwidth {
    /// One weight for each node, without a common divisor; 0 leaves a node out.
    pub weights: Vec<u32>,
    /// What they moved, in bytes a second: the mean of all readings.
    pub bytes_per_s: f64,
    /// Its standard error, as a fraction.
    pub relative_se: f64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestWeights {
    /// The best.
    pub best: WeightedBandwidth,
    /// Others that these numbers do not tell from it.
    pub as_good: Vec<WeightedBandwidth>,
    /// All that were tried, the best first.
    pub tried: Vec<WeightedBandwidth>,
}

/// Decides which weights to try next.
#[derive(Clone, Debug)]
pub struct WeightSearch {
    /// What each node moves alone; empty where that is not known of all of them.
    alone: Vec<f64>,
    nodes: usize,
    limits: WeightLimits,
    first: Vec<Vec<u32>>,
    matrix: BTreeMap<Vec<u32>, Vec<(f64, f64)>>,
    unanswered: BTreeSet<Vec<u32>>,
    measurements: usize,
}

impl WeightSearch {
    /// Starts from what each node moves alone, in any unit; where that is unknown, or not above 0,
    /// from equal weights.
    pub fn new(alone: &[f64], limits: WeightLimits) -> Self {
        let largest = limits.largest.max(1);
        let limits = WeightLimits { largest, ..limits };
        let nodes = alone.len();
        let mut first: Vec<Vec<u32>> = if nodes > 0 { vec![vec![1; nodes]] } else { Vec::new() };
        let is_known =
            nodes > 0 && alone.iter().all(|&bandwidth| bandwidth.is_finite() && bandwidth > 0.0);
        let alone = if is_known { alone.to_vec() } else { Vec::new() };
        first.extend(guess(&alone, largest));
        first.dedup();
        Self {
            alone,
            nodes,
            limits,
            first,
            matrix: BTreeMap::new(),
            unanswered: BTreeSet::new(),
            measurements: 0,
        }
    }

    /// The weights to measure now; none when the search is over. Those that were asked for and not
    /// answered are asked for again.
    pub fn next_weights(&mut self) -> Vec<Vec<u32>> {
        if self.unanswered.is_empty() {
            let room = self.limits.measurements.saturating_sub(self.measurements);
            self.unanswered = self.plan().into_iter().take(room).collect();
        }
        self.unanswered.iter().cloned().collect()
    }

    /// Takes a measurement: bytes a second, and their relative standard error. What is no bandwidth
    /// is an answer, but not counted.
    pub fn tell(&mut self, weights: &[u32], bytes_per_s: f64, relative_se: f64) {
        let weights = reduced(weights);
        self.unanswered.remove(&weights);
        self.measurements += 1;
        let matrix = self.matrix.entry(weights.clone()).or_default();
        if weights.len() == self.nodes && bytes_per_s.is_finite() && bytes_per_s > 0.0 {
            let se = if relative_se.is_finite() { relative_se.max(LEAST_SE) } else { LEAST_SE };
            matrix.push((bytes_per_s, se));
        }
    }

    /// What is known by now; `None` where nothing could be measured.
    pub fn finish(&self) -> Option<BestWeights> {
        let mut tried: Vec<WeightedBandwidth> = self.matrix.iter().filter_map(weighted).collect();
        tried.sort_by(|a, b| b.bytes_per_s.total_cmp(&a.bytes_per_s));
        let best = tried.first()?.clone();
        let as_good =
            tried[1..].iter().filter(|other| !is_told_apart(&best, other)).cloned().collect();
        Some(BestWeights { best, as_good, tried })
    }

    fn plan(&self) -> Vec<Vec<u32>> {
        let is_new = |weights: &Vec<u32>| !self.matrix.contains_key(weights);
        let fresh: Vec<Vec<u32>> =
            self.first.iter().filter(|weights| is_new(weights)).cloned().collect();
        if !fresh.is_empty() {
            return fresh;
        }
        let Some(found) = self.finish() else { return Vec::new() };
        let steps = neighbours(&found.best.weights, self.limits.largest);
        let mut untried: Vec<Vec<u32>> = steps.into_iter().filter(is_new).collect();
        if !untried.is_empty() {
            // Those that promise most first: there may not be room for all.
            untried.sort_by(|a, b| expected(&self.alone, b).total_cmp(&expected(&self.alone, a)));
            return untried;
        }
        let contenders =
            std::iter::once(&found.best).chain(&found.as_good).map(|contender| &contender.weights);
        contenders.filter(|weights| self.matrix[*weights].len() < SAMPLES).cloned().collect()
    }
}

fn weighted((weights, matrix): (&Vec<u32>, &Vec<(f64, f64)>)) -> Option<WeightedBandwidth> {
    let count = matrix.len() as f64;
    let mean = matrix.iter().map(|sample| sample.0).sum::<f64>() / count;
    let squares = matrix.iter().map(|sample| sample.1.powi(2)).sum::<f64>();
    let told = WeightedBandwidth {
        weights: weights.clone(),
        bytes_per_s: mean,
        relative_se: squares.sqrt() / count,
    };
    (!matrix.is_empty()).then_some(told)
}

fn is_told_apart(best: &WeightedBandwidth, other: &WeightedBandwidth) -> bool {
    (best.bytes_per_s / other.bytes_per_s).ln()
        > TOLD_APART * best.relative_se.hypot(other.relative_se)
}

/// Weights in proportion to bandwidths: of all scales, the one at which the nodes together should
/// give most; the smallest of equals.
fn guess(alone: &[f64], largest: u32) -> Option<Vec<u32>> {
    if alone.is_empty() {
        return None;
    }
    let most = alone.iter().copied().fold(0.0, f64::max);
    let at_scale = |scale: u32| -> Vec<u32> {
        alone.iter().map(|bandwidth| (bandwidth / most * f64::from(scale)).round() as u32).collect()
    };
    let mut best: Option<(f64, Vec<u32>)> = None;
    for weights in (1..=largest).map(at_scale) {
        let total = expected(alone, &weights);
        if best.as_ref().is_none_or(|(most, _)| total > *most * 1.001) {
            best = Some((total, reduced(&weights)));
        }
    }
    best.map(|(_, weights)| weights)
}

/// What nodes with these bandwidths give together.
fn expected(alone: &[f64], weights: &[u32]) -> f64 {
    let sum = f64::from(weights.iter().sum::<u32>());
    let used = alone.iter().zip(weights).filter(|(_, weight)| **weight > 0);
    used.map(|(bandwidth, &weight)| bandwidth * sum / f64::from(weight))
        .fold(f64::INFINITY, f64::min)
}

/// All weights one step away, at every scale at which they stay small.
fn neighbours(weights: &[u32], largest: u32) -> BTreeSet<Vec<u32>> {
    let most = weights.iter().copied().max().unwrap_or(0).max(1);
    let mut found = BTreeSet::new();
    for scale in std::iter::successors(Some(1), |scale| Some(scale * 2))
        .take_while(|scale| scale * most <= largest)
    {
        let scaled: Vec<u32> = weights.iter().map(|weight| weight * scale).collect();
        let classes: BTreeSet<u32> = scaled.iter().copied().collect();
        let alone = (0..weights.len()).map(|node| vec![node]);
        // Two nodes may limit at once: lowering either alone asks more of the other. The finest
        // scale suffices for them.
        let is_finest = scale * 2 * most > largest;
        let pairs =
            (0..weights.len()).flat_map(|b| (0..b).map(move |a| vec![a, b])).filter(|_| is_finest);
        let together = classes
            .iter()
            .map(|class| (0..weights.len()).filter(|&node| scaled[node] == *class).collect());
        for nodes in alone.chain(together).chain(pairs) {
            for up in [true, false] {
                let mut stepped = scaled.clone();
                for &node in &nodes {
                    stepped[node] =
                        if up { stepped[node] + 1 } else { stepped[node].saturating_sub(1) };
                }
                let is_small = stepped.iter().all(|&weight| weight <= largest)
                    && stepped.iter().any(|&weight| weight > 0);
                if is_small {
                    found.insert(reduced(&stepped));
                }
            }
        }
    }
    found.remove(weights);
    found
}

/// The same weights without a common divisor.
pub fn reduced(weights: &[u32]) -> Vec<u32> {
    let divisor = weights.iter().copied().fold(0, greatest_common_divisor).max(1);
    weights.iter().map(|weight| weight / divisor).collect()
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// Searches on nodes of these bandwidths, of which the given guess is wrong by up to a share.
    fn searched(nodes: &[f64], wrong: f64, noise: f64, seed: u64) -> (BestWeights, usize) {
        let rng = &mut Rng::with_seed(seed);
        let guessed: Vec<f64> = nodes
            .iter()
            .map(|bandwidth| bandwidth * (1.0 + wrong * (2.0 * rng.f64() - 1.0)))
            .collect();
        let mut search = WeightSearch::new(&guessed, WeightLimits::default());
        let mut measurements = 0;
        loop {
            let batch = search.next_weights();
            if batch.is_empty() {
                return (search.finish().unwrap(), measurements);
            }
            for weights in batch {
                measurements += 1;
                search.tell(
                    &weights,
                    expected(nodes, &weights) * (1.0 + noise * crate::normal(rng)),
                    noise,
                );
            }
        }
    }

    /// The most that any weights up to 16 give.
    fn optimum(nodes: &[f64]) -> Vec<u32> {
        let mut best = (0.0, Vec::new());
        let mut weights = vec![0; nodes.len()];
        loop {
            let Some(node) = weights.iter().position(|&weight| weight < 16) else { return best.1 };
            weights[node] += 1;
            weights[..node].fill(0);
            let total = expected(nodes, &weights);
            if total > best.0 {
                best = (total, reduced(&weights));
            }
        }
    }

    #[test]
    fn weights_are_counted_without_a_common_divisor() {
        assert_eq!(reduced(&[4, 4, 2]), [2, 2, 1]);
        assert_eq!(reduced(&[9, 0, 3]), [3, 0, 1]);
        assert_eq!(reduced(&[0, 0]), [0, 0]);
    }

    #[test]
    fn the_best_is_within_one_step_of_the_optimum() {
        let machines: [&[f64]; 6] = [
            &[100.0, 100.0],
            &[100.0, 40.0],
            &[200.0, 200.0, 30.0],
            &[100.0, 100.0, 50.0, 50.0],
            &[210.0, 4.0],
            &[90.0, 61.0, 33.0],
        ];
        for nodes in machines {
            let optimum = optimum(nodes);
            let near = neighbours(&optimum, 16);
            for seed in 0..40 {
                let (found, measurements) = searched(nodes, 0.2, 0.005, seed);
                let best = &found.best.weights;
                let lost = 1.0 - expected(nodes, best) / expected(nodes, &optimum);
                assert!(
                    near.contains(best) || lost < 0.025,
                    "{nodes:?}, seed {seed}: {best:?}, not {optimum:?} ({lost})"
                );
                assert!(measurements <= 100);
                assert_eq!(found.tried[0], found.best);
            }
        }
    }

    /// Eight equal nodes have hundreds of neighbours: those measured are the ones that ask little
    /// more of any node.
    #[test]
    fn where_there_is_not_room_for_all_steps_the_most_promising_are_measured() {
        let limits = WeightLimits { largest: 16, measurements: 11 };
        let alone = [100.0, 100.0, 100.0, 100.0];
        let mut search = WeightSearch::new(&alone, limits);
        assert_eq!(search.next_weights(), [[1, 1, 1, 1]]);
        search.tell(&[1, 1, 1, 1], 400.0, 0.002);
        let steps = search.next_weights();
        assert_eq!(steps.len(), 10);
        assert!(steps.iter().all(|weights| expected(&alone, weights) > 370.0), "{steps:?}");
    }

    #[test]
    fn what_cannot_be_told_from_the_best_is_named() {
        let (found, _) = searched(&[100.0, 98.0], 0.0, 0.01, 1);
        let all: Vec<&Vec<u32>> =
            found.as_good.iter().chain([&found.best]).map(|told| &told.weights).collect();
        assert!(all.contains(&&vec![1, 1]), "{found:?}");
        let (clear, _) = searched(&[100.0, 10.0], 0.0, 0.002, 1);
        assert_eq!(clear.best.weights, [10, 1]);
        assert!(clear.as_good.iter().all(|told| told.weights[0] >= 8), "{clear:?}");
    }

    #[test]
    fn no_node_one_node_and_no_answer_end_the_search() {
        let mut none = WeightSearch::new(&[], WeightLimits::default());
        assert_eq!((none.next_weights().len(), none.finish()), (0, None));
        assert_eq!(searched(&[50.0], 0.0, 0.01, 1).0.best.weights, [1]);
        let mut failing = WeightSearch::new(&[1.0, f64::NAN], WeightLimits::default());
        assert_eq!(failing.next_weights(), [[1, 1]]);
        assert_eq!(failing.next_weights(), [[1, 1]]);
        failing.tell(&[1, 1], f64::NAN, 0.0);
        assert_eq!((failing.next_weights().len(), failing.finish()), (0, None));
    }
}
