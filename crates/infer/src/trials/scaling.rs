//! What more parallelism brings: how fast it goes with so many jobs, from where on more do not pay, and which law that follows.

use serde::{Deserialize, Serialize};

use super::{Difference, Law, Trials};

/// A curve over the number of jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// The fewest jobs beyond which no number of jobs is really faster; none while the most are really faster than all others.
    pub stops_paying_at: Option<u32>,
    /// The law that fits best, where one fits.
    pub law: Option<Law>,
}

/// Of configurations that differ in their number of jobs alone: (jobs, configuration), in any order.
pub fn scaling(trials: &Trials, by_jobs: &[(u32, usize)]) -> Scaling {
    // What never succeeded is no point of a curve.
    let mut points: Vec<(u32, usize)> = by_jobs.iter().copied().filter(|(_, at)| trials.of(*at).len() > 0).collect();
    points.sort_unstable();
    let configurations: Vec<usize> = points.iter().map(|(_, at)| *at).collect();
    let differences = trials.differences_among(&configurations);
    let medians: Vec<(f64, f64)> =
        points.iter().filter_map(|&(jobs, at)| Some((f64::from(jobs), trials.summary(at)?.median))).collect();
    Scaling { stops_paying_at: stops_paying(&points, &differences), law: Law::fitted(&medians) }
}

fn stops_paying(points: &[(u32, usize)], differences: &[Difference]) -> Option<u32> {
    let is_faster = |fast: usize, slow: usize| {
        differences.iter().any(|one| {
            let way = if (one.of, one.to) == (fast, slow) { *one } else { one.turned() };
            (way.of, way.to) == (fast, slow) && way.real && way.ratio < 0.0
        })
    };
    let (_, but_the_last) = points.split_last().filter(|(_, rest)| !rest.is_empty())?;
    let enough = but_the_last
        .iter()
        .enumerate()
        .find(|(at, (_, here))| points[at + 1..].iter().all(|(_, more)| !is_faster(*more, *here)));
    enough.map(|(_, (jobs, _))| *jobs)
}
