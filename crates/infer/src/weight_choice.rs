//! Whether interleaving pays: the best weights against each node alone.
//!
//! The best of many weights looks better than it is, because its noise helped it to win. So its
//! advantage over a node alone is judged at a level that is divided by the number of candidates:
//! whichever had won, its interval would hold.

use serde::{Deserialize, Serialize};

use crate::student::{as_rare_as, one_sided_p};
use crate::weight_search::{BestWeights, WeightedBandwidth};

/// The probability that an interval fails at either end, over all candidates.
const LEVEL: f64 = 0.025;
/// Figures of fewer processes have this many.
const MIN_PROCESSES: usize = 3;

/// What follows from measured weights.
#[derive(Clone, Debug, PartialEq)]
pub enum WeightChoice {
    /// These interleaved weights are faster than each node alone, by at least the interval's start
    /// (a ratio minus 1, relative to the fastest node).
    Interleaved(WeightedBandwidth, [f64; 2]),
    /// No measured weights are faster than this node alone.
    OneNode(WeightedBandwidth),
    /// The measurements do not decide.
    Undetermined(WeightsUndetermined),
}

/// Why no weights are best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum WeightsUndetermined {
    /// These nodes have no figure alone.
    NoFigureAlone {
        /// Of a choice their indexes, in documents their numbers.
        nodes: Vec<usize>,
    },
    /// All nodes in turn have no figure, or no interleaved weights have one.
    NoFigureInterleaved,
    /// The leading weights may be no faster than the fastest node alone.
    WithinNoise {
        /// Their bandwidth over that of this node, minus 1: an interval that holds for the best of
        /// all candidates (95 %).
        gain_ci95: [f64; 2],
        /// The fastest node: of a choice its index, in documents its number.
        node: usize,
    },
}

/// Compares the weights with figures. Nodes without a figure in any weights are no alternative.
/// `processes` is the number of processes that measured weights.
pub fn choose(found: &BestWeights, processes: impl Fn(&[u32]) -> usize) -> WeightChoice {
    let nodes = found.best.weights.len();
    let is_used = |node: usize| found.tried.iter().any(|tried| tried.weights[node] > 0);
    let used: Vec<usize> = (0..nodes).filter(|&node| is_used(node)).collect();
    let of = |weights: Vec<u32>| found.tried.iter().find(|tried| tried.weights == weights);
    let alone = |node: usize| of((0..nodes).map(|at| u32::from(at == node)).collect());
    let unknown: Vec<usize> = used.iter().copied().filter(|&node| alone(node).is_none()).collect();
    if !unknown.is_empty() {
        let why = WeightsUndetermined::NoFigureAlone { nodes: unknown };
        return WeightChoice::Undetermined(why);
    }
    let interleaved: Vec<&WeightedBandwidth> =
        found.tried.iter().filter(|tried| is_interleaved(&tried.weights)).collect();
    let equal = of((0..nodes).map(|at| u32::from(used.contains(&at))).collect());
    let fastest = used.iter().filter_map(|&node| Some((node, alone(node)?)));
    let fastest = fastest.max_by(|a, b| a.1.bytes_per_s.total_cmp(&b.1.bytes_per_s));
    let (Some(leading), Some(_), Some((node, one))) = (interleaved.first(), equal, fastest) else {
        return WeightChoice::Undetermined(WeightsUndetermined::NoFigureInterleaved);
    };
    if one.bytes_per_s >= leading.bytes_per_s {
        return WeightChoice::OneNode(one.clone());
    }
    let log = (leading.bytes_per_s / one.bytes_per_s).ln();
    let error = leading.relative_se.hypot(one.relative_se);
    let fewest = processes(&leading.weights).min(processes(&one.weights)).max(MIN_PROCESSES);
    let reach = as_rare_as(normal_beyond(LEVEL / interleaved.len() as f64), (fewest - 1) as f64);
    let gain_ci95 = [log - reach * error, log + reach * error].map(f64::exp_m1);
    if gain_ci95[0] > 0.0 {
        WeightChoice::Interleaved((*leading).clone(), gain_ci95)
    } else {
        WeightChoice::Undetermined(WeightsUndetermined::WithinNoise { gain_ci95, node })
    }
}

fn is_interleaved(weights: &[u32]) -> bool {
    weights.iter().filter(|weight| **weight > 0).count() > 1
}

/// The normal deviate that this share exceeds.
fn normal_beyond(share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if one_sided_p(middle, 1e9) > share { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::normal;
    use crate::weight_search::{WeightLimits, WeightSearch};

    const WEIGHTS: [[u32; 2]; 9] =
        [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2], [3, 1], [3, 2], [4, 1], [5, 2]];

    /// Bandwidths of these weights; none where there is no figure.
    fn chosen(of: impl Fn([u32; 2]) -> Option<f64>, se: f64) -> Option<WeightChoice> {
        let mut search = WeightSearch::new(&[0.0; 2], WeightLimits::default());
        for weights in WEIGHTS {
            if let Some(rate) = of(weights) {
                search.record(&weights, rate, se);
            }
        }
        search.finish().map(|found| choose(&found, |_| 8))
    }

    fn moved([a, b]: [u32; 2], give: [f64; 2]) -> f64 {
        let sum = f64::from(a + b);
        let limit = |weight: u32, rate: f64| match weight {
            0 => f64::INFINITY,
            _ => rate * sum / f64::from(weight),
        };
        limit(a, give[0]).min(limit(b, give[1]))
    }

    /// At 0206d5e9: "best weights 0=1,1=1 ... Use: nearfar run --interleave 0-1".
    #[test]
    fn a_lone_candidate_is_not_the_best() {
        let only = chosen(|weights| (weights == [1, 1]).then_some(5.4e9), 0.01);
        let why = WeightsUndetermined::NoFigureAlone { nodes: vec![0, 1] };
        assert_eq!(only, Some(WeightChoice::Undetermined(why)));
        let no_first =
            chosen(|weights| (weights != [1, 0]).then(|| moved(weights, [8e9, 2.7e9])), 0.01);
        let why = WeightsUndetermined::NoFigureAlone { nodes: vec![0] };
        assert_eq!(no_first, Some(WeightChoice::Undetermined(why)));
        let alone = chosen(|weights| (weights == [1, 0]).then_some(8e9), 0.01);
        let why = WeightsUndetermined::NoFigureInterleaved;
        assert_eq!(alone, Some(WeightChoice::Undetermined(why)));
        assert_eq!(chosen(|_| None, 0.01), None);
    }

    #[test]
    fn the_best_wins_against_each_node_alone() {
        let best = chosen(|weights| Some(moved(weights, [8e9, 2.7e9])), 0.01);
        let Some(WeightChoice::Interleaved(best, [low, high])) = best else { panic!("{best:?}") };
        assert_eq!(best.weights, [3, 1]);
        let gain = best.bytes_per_s / 8e9 - 1.0;
        assert!(0.2 < low && low < gain && gain < high, "{low} {gain} {high}");
        let slow = chosen(|weights| Some(moved(weights, [8e9, 0.5e9])), 0.01);
        let Some(WeightChoice::OneNode(one)) = slow else { panic!("{slow:?}") };
        assert_eq!(one.weights, [1, 0]);
    }

    #[test]
    fn the_winner_of_equal_weights_is_undetermined() {
        let mut wrong = 0;
        for seed in 0..1000 {
            let rng = std::cell::RefCell::new(Rng::with_seed(seed));
            let noisy = |_: [u32; 2]| Some(8e9 * (0.02 * normal(&mut rng.borrow_mut())).exp());
            let found = chosen(noisy, 0.02);
            wrong += u32::from(matches!(found, Some(WeightChoice::Interleaved(..))));
        }
        assert!(wrong <= 50, "{wrong} of 1000");
    }
}
