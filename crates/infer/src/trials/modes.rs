//! Two typical times in place of one: a program that finds its memory near in some runs and far in
//! others.
//!
//! The runs are cut in two where that explains most of their scatter. One mode can be cut, too, and
//! one with a long tail very well; so the cut counts only where hardly any sample of as many runs
//! from a bell (normal) or a long tail (exponential) is cut as cleanly.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::mean;
use crate::normal;

/// Fewer runs can be cut cleanly by chance: among them no modes are looked for.
pub const FEWEST_RUNS: usize = 8;
/// Two runs are the fewest that a mode may have.
const FEWEST_OF_ONE: usize = 2;
/// How often one mode may be taken for two.
const ALPHA: f64 = 0.01;
const SIMULATIONS: usize = 1_000;
/// Modes closer than this (log) are of no interest to anybody.
const NEAREST: f64 = 0.02;

/// Two modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modes {
    /// The typical (geometric mean) time of each, the lower first.
    pub centers: [f64; 2],
    /// How many runs each has.
    pub runs: [usize; 2],
    /// Between them: runs above belong to the second.
    pub boundary: f64,
    /// How often runs of one mode are cut as cleanly.
    pub p: f64,
}

/// Two modes among these times, in any order, where there are two beyond doubt.
pub fn find_modes(times: &[f64], seed: u64) -> Option<Modes> {
    let mut logs: Vec<f64> = times
        .iter()
        .filter(|time| **time > 0.0 && time.is_finite())
        .map(|time| time.ln())
        .collect();
    logs.sort_by(f64::total_cmp);
    let (at, left) = best_cut(&logs).filter(|_| logs.len() >= FEWEST_RUNS)?;
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

/// Where values are cut, and the share of their scatter that is left on both sides.
fn best_cut(ascending: &[f64]) -> Option<(usize, f64)> {
    let last = ascending.len().checked_sub(FEWEST_OF_ONE)?;
    // Sums of the values so far and of their squares; about the middle, lest large figures drown in
    // rounding.
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
    (FEWEST_OF_ONE..=last).map(|at| (at, left(at))).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// How often so many runs of one mode are cut as cleanly: the more frequent of both shapes.
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
