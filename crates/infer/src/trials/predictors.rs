//! Figures of the runs that predict their mode: remote pages, migrations, faults.

use serde::{Deserialize, Serialize};

use super::Mean;
use crate::student::two_sided_p;

/// Significance level, over all figures.
const ALPHA: f64 = 0.05;

/// A figure that differs between the modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Predictor<F> {
    /// The figure.
    pub figure: F,
    /// Its mean in each mode, the lower mode first.
    pub means: [f64; 2],
    /// Separation of the modes: the probability that a run of the higher mode has more of it than
    /// one of the lower (1: always, 0: never).
    pub more_often: f64,
    /// The p-value, for this figure alone.
    pub p: f64,
}

/// Those of `figures` (each with its value in each run) that separate runs of the lower mode
/// (`false`) from those of the higher, the clearest first. Runs without a figure are skipped for
/// it.
pub fn predictors<F: Copy>(
    is_high: &[bool],
    figures: &[(F, Vec<Option<f64>>)],
) -> Vec<Predictor<F>> {
    let limit = limit(figures.len());
    let all = figures.iter().filter_map(|(figure, values)| one(*figure, is_high, values));
    let mut found: Vec<Predictor<F>> = all.filter(|one| one.p <= limit).collect();
    found.sort_by(|a, b| {
        let clear = |one: &Predictor<F>| (one.more_often - 0.5).abs();
        clear(b).total_cmp(&clear(a)).then(a.p.total_cmp(&b.p))
    });
    found
}

fn limit(figures: usize) -> f64 {
    ALPHA / figures.max(1) as f64
}

/// Whether modes with these numbers of runs can be predicted at all: with few runs, any figure may
/// agree with the modes by chance.
pub fn can_be_significant(runs: [usize; 2], figures: usize) -> bool {
    rarest(runs) <= limit(figures)
}

/// The smallest possible p-value: the inverse of the number of ways to choose the smaller mode's
/// runs.
fn rarest([one, other]: [usize; 2]) -> f64 {
    let all = one + other;
    (1..=one.min(other)).map(|at| at as f64 / (all - one.min(other) + at) as f64).product()
}

/// Welch's test of the two means, and how often one is above the other.
fn one<F>(figure: F, is_high: &[bool], values: &[Option<f64>]) -> Option<Predictor<F>> {
    let side = |high: bool| -> Vec<f64> {
        let own = is_high.iter().zip(values).filter(|(is_high, _)| **is_high == high);
        own.filter_map(|(_, value)| *value).filter(|value| value.is_finite()).collect()
    };
    let sides = [side(false), side(true)];
    let (low, high) = (Mean::from_values(&sides[0])?, Mean::from_values(&sides[1])?);
    let (difference, error, freedom) = low.to(&high);
    let p = match error > 0.0 {
        true => two_sided_p(difference / error, freedom),
        // Each mode has one value: equal, or certainly different.
        false if difference == 0.0 => 1.0,
        false => 0.0,
    };
    let p = p.max(rarest(sides.each_ref().map(Vec::len)));
    Some(Predictor { figure, means: [low.mean, high.mean], more_often: more_often(&sides), p })
}

fn more_often([low, high]: &[Vec<f64>; 2]) -> f64 {
    // A tie counts half.
    let wins = |above: &f64| {
        low.iter()
            .map(|below| f64::from(above > below) + 0.5 * f64::from(above == below))
            .sum::<f64>()
    };
    high.iter().map(wins).sum::<f64>() / (low.len() * high.len()) as f64
}
