//! The median of one configuration, and its variability.

use serde::{Deserialize, Serialize};

use super::{Trials, deviation, mean};

/// The summary of one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of runs.
    pub runs: usize,
    /// Their median, in the figure's unit.
    pub median: f64,
    /// 95 % interval of the median, between two of the runs; none below six runs, whose smallest
    /// and largest do not include the median that often.
    pub ci95: Option<[f64; 2]>,
    /// Coefficient of variation: standard deviation over mean, as a fraction; none below two runs.
    pub cv: Option<f64>,
}

impl Trials {
    /// A configuration's summary; none without a run.
    pub fn summary(&self, configuration: usize) -> Option<Summary> {
        let mut values: Vec<f64> = self.of(configuration).map(|(_, value)| value).collect();
        values.sort_by(f64::total_cmp);
        let median = middle(&values)?;
        Some(Summary {
            runs: values.len(),
            median,
            ci95: sign_interval(&values),
            cv: deviation(&values).map(|deviation| deviation / mean(&values)),
        })
    }
}

/// The median of values in any order; none of no values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut ascending: Vec<f64> = values.into_iter().collect();
    ascending.sort_by(f64::total_cmp);
    middle(&ascending)
}

/// The median of ascending values.
pub(super) fn middle(ascending: &[f64]) -> Option<f64> {
    let half = ascending.len() / 2;
    match ascending {
        [] => None,
        _ if ascending.len() % 2 == 1 => Some(ascending[half]),
        _ => Some(f64::midpoint(ascending[half - 1], ascending[half])),
    }
}

/// The interval between two of the runs, without any assumption, where there are enough (the sign
/// test's interval: Conover, *Practical Nonparametric Statistics*, section 3.2).
fn sign_interval(ascending: &[f64]) -> Option<[f64; 2]> {
    outer_rank(ascending.len()).map(|rank| [ascending[rank], ascending[ascending.len() - 1 - rank]])
}

/// The largest rank (from 0) such that the median is outside the runs of this rank from both ends
/// in at most 5 % of all cases.
fn outer_rank(runs: usize) -> Option<usize> {
    // As logarithms: for a thousand runs, the odds of the first rank underflow.
    let mut odds = -(runs as f64) * std::f64::consts::LN_2;
    let (mut outside, mut found) = (0.0, None);
    for rank in 0..runs / 2 {
        outside += 2.0 * odds.exp();
        if outside > 0.05 {
            break;
        }
        found = Some(rank);
        odds += ((runs - rank) as f64 / (rank + 1) as f64).ln();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(values: &[f64]) -> Option<Summary> {
        let mut trials = Trials::new(1);
        values.iter().zip(0..).for_each(|(value, block)| trials.add(0, block, *value));
        trials.summary(0)
    }

    #[test]
    fn the_interval_of_many_runs_lies_between_two_of_them() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        let summary = summary(&values).unwrap();
        assert_eq!((summary.median, summary.ci95), (10.5, Some([6.0, 15.0])));
        // From tables: at least six runs are needed for smallest and largest to include the median
        // in 95 %.
        assert_eq!((outer_rank(5), outer_rank(6), outer_rank(20)), (None, Some(0), Some(5)));
        // By the normal approximation: half of the runs minus 0.98 times their root.
        assert_eq!(outer_rank(10_000), Some(4901));
    }

    #[test]
    fn an_interval_lies_within_the_runs_or_there_is_none() {
        // At 0206d5e9: 0.70 to 2.28, of runs from 1.10 to 1.50.
        assert_eq!(summary(&[1.10, 1.20, 1.26, 1.40, 1.50]).unwrap().ci95, None);
        let six = summary(&[1.10, 1.20, 1.26, 1.30, 1.40, 1.50]).unwrap();
        assert_eq!(six.ci95, Some([1.10, 1.50]));
        assert_eq!(summary(&[10.0]).unwrap().cv, None);
        assert_eq!(summary(&[]), None);
    }

    #[test]
    fn invalid_figures_of_runs_are_skipped() {
        assert_eq!(summary(&[0.0, f64::NAN, f64::INFINITY, -1.0]), None);
    }
}
