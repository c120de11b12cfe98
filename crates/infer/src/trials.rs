//! Runs of a program under several configurations: their times, variability, differences and
//! ranking.
//!
//! Runs form *blocks*: each block runs every configuration once, in random order. So two
//! configurations are compared within blocks, and a disturbance of the whole block cancels (Fisher,
//! *The Design of Experiments*, 1935). Times are compared as ratios, on their logarithms.
//!
//! - [`Trials::summary`]: the median of one configuration, its interval and spread.
//! - [`Trials::median_differences`]: every pair by the ratio of medians, at a family-wise 5 %.
//! - [`Trials::differences`]: every pair by ratios within blocks, for designs of fixed size.
//! - [`compare_unpaired()`]: the same for runs of two sweeps, which share no blocks.
//! - [`Trials::ranking`]: the fastest, the least variable, and the Pareto front of both.
//! - [`Trials::variability_p`]: is one really less variable than the other?
//!   [`Trials::least_variable_p`]: is the least variable one?
//! - [`find_modes()`]: is a configuration bimodal, and which runs belong to which mode?
//! - [`predictors`]: which other figures of the runs predict the mode.
//! - [`scaling`]: the number of jobs from which more do not help, and the scaling law.

mod difference;
mod law;
mod median_ratio;
pub mod predictors;
mod ranking;
pub mod scaling;
mod summary;
#[cfg(test)]
mod tests;
mod unpaired;
mod variability;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::normal;

pub use difference::{Difference, RatioTest};
pub use law::{Law, LawKind};
pub use median_ratio::MIN_BLOCKS;
pub use ranking::Ranking;
pub use summary::{Summary, median};
pub use unpaired::compare_unpaired;

/// One figure for each run, by configuration and block. Lower is better: figures for which more is
/// better are inverted first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trials {
    /// By configuration, then by block.
    values: Vec<BTreeMap<u32, f64>>,
    /// Derived once: all answers share one family.
    median_differences: OnceCell<Vec<Difference>>,
}

impl Trials {
    /// Trials without runs, for this number of configurations.
    pub fn new(configurations: usize) -> Self {
        Self { values: vec![BTreeMap::new(); configurations], median_differences: OnceCell::new() }
    }

    /// Adds a run. Values that are not finite and above zero are skipped, and so are unknown
    /// configurations.
    pub fn add(&mut self, configuration: usize, block: u32, value: f64) {
        if let Some(runs) =
            self.values.get_mut(configuration).filter(|_| value > 0.0 && value.is_finite())
        {
            runs.insert(block, value);
            self.median_differences = OnceCell::new();
        }
    }

    /// The number of configurations.
    pub fn configurations(&self) -> usize {
        self.values.len()
    }

    /// The runs of one configuration, by block.
    pub fn of(&self, configuration: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + '_ {
        self.values[configuration].iter().map(|(block, value)| (*block, *value))
    }
}

/// The probability of a normal deviate with a larger absolute value.
pub fn normal_p(z: f64) -> f64 {
    crate::student::two_sided_p(z, 1e9)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample's standard deviation; none for fewer than two values.
fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let sum: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (sum / (values.len() - 1) as f64).sqrt())
}

/// A mean with its error.
struct Mean {
    mean: f64,
    variance: f64,
    freedom: f64,
}

impl Mean {
    /// From independent values; none for fewer than two.
    fn from_values(values: &[f64]) -> Option<Self> {
        let variance = deviation(values)?.powi(2) / values.len() as f64;
        Some(Self { mean: mean(values), variance, freedom: (values.len() - 1) as f64 })
    }

    /// The difference to another mean, its standard error and degrees of freedom.
    fn to(&self, other: &Self) -> (f64, f64, f64) {
        let variance = self.variance + other.variance;
        let part = |side: &Self| side.variance.powi(2) / side.freedom;
        (other.mean - self.mean, variance.sqrt(), variance.powi(2) / (part(self) + part(other)))
    }
}

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
