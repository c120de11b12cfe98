//! What more parallelism brings: how fast it goes with so many jobs, from where on more do not pay,
//! and which law that follows.

use serde::{Deserialize, Serialize};

use super::{Difference, Law, RatioTest, Trials};

/// A curve over the number of jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// The fewest jobs beyond which no number of jobs takes [`MATTERS`] less; none while the most
    /// are really faster than all others.
    pub stops_paying_at: Option<u32>,
    /// Whether runs are too few to tell that: intervals leave open whether more jobs take
    /// [`MATTERS`] less.
    #[serde(default)]
    pub too_few_runs: bool,
    /// The law that fits best, where one fits.
    pub law: Option<Law>,
}

/// A gain below this does not pay.
pub const MATTERS: f64 = 0.05;

/// Of configurations that differ in their number of jobs alone: (jobs, configuration), in any
/// order.
pub fn scaling(trials: &Trials, by_jobs: &[(u32, usize)]) -> Scaling {
    // What never succeeded is no point of a curve.
    let mut points: Vec<(u32, usize)> =
        by_jobs.iter().copied().filter(|(_, at)| trials.of(*at).len() > 0).collect();
    points.sort_unstable();
    let configurations: Vec<usize> = points.iter().map(|(_, at)| *at).collect();
    let differences = trials.differences_among(&configurations);
    let medians: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|&(jobs, at)| Some((f64::from(jobs), trials.summary(at)?.median)))
        .collect();
    let stops = stop(&points, &differences);
    Scaling {
        stops_paying_at: stops.flatten(),
        too_few_runs: stops.is_none(),
        law: Law::fitted(&medians),
    }
}

/// Where more jobs stop paying; nowhere, where they pay to the end.
/// None where that rests on pairs that have too few blocks in common, or whose intervals hold a
/// gain that matters.
fn stop(points: &[(u32, usize)], differences: &[Difference]) -> Option<Option<u32>> {
    let between = |of: usize, to: usize| {
        let both =
            differences.iter().find(|one| [(of, to), (to, of)].contains(&(one.of, one.to)))?;
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
