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
mod modes;
pub mod predictors;
mod ranking;
pub mod scaling;
mod summary;
#[cfg(test)]
mod tests;
mod unpaired;
mod variability;
mod welch;

use std::cell::OnceCell;
use std::collections::BTreeMap;

pub use difference::{Difference, RatioTest};
pub use law::{Law, LawKind};
pub use median_ratio::MIN_BLOCKS;
pub use modes::{MIN_RUNS, Modes, find_modes};
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
