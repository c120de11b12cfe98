//! What runs of a program under several configurations tell: how long each takes and how steadily,
//! which differ, and which is best.
//!
//! Runs come in *blocks*: each block runs every configuration once, in random order. So two
//! configurations are compared run by run within blocks, and what made a block slow for both
//! cancels (Fisher, *The Design of Experiments*, 1935). Times are compared as ratios, on their
//! logarithms.
//!
//! - [`Trials::summary`]: the median of one configuration, its interval, its spread, whether it
//!   failed.
//! - [`Trials::differences`]: every pair, called real at a family-wise 5 %.
//! - [`apart()`]: the same for runs of two sweeps, which share no blocks.
//! - [`Trials::ranking`]: the fastest, the steadiest, and those that no other beats in both.
//! - [`Trials::variability_p`]: is one really steadier than the other? And
//!   [`Trials::least_variable_p`]: is the steadiest?
//! - [`find_modes()`]: does a configuration have two typical times rather than one, and which runs
//!   belong to which?
//! - [`predictors`]: which of the runs' other figures goes with the mode.
//! - [`scaling`]: where more parallelism stops paying, and which law it follows.

mod difference;
mod law;
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

use std::collections::BTreeMap;

pub use difference::{Difference, RatioTest};
pub use law::{Law, LawKind};
pub use modes::{FEWEST_RUNS, Modes, find_modes};
pub use ranking::Ranking;
pub use summary::{Summary, median};
pub use unpaired::compare_unpaired;

/// A figure of each run: which configuration, which block, how much. Lower is better: whoever has a
/// figure of which more is better, hands in its inverse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trials {
    /// By configuration, then by block.
    values: Vec<BTreeMap<u32, f64>>,
}

impl Trials {
    /// So many configurations without runs.
    pub fn new(configurations: usize) -> Self {
        Self { values: vec![BTreeMap::new(); configurations] }
    }

    /// Adds a run. What is not above zero and finite is no figure of a run, and is left out; so is
    /// a configuration that there is not.
    pub fn add(&mut self, configuration: usize, block: u32, value: f64) {
        if let Some(runs) =
            self.values.get_mut(configuration).filter(|_| value > 0.0 && value.is_finite())
        {
            runs.insert(block, value);
        }
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> usize {
        self.values.len()
    }

    /// The runs of one configuration, by block.
    pub fn of(&self, configuration: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + '_ {
        self.values[configuration].iter().map(|(block, value)| (*block, *value))
    }
}

/// How often a normal deviate is farther from zero than this, on either side.
pub fn normal_p(z: f64) -> f64 {
    crate::student::two_sided_p(z, 1e9)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample's standard deviation; none below two values.
fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let sum: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (sum / (values.len() - 1) as f64).sqrt())
}
