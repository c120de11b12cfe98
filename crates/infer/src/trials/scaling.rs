//! The effect of more parallelism: times by number of jobs, the number from which more do not help,
//! and the scaling law.

use serde::{Deserialize, Serialize};

use super::{Difference, Law, RatioTest, Trials};

/// A curve over the number of jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Scaling {
    /// The smallest number of jobs that no larger one improves by 5 %; null while the
    /// largest is really faster than all others.
    pub stops_paying_at: Option<u32>,
    /// Whether runs are too few for that: intervals include an improvement of 5 % by more
    /// jobs.
    #[serde(default)]
    pub too_few_runs: bool,
    /// The best law, if one fits.
    pub law: Option<Law>,
}

/// The smallest relevant improvement.
pub const MATTERS: f64 = 0.05;

/// From configurations that differ only in their number of jobs: (jobs, configuration), in any
/// order.
pub fn scaling(trials: &Trials, by_jobs: &[(u32, usize)]) -> Scaling {
    // Configurations without a successful run are skipped.
    let mut points: Vec<(u32, usize)> =
        by_jobs.iter().copied().filter(|(_, at)| trials.of(*at).len() > 0).collect();
    points.sort_unstable();
    let medians: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|&(jobs, at)| Some((f64::from(jobs), trials.summary(at)?.median)))
        .collect();
    let stops = stop(&points, trials.median_differences());
    Scaling {
        stops_paying_at: stops.flatten(),
        too_few_runs: stops.is_none(),
        law: Law::fitted(&medians),
    }
}

/// The number of jobs from which more do not help; none where they help to the end, or where pairs
/// have too few common blocks, or intervals that include a relevant improvement.
fn stop(points: &[(u32, usize)], differences: &[Difference]) -> Option<Option<u32>> {
    let between = |of: usize, to: usize| {
        let both = differences
            .iter()
            .find(|difference| [(of, to), (to, of)].contains(&(difference.of, difference.to)))?;
        Some(if both.of == of { both.compared } else { both.compared.inverse() })
    };
    for (rank, (jobs, here)) in points.iter().enumerate().take(points.len().saturating_sub(1)) {
        let more: Vec<Option<RatioTest>> =
            points[rank + 1..].iter().map(|(_, more)| between(*more, *here)).collect();
        if more.iter().flatten().any(|one| one.real && one.ratio < 0.0) {
            continue;
        }
        let does_not_pay = |one: &Option<RatioTest>| one.is_some_and(|one| one.ci95[0] > -MATTERS);
        return more.iter().all(does_not_pay).then_some(Some(*jobs));
    }
    Some(None)
}
