//! How large the statistic is of series without changes.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::ScaledSeries;
use super::scan::largest_so_far;
use crate::cell::{MAD_TO_SD, median};
use crate::normal::normal;

/// A place with this statistic may be a change.
pub(super) const MAY_BE_CHANGED: f64 = 4.0;
/// Series that are drawn of each length.
const DRAWN: usize = 4000;
/// Series whose residuals are drawn.
const MAX_DONORS: usize = 5000;
/// Surveys that follow each other are drawn together.
const BLOCK: usize = 3;
/// Beyond this share, the tail is exponential: normal ones are shorter.
const TAIL: f64 = 0.1;
/// Fewer residuals do not show their own distribution; normal ones, which are wider by this, do.
const ENOUGH_RESIDUALS: usize = 300;
const WIDER: f64 = 1.15;
const SEED: u64 = 0x0068_6973_746f_7279;

/// The statistics of series without changes, by their length at the next doubling.
pub(super) struct Null {
    by_doubling: BTreeMap<u32, NullTail>,
}

/// Probabilities of large statistics.
#[derive(Clone, Debug)]
struct NullTail {
    ascending: Vec<f64>,
    /// Where the tail begins, and its mean excess.
    from: f64,
    excess: f64,
}

impl Null {
    pub(super) fn new(series: &[ScaledSeries]) -> Self {
        let some = series.iter().step_by(series.len() / MAX_DONORS + 1);
        let mut residuals: Vec<Vec<f64>> = some.map(ScaledSeries::residuals).collect();
        let wider = series.iter().map(|one| one.wider).fold(1.0, f64::max);
        widen(&mut residuals, wider.sqrt());
        let count: usize = residuals.iter().map(Vec::len).sum();
        let is_enough = count >= ENOUGH_RESIDUALS;
        let mut rng = Rng::with_seed(SEED);
        let mut by_doubling = BTreeMap::new();
        for doubling in series.iter().map(|one| doubling(one.scores.len())) {
            by_doubling.entry(doubling).or_insert_with(|| {
                let length = (8 << doubling) / 2 - 1;
                let statistics = (0..DRAWN).map(|_| {
                    let drawn = match is_enough {
                        true => blocks(&residuals, length, &mut rng),
                        false => (0..length).map(|_| WIDER * normal(&mut rng)).collect(),
                    };
                    largest_so_far(&drawn)
                });
                NullTail::new(statistics.collect())
            });
        }
        Self { by_doubling }
    }

    /// The probability that a series of this many surveys has this statistic, or ever had it.
    pub(super) fn p_value(&self, statistic: f64, surveys: usize) -> f64 {
        let doubling = doubling(surveys);
        let p = self.by_doubling[&doubling].probability(statistic);
        (p / share_of(doubling)).min(1.0)
    }

    /// The statistic with this probability.
    pub(super) fn statistic(&self, p: f64, surveys: usize) -> f64 {
        let doubling = doubling(surveys);
        self.by_doubling[&doubling].quantile(p * share_of(doubling))
    }
}

/// Towards a standard deviation of 1: where neighbours correlate, short series lose more by their
/// means than their number shows.
fn widen(residuals: &mut [Vec<f64>], most: f64) {
    let Some(middle) = median(residuals.iter().flatten().map(|it| it.abs())) else { return };
    let times = (1.0 / (MAD_TO_SD * middle).max(f64::MIN_POSITIVE)).clamp(1.0, most);
    residuals.iter_mut().flatten().for_each(|residual| *residual *= times);
}

/// 1 for 4 to 7 surveys, 2 for 8 to 15.
fn doubling(surveys: usize) -> u32 {
    surveys.max(super::MIN_SURVEYS).ilog2() - 1
}

/// Shares of all doublings have the sum 1.
fn share_of(doubling: u32) -> f64 {
    1.0 / f64::from(doubling * (doubling + 1))
}

/// Residuals of any series, a few that follow each other at a time.
fn blocks(residuals: &[Vec<f64>], length: usize, rng: &mut Rng) -> Vec<f64> {
    let mut drawn = Vec::with_capacity(length + BLOCK);
    while drawn.len() < length {
        let of = &residuals[rng.usize(..residuals.len())];
        let first = rng.usize(..=of.len().saturating_sub(BLOCK));
        drawn.extend_from_slice(&of[first..(first + BLOCK).min(of.len())]);
    }
    drawn.truncate(length);
    drawn
}

impl NullTail {
    fn new(mut statistics: Vec<f64>) -> Self {
        statistics.sort_unstable_by(f64::total_cmp);
        let first = ((1.0 - TAIL) * statistics.len() as f64) as usize;
        let from = statistics[first];
        let beyond = &statistics[first..];
        let excess = beyond.iter().map(|it| it - from).sum::<f64>() / beyond.len() as f64;
        Self { from, excess: excess.max(f64::MIN_POSITIVE), ascending: statistics }
    }

    fn probability(&self, statistic: f64) -> f64 {
        if statistic > self.from {
            return TAIL * (-(statistic - self.from) / self.excess).exp();
        }
        let below = self.ascending.partition_point(|it| *it < statistic);
        1.0 - below as f64 / self.ascending.len() as f64
    }

    fn quantile(&self, p: f64) -> f64 {
        self.from + self.excess * (TAIL / p.clamp(f64::MIN_POSITIVE, TAIL)).ln()
    }
}
