//! Whether one configuration is steadier than another, or only looks so.

use super::summary::middle;
use super::{Trials, deviation, mean};
use crate::student::two_sided_p;

/// Fewer runs of either tell nothing of spread.
const FEWEST: usize = 4;

impl Trials {
    /// How often chance alone makes the spreads of two configurations differ so much; none where there are too few runs.
    ///
    /// Distances of logarithms to their median, compared by Welch's test: the test of Brown and Forsythe (*JASA* 69, 1974) for two, which tails do not mislead.
    pub fn spreads_apart_p(&self, one: usize, other: usize) -> Option<f64> {
        let (one, other) = (self.distances(one)?, self.distances(other)?);
        let error = |distances: &[f64]| Some(deviation(distances)?.powi(2) / distances.len() as f64);
        let (error_one, error_other) = (error(&one)?, error(&other)?);
        let both = error_one + error_other;
        if both <= 0.0 {
            return None;
        }
        let share = |error: f64, count: usize| error.powi(2) / (count - 1) as f64;
        let freedom = both.powi(2) / (share(error_one, one.len()) + share(error_other, other.len()));
        Some(two_sided_p((mean(&one) - mean(&other)) / both.sqrt(), freedom))
    }

    fn distances(&self, configuration: usize) -> Option<Vec<f64>> {
        let mut logs: Vec<f64> = self.of(configuration).map(|(_, value)| value.ln()).collect();
        logs.sort_by(f64::total_cmp);
        let middle = middle(&logs).filter(|_| logs.len() >= FEWEST)?;
        Some(logs.iter().map(|log| (log - middle).abs()).collect())
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::normal;

    fn trials(spreads: [f64; 2], runs: u32, rng: &mut Rng) -> Trials {
        let mut trials = Trials::new(2);
        for (at, spread) in spreads.into_iter().enumerate() {
            (0..runs).for_each(|block| trials.add(at, block, (spread * normal(rng)).exp()));
        }
        trials
    }

    fn share_told_apart(spreads: [f64; 2], runs: u32) -> f64 {
        let rng = &mut Rng::with_seed(5);
        let told = |_: &u32| trials(spreads, runs, rng).spreads_apart_p(0, 1).unwrap() < 0.05;
        f64::from((0..500).filter(told).count() as u32) / 500.0
    }

    #[test]
    fn equal_spreads_are_rarely_told_apart_and_a_fivefold_one_nearly_always() {
        assert!(share_told_apart([0.02, 0.02], 10) < 0.07);
        assert!(share_told_apart([0.02, 0.1], 10) > 0.8);
    }

    #[test]
    fn few_runs_and_runs_without_spread_tell_nothing() {
        assert_eq!(trials([0.1, 0.3], 3, &mut Rng::with_seed(1)).spreads_apart_p(0, 1), None);
        assert_eq!(trials([0.0, 0.0], 9, &mut Rng::with_seed(1)).spreads_apart_p(0, 1), None);
    }
}
