//! Significance of differences in variability.

use super::Mean;
use super::summary::middle;
use super::{Ranking, Trials};
use crate::student::two_sided_p;

/// The minimum number of runs of both configurations.
const FEWEST: usize = 4;

impl Trials {
    /// The p-value of the difference of two configurations' spreads; none with too few runs.
    ///
    /// Distances of logarithms to their median, compared by Welch's test: the test of Brown and
    /// Forsythe (*JASA* 69, 1974) for two, which is robust against tails.
    pub fn variability_p(&self, one: usize, other: usize) -> Option<f64> {
        let distance = |of: usize| Mean::from_values(&self.distances(of)?);
        let (difference, error, freedom) = distance(one)?.to(&distance(other)?);
        (error > 0.0).then(|| two_sided_p(difference / error, freedom))
    }

    /// The p-value of the difference between the least variable and the fastest, or the next least
    /// variable where the fastest is the least variable itself. The minimum of many looks less
    /// variable than it is, so the p-value is multiplied by their number.
    pub fn least_variable_p(&self, ranking: &Ranking) -> Option<f64> {
        let (least_variable, fastest) = (ranking.least_variable?, ranking.fastest?);
        let other =
            if least_variable == fastest { *ranking.more_variable.first()? } else { fastest };
        let others = ranking.more_variable.len().max(1) as f64;
        self.variability_p(least_variable, other).map(|p| (p * others).min(1.0))
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

    fn share_different(spreads: [f64; 2], runs: u32) -> f64 {
        let rng = &mut Rng::with_seed(5);
        f64::from(
            (0..500)
                .filter(|_| trials(spreads, runs, rng).variability_p(0, 1).unwrap() < 0.05)
                .count() as u32,
        ) / 500.0
    }

    #[test]
    fn fivefold_spreads_differ_and_equal_ones_rarely() {
        assert!(share_different([0.02, 0.02], 10) < 0.07);
        assert!(share_different([0.02, 0.1], 10) > 0.8);
    }

    /// The rate at which one of configurations with these spreads is significantly least variable.
    /// The first is the fastest.
    fn share_called_steadiest(spreads: &[f64], fastest_is: f64) -> f64 {
        let rng = &mut Rng::with_seed(7);
        let called = |_: &u32| {
            let mut trials = Trials::new(spreads.len());
            for (at, spread) in spreads.iter().enumerate() {
                let median = if at == 0 { fastest_is } else { 1.0 };
                (0..10)
                    .for_each(|block| trials.add(at, block, median * (spread * normal(rng)).exp()));
            }
            let ranking = trials.ranking(&vec![0; spreads.len()]);
            trials.least_variable_p(&ranking).is_some_and(|p| p < 0.05)
        };
        f64::from((0..500).filter(called).count() as u32) / 500.0
    }

    #[test]
    fn equal_variability_has_rarely_a_minimum() {
        for fastest_is in [0.5, 1.0] {
            let share = share_called_steadiest(&[0.02; 6], fastest_is);
            assert!(share < 0.05, "{share} with {fastest_is}");
        }
        let first_is_steady = share_called_steadiest(&[0.004, 0.05, 0.05, 0.05], 0.5);
        assert!(first_is_steady > 0.5, "{first_is_steady}");
        let last_is_steady = share_called_steadiest(&[0.05, 0.05, 0.05, 0.004], 0.5);
        assert!(last_is_steady > 0.6, "{last_is_steady}");
    }

    #[test]
    fn few_or_constant_runs_have_no_p_value() {
        assert_eq!(trials([0.1, 0.3], 3, &mut Rng::with_seed(1)).variability_p(0, 1), None);
        assert_eq!(trials([0.0, 0.0], 9, &mut Rng::with_seed(1)).variability_p(0, 1), None);
    }
}
