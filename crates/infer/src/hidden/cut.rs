//! Are these points one cluster or several?
//!
//! They are projected on a line and cut where the variance within the parts is smallest: into two,
//! or, if these are not significant, into three or four. The remaining share of the variance
//! distinguishes clusters from a single cloud: a normal one cut in two keeps 36 %, a flat one 25 %,
//! and two distinct clusters almost nothing. Three equal clusters also keep 25 %, but cut in three
//! almost nothing, where a flat cloud keeps 11 %. The reference distribution is that of flat
//! clouds, which have the best cuts of all unimodal distributions, so that heavy tails and skew
//! make no clusters.

use fastrand::Rng;

use super::cost_table::mean;
use super::parts::parted;

/// The smallest distance of clusters, as a logarithm (4 %).
pub const MIN_GAP: f64 = 0.039_220_713;

/// Number of simulated flat clouds.
const CLOUDS: usize = 399;
/// Significance level of a cut.
const ALPHA: f64 = 0.005;
/// The simulation stops when this many clouds have cuts as good.
const ENOUGH: usize = 4;
/// The smallest number of points in a part.
const MIN_POINTS: usize = 3;
/// The smallest share of all points in a part.
const MIN_PART: f64 = 0.05;
/// The largest number of parts of one cut; each of them is cut again.
const MAX_PARTS: usize = 4;
/// Steps of the power iteration for the direction of the largest scatter.
const STEPS: usize = 30;
/// Steps towards the best line between parts.
const TURNS: usize = 4;

/// Points cut into parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) parts: usize,
    /// The part of each point; parts are in order along the line.
    pub(super) of: Vec<usize>,
    /// The share of the variance along the line that remains within the parts.
    pub(super) within: f64,
    /// The probability of a cut as good in a flat cloud.
    pub(super) p: f64,
}

/// Cuts points of several clusters into the smallest significant number of parts. `None` where they
/// may be one cluster.
pub(super) fn cut(points: &[Vec<f64>], seed: u64) -> Option<Cut> {
    cut_with(points, least(points.len()), seed)
}

/// The same, with parts of at least this many points.
pub(super) fn cut_with(points: &[Vec<f64>], least: usize, seed: u64) -> Option<Cut> {
    (2..=MAX_PARTS).find_map(|parts| cut_into(parts, points, least, seed))
}

fn cut_into(parts: usize, points: &[Vec<f64>], least: usize, seed: u64) -> Option<Cut> {
    let found = best(points, parts, least)?;
    if found.gap(points) < MIN_GAP {
        return None;
    }
    let p = chance(points, &found, least, seed);
    (p <= ALPHA).then_some(Cut { p, ..found })
}

impl Cut {
    /// The members of each part, of what was cut.
    pub(super) fn members(&self, points: &[usize]) -> Vec<Vec<usize>> {
        let member = |part: usize| {
            let own = points.iter().zip(&self.of).filter(move |(_, of)| **of == part);
            own.map(|(at, _)| *at).collect()
        };
        (0..self.parts).map(member).collect()
    }

    /// The smallest distance of the means of neighbouring parts, each in the coordinate where it is
    /// largest.
    pub(super) fn gap(&self, points: &[Vec<f64>]) -> f64 {
        let step = |part: usize| {
            between(points, &self.of, [part - 1, part])
                .into_iter()
                .map(f64::abs)
                .fold(0.0, f64::max)
        };
        (1..self.parts).map(step).fold(f64::INFINITY, f64::min)
    }
}

/// The best cut of those along each coordinate and along the direction of the largest scatter.
fn best(points: &[Vec<f64>], parts: usize, least: usize) -> Option<Cut> {
    let dimensions = points.first()?.len();
    let unit = |axis: usize| {
        (0..dimensions).map(|at| if at == axis { 1.0 } else { 0.0 }).collect::<Vec<f64>>()
    };
    // With two rows the interaction is one number: both coordinates mirror each other.
    let axes = if dimensions <= 2 {
        vec![unit(0)]
    } else {
        (0..dimensions).map(unit).chain([widest(points)]).collect()
    };
    let cuts = axes
        .into_iter()
        .filter_map(|axis| turned(points, along(points, &axis, parts, least)?, least));
    cuts.min_by(|a, b| a.within.total_cmp(&b.within))
}

/// Turns the line towards the means of the outermost parts, as long as this improves the cut.
fn turned(points: &[Vec<f64>], mut found: Cut, least: usize) -> Option<Cut> {
    if points.first()?.len() <= 2 {
        return Some(found);
    }
    for _ in 0..TURNS {
        let line = between(points, &found.of, [0, found.parts - 1]);
        let next = along(points, &line, found.parts, least)?;
        if next.within >= found.within {
            break;
        }
        found = next;
    }
    Some(found)
}

/// The vector from one part's mean to another's.
fn between(points: &[Vec<f64>], of: &[usize], [from, to]: [usize; 2]) -> Vec<f64> {
    let dimensions = points.first().map_or(0, Vec::len);
    let middle = |part: usize, at: usize| {
        mean(points.iter().zip(of).filter(|(_, of)| **of == part).map(|(point, _)| point[at]))
    };
    (0..dimensions).map(|at| middle(to, at) - middle(from, at)).collect()
}

/// The direction in which points scatter most, by power iteration.
fn widest(points: &[Vec<f64>]) -> Vec<f64> {
    let dimensions = points.first().map_or(0, Vec::len);
    let centre: Vec<f64> =
        (0..dimensions).map(|at| mean(points.iter().map(|point| point[at]))).collect();
    // An uneven start, as an even one may be orthogonal to the result.
    let mut direction: Vec<f64> = (0..dimensions).map(|at| 1.0 + at as f64 * 0.37).collect();
    for _ in 0..STEPS {
        let mut next = vec![0.0; dimensions];
        for point in points {
            let on: f64 = point
                .iter()
                .zip(&centre)
                .zip(&direction)
                .map(|((at, middle), way)| (at - middle) * way)
                .sum();
            next.iter_mut()
                .zip(point.iter().zip(&centre))
                .for_each(|(sum, (at, middle))| *sum += on * (at - middle));
        }
        let length = next.iter().map(|part| part * part).sum::<f64>().sqrt();
        if length <= f64::MIN_POSITIVE {
            return direction;
        }
        direction = next.into_iter().map(|part| part / length).collect();
    }
    direction
}

/// The best cut of the points' positions along a line.
fn along(points: &[Vec<f64>], line: &[f64], parts: usize, least: usize) -> Option<Cut> {
    let places: Vec<f64> =
        points.iter().map(|point| point.iter().zip(line).map(|(at, way)| at * way).sum()).collect();
    let found = parted(&places, parts, least)?;
    Some(Cut {
        parts,
        of: places
            .iter()
            .map(|place| found.limits.iter().filter(|limit| place > limit).count())
            .collect(),
        within: found.within,
        p: 1.0,
    })
}

/// The minimum number of points in a part.
fn least(points: usize) -> usize {
    MIN_POINTS.max((MIN_PART * points as f64).ceil() as usize)
}

/// The probability of a cut as good in a flat cloud of as many points: along a line, or in all
/// directions, whichever has the better cuts.
fn chance(points: &[Vec<f64>], found: &Cut, least: usize, seed: u64) -> f64 {
    let dimensions = points.first().map_or(0, Vec::len);
    let sizes: Vec<f64> =
        (0..dimensions).map(|at| deviation(points.iter().map(|point| point[at]))).collect();
    let mut random = Rng::with_seed(seed);
    let mut reached = 0;
    for asked in 1..=CLOUDS {
        let line: Vec<f64> = (0..points.len()).map(|_| random.f64()).collect();
        let mut within = parted(&line, found.parts, least).map_or(1.0, |cut| cut.within);
        if dimensions > 2 {
            let of_cloud = best(&cloud(points.len(), &sizes, &mut random), found.parts, least);
            within = within.min(of_cloud.map_or(1.0, |cut| cut.within));
        }
        reached += usize::from(within <= found.within);
        if reached == ENOUGH {
            return reached as f64 / asked as f64;
        }
    }
    (reached + 1) as f64 / (CLOUDS + 1) as f64
}

/// Points with uniform scatter in each coordinate, with their common part subtracted as in the
/// tested points.
fn cloud(count: usize, sizes: &[f64], random: &mut Rng) -> Vec<Vec<f64>> {
    let mut point = || {
        let free: Vec<f64> = sizes.iter().map(|size| size * (random.f64() - 0.5)).collect();
        let common = mean(free.iter().copied());
        free.into_iter().map(|at| at - common).collect()
    };
    (0..count).map(|_| point()).collect()
}

fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let middle = mean(values.clone());
    mean(values.map(|value| (value - middle).powi(2))).sqrt()
}

/// Cuts numbers, for differences common to all rows, into two parts: the members of the upper one,
/// and the distance of the two.
pub(super) fn cut_numbers(numbers: &[f64], seed: u64) -> Option<(Vec<bool>, f64)> {
    let points: Vec<Vec<f64>> = numbers.iter().map(|number| vec![*number]).collect();
    let cut = cut_into(2, &points, least(numbers.len()), seed)?;
    let gap = cut.gap(&points);
    Some((cut.of.into_iter().map(|part| part == 1).collect(), gap))
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{cut, cut_numbers};
    use crate::normal;

    /// Number of clouds of 64 numbers, of a hundred, that are mistaken for two clusters.
    fn alarms(draw: impl Fn(&mut Rng, usize) -> f64) -> usize {
        let cloud = |seed| {
            let mut random = Rng::with_seed(seed);
            (0..64).map(|at| draw(&mut random, at)).collect::<Vec<f64>>()
        };
        (0..100).filter(|&seed| cut_numbers(&cloud(seed), seed).is_some()).count()
    }

    #[test]
    fn unimodal_clouds_are_one_cluster() {
        assert!(alarms(|random, _| 0.1 * normal(random)) <= 1);
        assert!(alarms(|random, _| random.f64()) <= 2);
        assert!(alarms(|random, _| -0.1 * f64::ln(1.0 - random.f64())) <= 1);
        assert!(alarms(|random, _| 0.1 * normal(random) * (1.0 / (0.02 + random.f64()))) <= 1);
    }

    #[test]
    fn two_distinct_clusters_are_found() {
        assert!(
            alarms(|random, at| 0.01 * normal(random) + if at < 32 { 0.055 } else { 0.0 }) >= 90
        );
        assert!(
            alarms(|random, at| 0.01 * normal(random) + if at < 10 { 0.10 } else { 0.0 }) >= 95
        );
    }

    #[test]
    fn clusters_within_four_percent_are_merged() {
        assert_eq!(
            alarms(|random, at| 0.0001 * normal(random) + if at < 32 { 0.03 } else { 0.0 }),
            0
        );
    }

    #[test]
    fn a_few_outliers_are_no_cluster() {
        assert_eq!(alarms(|random, at| 0.01 * normal(random) + if at < 2 { 0.5 } else { 0.0 }), 0);
    }

    proptest! {
        #[test]
        fn no_points_cause_a_panic(
            points in proptest::collection::vec(
                proptest::collection::vec(-1e3f64..1e3, 3),
                0..20,
            ),
            seed: u64,
        ) {
            if let Some(cut) = cut(&points, seed) {
                prop_assert_eq!(cut.of.len(), points.len());
                prop_assert!((0.0..=0.005).contains(&cut.p) && cut.within < 0.5);
            }
        }
    }
}
