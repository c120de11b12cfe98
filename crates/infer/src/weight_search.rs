//! Search for the interleave weights with the largest bandwidth, over small integers. It measures
//! nothing itself.
//!
//! The total bandwidth is limited by the node with the largest share relative to its bandwidth:
//! `min(bandwidth / share)`. So weights in proportion to each node's own bandwidth are the first
//! guess. The search then changes the best weights so far by one step: one node's weight, or that
//! of all nodes with equal weight, or of two nodes, up or down by one, at several scales (1:1 is
//! 8:8, whose neighbour is 9:8). Weights that do not differ significantly from the best are
//! measured again, and reported with it if they still do not.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Number of samples of the best weights and of those that do not differ significantly from them.
const SAMPLES: usize = 3;
/// Differences of more standard errors than this are significant.
const SIGNIFICANT: f64 = 2.0;
/// Minimum of a sample's standard error, as a fraction.
const MIN_SE: f64 = 0.002;

/// Limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightLimits {
    /// The largest weight.
    pub largest: u32,
    /// The largest number of measurements.
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
    /// The bandwidth, in bytes a second: the mean of all samples.
    pub bytes_per_s: f64,
    /// Its standard error, as a fraction.
    pub relative_se: f64,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestWeights {
    /// The best weights.
    pub best: WeightedBandwidth,
    /// Others that do not differ significantly from the best.
    pub as_good: Vec<WeightedBandwidth>,
    /// All measured weights, the best first.
    pub tried: Vec<WeightedBandwidth>,
}

/// Selects the weights to measure next.
#[derive(Clone, Debug)]
pub struct WeightSearch {
    /// The bandwidth of each node alone; empty where it is unknown for any of them.
    alone: Vec<f64>,
    nodes: usize,
    limits: WeightLimits,
    first: Vec<Vec<u32>>,
    samples: BTreeMap<Vec<u32>, Vec<(f64, f64)>>,
    unanswered: BTreeSet<Vec<u32>>,
    measurements: usize,
}

impl WeightSearch {
    /// Starts from the bandwidth of each node alone, in any unit; without it, from equal weights.
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
            samples: BTreeMap::new(),
            unanswered: BTreeSet::new(),
            measurements: 0,
        }
    }

    /// The weights to measure now; none when the search is over. Requests without a result are
    /// repeated.
    pub fn next_weights(&mut self) -> Vec<Vec<u32>> {
        if self.unanswered.is_empty() {
            let room = self.limits.measurements.saturating_sub(self.measurements);
            self.unanswered = self.plan().into_iter().take(room).collect();
        }
        self.unanswered.iter().cloned().collect()
    }

    /// Records a measurement: bytes a second, and their relative standard error. An invalid
    /// bandwidth completes the request, and is not counted.
    pub fn record(&mut self, weights: &[u32], bytes_per_s: f64, relative_se: f64) {
        let weights = reduced(weights);
        self.unanswered.remove(&weights);
        self.measurements += 1;
        let samples = self.samples.entry(weights.clone()).or_default();
        if weights.len() == self.nodes && bytes_per_s.is_finite() && bytes_per_s > 0.0 {
            let se = if relative_se.is_finite() { relative_se.max(MIN_SE) } else { MIN_SE };
            samples.push((bytes_per_s, se));
        }
    }

    /// The result so far; `None` without a measurement.
    pub fn finish(&self) -> Option<BestWeights> {
        let mut tried: Vec<WeightedBandwidth> = self.samples.iter().filter_map(weighted).collect();
        tried.sort_by(|a, b| b.bytes_per_s.total_cmp(&a.bytes_per_s));
        let best = tried.first()?.clone();
        let as_good =
            tried[1..].iter().filter(|other| !is_distinguished(&best, other)).cloned().collect();
        Some(BestWeights { best, as_good, tried })
    }

    fn plan(&self) -> Vec<Vec<u32>> {
        let is_new = |weights: &Vec<u32>| !self.samples.contains_key(weights);
        let fresh: Vec<Vec<u32>> =
            self.first.iter().filter(|weights| is_new(weights)).cloned().collect();
        if !fresh.is_empty() {
            return fresh;
        }
        let Some(found) = self.finish() else { return Vec::new() };
        let steps = neighbours(&found.best.weights, self.limits.largest);
        let mut untried: Vec<Vec<u32>> = steps.into_iter().filter(is_new).collect();
        if !untried.is_empty() {
            // Most promising first: the limit may cut off the rest.
            untried.sort_by(|a, b| expected(&self.alone, b).total_cmp(&expected(&self.alone, a)));
            return untried;
        }
        let contenders =
            std::iter::once(&found.best).chain(&found.as_good).map(|contender| &contender.weights);
        contenders.filter(|weights| self.samples[*weights].len() < SAMPLES).cloned().collect()
    }
}

fn weighted((weights, samples): (&Vec<u32>, &Vec<(f64, f64)>)) -> Option<WeightedBandwidth> {
    let count = samples.len() as f64;
    let mean = samples.iter().map(|sample| sample.0).sum::<f64>() / count;
    let squares = samples.iter().map(|sample| sample.1.powi(2)).sum::<f64>();
    let result = WeightedBandwidth {
        weights: weights.clone(),
        bytes_per_s: mean,
        relative_se: squares.sqrt() / count,
    };
    (!samples.is_empty()).then_some(result)
}

fn is_distinguished(best: &WeightedBandwidth, other: &WeightedBandwidth) -> bool {
    (best.bytes_per_s / other.bytes_per_s).ln()
        > SIGNIFICANT * best.relative_se.hypot(other.relative_se)
}

/// Weights in proportion to bandwidths, at the scale with the largest predicted total bandwidth;
/// the smallest of equals.
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

/// The predicted total bandwidth of nodes with these bandwidths.
fn expected(alone: &[f64], weights: &[u32]) -> f64 {
    let sum = f64::from(weights.iter().sum::<u32>());
    let used = alone.iter().zip(weights).filter(|(_, weight)| **weight > 0);
    used.map(|(bandwidth, &weight)| bandwidth * sum / f64::from(weight))
        .fold(f64::INFINITY, f64::min)
}

/// All weights one step away, at every scale within the limit.
fn neighbours(weights: &[u32], largest: u32) -> BTreeSet<Vec<u32>> {
    let most = weights.iter().copied().max().unwrap_or(0).max(1);
    let mut found = BTreeSet::new();
    for scale in std::iter::successors(Some(1), |scale| Some(scale * 2))
        .take_while(|scale| scale * most <= largest)
    {
        let scaled: Vec<u32> = weights.iter().map(|weight| weight * scale).collect();
        let classes: BTreeSet<u32> = scaled.iter().copied().collect();
        let alone = (0..weights.len()).map(|node| vec![node]);
        // Two nodes may limit together: a lower weight of either alone increases the share of the
        // other. The finest scale is sufficient for them.
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

    /// A search on nodes with these bandwidths. The first guess has errors of up to `wrong`.
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
                search.record(
                    &weights,
                    expected(nodes, &weights) * (1.0 + noise * crate::normal(rng)),
                    noise,
                );
            }
        }
    }

    /// The largest bandwidth of any weights up to 16.
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
    fn weights_are_reduced() {
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

    /// Eight equal nodes have hundreds of neighbours. Those measured increase no node's share much.
    #[test]
    fn limited_searches_try_promising_steps() {
        let limits = WeightLimits { largest: 16, measurements: 11 };
        let alone = [100.0, 100.0, 100.0, 100.0];
        let mut search = WeightSearch::new(&alone, limits);
        assert_eq!(search.next_weights(), [[1, 1, 1, 1]]);
        search.record(&[1, 1, 1, 1], 400.0, 0.002);
        let steps = search.next_weights();
        assert_eq!(steps.len(), 10);
        assert!(steps.iter().all(|weights| expected(&alone, weights) > 370.0), "{steps:?}");
    }

    #[test]
    fn equally_good_weights_are_listed() {
        let (found, _) = searched(&[100.0, 98.0], 0.0, 0.01, 1);
        let all: Vec<&Vec<u32>> =
            found.as_good.iter().chain([&found.best]).map(|result| &result.weights).collect();
        assert!(all.contains(&&vec![1, 1]), "{found:?}");
        let (clear, _) = searched(&[100.0, 10.0], 0.0, 0.002, 1);
        assert_eq!(clear.best.weights, [10, 1]);
        assert!(clear.as_good.iter().all(|result| result.weights[0] >= 8), "{clear:?}");
    }

    #[test]
    fn trivial_searches_end() {
        let mut none = WeightSearch::new(&[], WeightLimits::default());
        assert_eq!((none.next_weights().len(), none.finish()), (0, None));
        assert_eq!(searched(&[50.0], 0.0, 0.01, 1).0.best.weights, [1]);
        let mut failing = WeightSearch::new(&[1.0, f64::NAN], WeightLimits::default());
        assert_eq!(failing.next_weights(), [[1, 1]]);
        assert_eq!(failing.next_weights(), [[1, 1]]);
        failing.record(&[1, 1], f64::NAN, 0.0);
        assert_eq!((failing.next_weights().len(), failing.finish()), (0, None));
    }
}
