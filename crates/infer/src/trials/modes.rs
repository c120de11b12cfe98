//! Bimodal times: a program with near memory in some runs and far memory in others.
//!
//! The runs are cut in two where that explains most of their scatter. A unimodal sample has such a
//! cut, too, and a long tail a good one. So the cut counts only if samples of the same size from a
//! normal and an exponential distribution hardly ever have one as good.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::mean;
use crate::normal;

/// Fewer runs may have a good cut by chance.
pub const MIN_RUNS: usize = 8;
/// The minimum number of runs in a mode.
const MIN_OF_ONE: usize = 2;
/// The rate of false bimodality.
const ALPHA: f64 = 0.01;
const SIMULATIONS: usize = 1_000;
/// The smallest distance of modes (log).
const NEAREST: f64 = 0.02;

/// Two modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Modes {
    /// The typical (geometric mean) time of each, the lower first.
    pub centers: [f64; 2],
    /// Number of runs in each.
    pub runs: [usize; 2],
    /// The boundary: runs above belong to the second.
    pub boundary: f64,
    /// The p-value of the cut, for a unimodal distribution.
    pub p: f64,
}

/// The two modes of these times, in any order, if they are significant.
pub fn find_modes(times: &[f64], seed: u64) -> Option<Modes> {
    let mut logs: Vec<f64> = times
        .iter()
        .filter(|time| **time > 0.0 && time.is_finite())
        .map(|time| time.ln())
        .collect();
    logs.sort_by(f64::total_cmp);
    let (at, left) = best_cut(&logs).filter(|_| logs.len() >= MIN_RUNS)?;
    let [low, high] = [mean(&logs[..at]), mean(&logs[at..])];
    let p = (high - low >= NEAREST)
        .then(|| by_chance(logs.len(), left, seed))
        .filter(|p| *p <= ALPHA)?;
    Some(Modes {
        centers: [low.exp(), high.exp()],
        runs: [at, logs.len() - at],
        boundary: f64::midpoint(logs[at - 1], logs[at]).exp(),
        p,
    })
}

/// The best cut, and the remaining share of the scatter on both sides.
fn best_cut(ascending: &[f64]) -> Option<(usize, f64)> {
    let last = ascending.len().checked_sub(MIN_OF_ONE)?;
    // Prefix sums of values and squares about the middle, to avoid rounding errors of large
    // figures.
    let middle = mean(ascending);
    let mut sums = vec![(0.0, 0.0)];
    for value in ascending.iter().map(|value| value - middle) {
        let (values, squares) = sums[sums.len() - 1];
        sums.push((values + value, squares + value * value));
    }
    // Squares of the distances to the mean.
    let scatter = |count: usize, values: f64, squares: f64| {
        f64::max(squares - values * values / count as f64, 0.0)
    };
    let (values, squares) = sums[ascending.len()];
    let whole = scatter(ascending.len(), values, squares);
    if whole <= 0.0 {
        return None;
    }
    let left = |at: usize| {
        let (below, below_squares) = sums[at];
        let above = scatter(ascending.len() - at, values - below, squares - below_squares);
        (scatter(at, below, below_squares) + above) / whole
    };
    (MIN_OF_ONE..=last).map(|at| (at, left(at))).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The probability of a cut as good for unimodal runs: the larger of both distributions.
fn by_chance(runs: usize, left: f64, seed: u64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let shapes: [fn(&mut Rng) -> f64; 2] = [normal, |rng| -(1.0 - rng.f64()).ln()];
    let share = |shape: fn(&mut Rng) -> f64, rng: &mut Rng| {
        let as_clean = (0..SIMULATIONS).filter(|_| {
            let mut values: Vec<f64> = (0..runs).map(|_| shape(rng)).collect();
            values.sort_by(f64::total_cmp);
            best_cut(&values).is_some_and(|cut| cut.1 <= left)
        });
        (as_clean.count() + 1) as f64 / (SIMULATIONS + 1) as f64
    };
    shapes.into_iter().map(|shape| share(shape, &mut rng)).fold(0.0, f64::max)
}
