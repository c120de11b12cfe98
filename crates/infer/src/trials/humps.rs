//! Two typical times in place of one: a program that finds its memory near in some runs and far in others.
//!
//! The runs are cut in two where that explains most of their scatter. One hump can be cut, too, and one with a long tail very well; so the
//! cut counts only where hardly any sample of as many runs from a bell (normal) or a long tail (exponential) is cut as cleanly.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::mean;
use crate::normal;

/// Fewer runs can be cut cleanly by chance: among them no humps are looked for.
pub const FEWEST_RUNS: usize = 8;
/// Two runs are the fewest that a hump may have.
const FEWEST_OF_ONE: usize = 2;
/// How often one hump may be taken for two.
const ALPHA: f64 = 0.01;
const SIMULATIONS: usize = 1_000;
/// Humps closer than this (log) are of no interest to anybody.
const NEAREST: f64 = 0.02;

/// Two humps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Humps {
    /// The typical (geometric mean) time of each, the lower first.
    pub centers: [f64; 2],
    /// How many runs each has.
    pub runs: [usize; 2],
    /// Between them: runs above belong to the second.
    pub boundary: f64,
    /// How often runs of one hump are cut as cleanly.
    pub p: f64,
}

/// Two humps among these times, in any order, where there are two beyond doubt.
pub fn humps(times: &[f64], seed: u64) -> Option<Humps> {
    let mut logs: Vec<f64> =
        times.iter().filter(|time| **time > 0.0 && time.is_finite()).map(|time| time.ln()).collect();
    logs.sort_by(f64::total_cmp);
    let cut = best_cut(&logs).filter(|_| logs.len() >= FEWEST_RUNS)?;
    let [low, high] = [mean(&logs[..cut.at]), mean(&logs[cut.at..])];
    let p = (high - low >= NEAREST).then(|| by_chance(logs.len(), cut.left, seed)).filter(|p| *p <= ALPHA)?;
    Some(Humps {
        centers: [low.exp(), high.exp()],
        runs: [cut.at, logs.len() - cut.at],
        boundary: f64::midpoint(logs[cut.at - 1], logs[cut.at]).exp(),
        p,
    })
}

/// Where values are cut, and the share of their scatter that is left on both sides.
struct Cut {
    at: usize,
    left: f64,
}

/// From sums of the values so far and of their squares; about the middle, lest large figures drown in rounding.
fn best_cut(ascending: &[f64]) -> Option<Cut> {
    let last = ascending.len().checked_sub(FEWEST_OF_ONE)?;
    let middle = mean(ascending);
    let mut sums = vec![Sums::default()];
    for value in ascending {
        sums.push(sums[sums.len() - 1].with(value - middle));
    }
    let whole = sums[ascending.len()];
    if whole.scatter() <= 0.0 {
        return None;
    }
    let cuts = (FEWEST_OF_ONE..=last)
        .map(|at| Cut { at, left: (sums[at].scatter() + whole.without(sums[at]).scatter()) / whole.scatter() });
    cuts.min_by(|a, b| a.left.total_cmp(&b.left))
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    values: f64,
    squares: f64,
}

impl Sums {
    fn with(self, value: f64) -> Self {
        Self { count: self.count + 1.0, values: self.values + value, squares: self.squares + value * value }
    }

    fn without(self, other: Self) -> Self {
        Self {
            count: self.count - other.count,
            values: self.values - other.values,
            squares: self.squares - other.squares,
        }
    }

    /// Squares of the distances to the mean.
    fn scatter(self) -> f64 {
        (self.squares - self.values * self.values / self.count).max(0.0)
    }
}

/// How often so many runs of one hump are cut as cleanly: the more frequent of both shapes.
fn by_chance(runs: usize, left: f64, seed: u64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let shapes: [fn(&mut Rng) -> f64; 2] = [normal, |rng| -(1.0 - rng.f64()).ln()];
    let share = |shape: fn(&mut Rng) -> f64, rng: &mut Rng| {
        let as_clean = (0..SIMULATIONS).filter(|_| {
            let mut values: Vec<f64> = (0..runs).map(|_| shape(rng)).collect();
            values.sort_by(f64::total_cmp);
            best_cut(&values).is_some_and(|cut| cut.left <= left)
        });
        (as_clean.count() + 1) as f64 / (SIMULATIONS + 1) as f64
    };
    shapes.into_iter().map(|shape| share(shape, &mut rng)).fold(0.0, f64::max)
}
