//! Agreement of processes with fresh items on the same clusters, whatever their numbering.

use std::collections::BTreeSet;

use super::clusters::Clustering;
use super::cost_table::mean;
use crate::student::{NORMAL_95, as_rare_as};

/// Clusters that enough processes agree on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AgreedClusters {
    /// Rows, by their index.
    pub(super) rows: Vec<usize>,
    /// For each agreeing process: the logarithm of each cluster's cost from each of these rows.
    pub(super) centres: Vec<Vec<Vec<f64>>>,
    /// For each process: the agreed cluster of each of its own ones; none where it does not agree.
    pub(super) names: Vec<Option<Vec<usize>>>,
}

/// The number of agreeing processes for a result.
pub(super) fn enough(processes: usize) -> usize {
    (2 * processes).div_ceil(3).max(2)
}

/// The agreed clusters. `None` where too few processes have clusters, or they differ.
pub(super) fn agreement(found: &[Clustering]) -> Option<AgreedClusters> {
    let rows = &found.iter().max_by_key(|one| one.rows.len())?.rows;
    let standards = found.iter().filter(|one| one.groups.len() > 1 && one.rows == *rows);
    let judged = standards.map(|standard| {
        let names: Vec<Option<Vec<usize>>> = found.iter().map(|one| same(standard, one)).collect();
        (names.iter().flatten().count(), standard.groups.len(), names)
    });
    let (agreeing, clusters, names) =
        judged.max_by_key(|(agreeing, clusters, _)| (*agreeing, *clusters))?;
    if agreeing < enough(found.len()) {
        return None;
    }
    let centres = found.iter().zip(&names).filter_map(|(one, names)| {
        let names = names.as_ref()?;
        let at = |cluster: usize| names.iter().position(|name| *name == cluster);
        (0..clusters)
            .map(|cluster| Some(one.centres[at(cluster)?].clone()))
            .collect::<Option<Vec<_>>>()
    });
    let centres: Vec<_> = centres.collect();
    (centres.len() >= 2).then(|| AgreedClusters { rows: rows.clone(), centres, names })
}

/// The number in `standard` of each of another process's clusters: the nearest one, within half the
/// smallest distance of two of the standard's. None unless each has its own. Common changes of
/// whole rows between processes are subtracted first.
fn same(standard: &Clustering, other: &Clustering) -> Option<Vec<usize>> {
    if other.rows != standard.rows || other.groups.len() != standard.groups.len() {
        return None;
    }
    let (known, asked) = (levelled(&standard.centres), levelled(&other.centres));
    let pairs =
        known.iter().enumerate().flat_map(|(at, a)| known[at + 1..].iter().map(move |b| far(a, b)));
    let limit = pairs.fold(f64::INFINITY, f64::min) / 2.0;
    let nearest = |centre: &Vec<f64>| {
        let distances = known.iter().map(|known| far(known, centre));
        let (at, distance) = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
        (distance < limit).then_some(at)
    };
    let names: Vec<usize> = asked.iter().map(nearest).collect::<Option<_>>()?;
    let each: BTreeSet<&usize> = names.iter().collect();
    (each.len() == names.len()).then_some(names)
}

/// Centres minus each row's mean over them.
fn levelled(centres: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rows = centres.first().map_or(0, Vec::len);
    let levels: Vec<f64> =
        (0..rows).map(|row| mean(centres.iter().map(|centre| centre[row]))).collect();
    centres
        .iter()
        .map(|centre| centre.iter().zip(&levels).map(|(at, level)| at - level).collect())
        .collect()
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

impl AgreedClusters {
    /// Number of agreed clusters.
    pub(super) fn clusters(&self) -> usize {
        self.centres.first().map_or(0, Vec::len)
    }

    /// All ordered pairs of different clusters.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.clusters();
        (0..count).flat_map(move |a| (0..count).map(move |b| (a, b))).filter(|(a, b)| a != b)
    }

    /// The largest ratio of two clusters in one row, minus 1, and its interval.
    pub(super) fn effect(&self) -> (f64, [f64; 2]) {
        let contrasts = (0..self.rows.len())
            .flat_map(|row| self.pairs().map(move |(near, far)| self.contrast(row, near, far)));
        let largest = contrasts.fold([0.0f64; 3], |[middle, low, high], (contrast, half)| {
            [middle.max(contrast), low.max(contrast - half), high.max(contrast + half)]
        });
        let [middle, low, high] = largest.map(f64::exp_m1);
        (middle, [low, high])
    }

    /// The logarithm of the ratio of two clusters' costs for a row, and half its 95 % interval,
    /// simultaneous over all such contrasts.
    pub(super) fn contrast(&self, row: usize, near: usize, far: usize) -> (f64, f64) {
        let contrasts: Vec<f64> =
            self.centres.iter().map(|centres| centres[far][row] - centres[near][row]).collect();
        let (middle, error) = mean_and_error(&contrasts);
        let pairs = self.clusters() * self.clusters().saturating_sub(1) / 2;
        let together = (self.rows.len() * pairs).max(1) as f64;
        // A normal deviate with a tail smaller by this factor, to within a few percent.
        let deviate = (NORMAL_95.powi(2) + 2.0 * together.ln()).sqrt();
        (middle, error * as_rare_as(deviate, contrasts.len() as f64 - 1.0))
    }
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let middle = mean(values.iter().copied());
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    let count = values.len() as f64;
    (middle, (squares / (count - 1.0).max(1.0) / count).sqrt())
}
