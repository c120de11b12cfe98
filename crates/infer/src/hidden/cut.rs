//! Are these points one cluster or two?
//!
//! They are projected on a line and cut where that leaves the least variance within the two sides. What share of the variance that leaves tells
//! clusters from a single cloud: a normal one keeps 36 %, a flat one 25 %, and two clusters that stand apart next to nothing. How well chance
//! cuts so many points is asked of flat clouds, which of all distributions with one peak are cut best; so heavy tails and skew make no clusters.

use fastrand::Rng;

use super::sheet::mean;

/// Clusters nearer to each other than this (as a logarithm: 4 %) are none.
pub const LEAST_GAP: f64 = 0.039_220_713;

/// Clouds that chance is asked with.
const CLOUDS: usize = 399;
/// A cut is believed that chance does as well less often than this.
const ALPHA: f64 = 0.005;
/// Once chance has done as well so often, the rest need not be asked.
const ENOUGH: usize = 4;
/// Each side has so many points at least,
const LEAST_POINTS: usize = 3;
/// and at least this share of them.
const LEAST_SIDE: f64 = 0.05;
/// Steps towards the direction in which points scatter most.
const STEPS: usize = 30;
/// Steps towards the best line between two sides.
const TURNS: usize = 4;

/// Points cut in two.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut {
    /// Which points are on the second side.
    pub(super) second: Vec<bool>,
    /// The share of the variance along the line that is left within the sides.
    pub(super) within: f64,
    /// How often chance cuts a flat cloud as well.
    pub(super) p: f64,
}

/// Cuts points that are two clusters. `None` where they may be one.
pub(super) fn cut(points: &[Vec<f64>], seed: u64) -> Option<Cut> {
    let found = best(points)?;
    let p = chance(points, found.within, seed);
    (p <= ALPHA && gap(points, &found.second) >= LEAST_GAP).then_some(Cut { p, ..found })
}

/// How far the two sides' means are apart in the coordinate where they are farthest.
fn gap(points: &[Vec<f64>], second: &[bool]) -> f64 {
    let line = between(points, second);
    line.iter().map(|step| step.abs()).fold(0.0, f64::max)
}

/// The cut that leaves the least, of those along each coordinate and along the direction of most scatter.
fn best(points: &[Vec<f64>]) -> Option<Cut> {
    let dimensions = points.first()?.len();
    let unit = |axis: usize| (0..dimensions).map(|at| if at == axis { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    // In two rows what turns is one number: the coordinates are each other's mirror images.
    let axes =
        if dimensions <= 2 { vec![unit(0)] } else { (0..dimensions).map(unit).chain([widest(points)]).collect() };
    let cuts = axes.into_iter().filter_map(|axis| turned(points, along(points, &axis)?));
    cuts.min_by(|a, b| a.within.total_cmp(&b.within))
}

/// Turns the line to where the two sides' means point, as long as that leaves less.
fn turned(points: &[Vec<f64>], mut found: Cut) -> Option<Cut> {
    if points.first()?.len() <= 2 {
        return Some(found);
    }
    for _ in 0..TURNS {
        let next = along(points, &between(points, &found.second))?;
        if next.within >= found.within {
            break;
        }
        found = next;
    }
    Some(found)
}

/// From the first side's mean to the second's.
fn between(points: &[Vec<f64>], second: &[bool]) -> Vec<f64> {
    let dimensions = points.first().map_or(0, Vec::len);
    let side =
        |is: bool, at: usize| mean(points.iter().zip(second).filter(|(_, on)| **on == is).map(|(point, _)| point[at]));
    (0..dimensions).map(|at| side(true, at) - side(false, at)).collect()
}

/// The direction in which points scatter most, by power iteration.
fn widest(points: &[Vec<f64>]) -> Vec<f64> {
    let dimensions = points.first().map_or(0, Vec::len);
    let centre: Vec<f64> = (0..dimensions).map(|at| mean(points.iter().map(|point| point[at]))).collect();
    // Uneven on purpose: an even start may stand at right angles to what is looked for.
    let mut direction: Vec<f64> = (0..dimensions).map(|at| 1.0 + at as f64 * 0.37).collect();
    for _ in 0..STEPS {
        let mut next = vec![0.0; dimensions];
        for point in points {
            let on: f64 =
                point.iter().zip(&centre).zip(&direction).map(|((at, middle), way)| (at - middle) * way).sum();
            next.iter_mut().zip(point.iter().zip(&centre)).for_each(|(sum, (at, middle))| *sum += on * (at - middle));
        }
        let length = next.iter().map(|part| part * part).sum::<f64>().sqrt();
        if length <= f64::MIN_POSITIVE {
            return direction;
        }
        direction = next.into_iter().map(|part| part / length).collect();
    }
    direction
}

/// The best cut of the points' places along a line.
fn along(points: &[Vec<f64>], line: &[f64]) -> Option<Cut> {
    let places: Vec<f64> = points.iter().map(|point| point.iter().zip(line).map(|(at, way)| at * way).sum()).collect();
    let (limit, within) = best_of_numbers(&places)?;
    Some(Cut { second: places.iter().map(|place| *place > limit).collect(), within, p: 1.0 })
}

/// Where numbers are cut best, and the share of their variance that is left within the two sides.
pub(super) fn best_of_numbers(numbers: &[f64]) -> Option<(f64, f64)> {
    let count = numbers.len();
    let least = LEAST_POINTS.max((LEAST_SIDE * count as f64).ceil() as usize);
    if count < 2 * least {
        return None;
    }
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = mean(sorted.iter().copied());
    let total: f64 = sorted.iter().map(|number| (number - middle).powi(2)).sum();
    if total <= f64::MIN_POSITIVE {
        return None;
    }
    let mut below = sorted[..least - 1].iter().map(|number| number - middle).sum::<f64>();
    let mut best: Option<(f64, f64)> = None;
    for size in least..=count - least {
        below += sorted[size - 1] - middle;
        // The two sides' sums cancel: the variance between them follows from one.
        let apart = below * below * count as f64 / (size as f64 * (count - size) as f64);
        let within = 1.0 - apart / total;
        if sorted[size - 1] < sorted[size] && best.is_none_or(|(_, least)| within < least) {
            best = Some((sorted[size - 1], within));
        }
    }
    best
}

/// How often a flat cloud of as many points is cut as well: one that lies along a line, or one that fills all directions, whichever
/// is cut better.
fn chance(points: &[Vec<f64>], within: f64, seed: u64) -> f64 {
    let dimensions = points.first().map_or(0, Vec::len);
    let sizes: Vec<f64> = (0..dimensions).map(|at| deviation(points.iter().map(|point| point[at]))).collect();
    let mut random = Rng::with_seed(seed);
    let mut reached = 0;
    for asked in 1..=CLOUDS {
        let line: Vec<f64> = (0..points.len()).map(|_| random.f64()).collect();
        let mut least = best_of_numbers(&line).map_or(1.0, |cut| cut.1);
        if dimensions > 2 {
            least = least.min(best(&cloud(points.len(), &sizes, &mut random)).map_or(1.0, |cut| cut.within));
        }
        reached += usize::from(least <= within);
        if reached == ENOUGH {
            return reached as f64 / asked as f64;
        }
    }
    (reached + 1) as f64 / (CLOUDS + 1) as f64
}

/// Points that scatter evenly in each coordinate, with what they have in common taken off, as it was of the points that are judged.
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

/// The same of plain numbers, for what all rows see alike: how far the two sides are apart, and which numbers are on the second.
pub(super) fn cut_numbers(numbers: &[f64], seed: u64) -> Option<f64> {
    let points: Vec<Vec<f64>> = numbers.iter().map(|number| vec![*number]).collect();
    let cut = cut(&points, seed)?;
    Some(gap(&points, &cut.second))
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{best_of_numbers, cut, cut_numbers, mean};
    use crate::normal;

    /// How many of a hundred clouds of 64 numbers are taken for two clusters.
    fn alarms(draw: impl Fn(&mut Rng, usize) -> f64) -> usize {
        let cloud = |seed| {
            let mut random = Rng::with_seed(seed);
            (0..64).map(|at| draw(&mut random, at)).collect::<Vec<f64>>()
        };
        (0..100).filter(|&seed| cut_numbers(&cloud(seed), seed).is_some()).count()
    }

    #[test]
    fn clouds_with_one_peak_are_one_cluster() {
        assert!(alarms(|random, _| 0.1 * normal(random)) <= 1);
        assert!(alarms(|random, _| random.f64()) <= 2);
        assert!(alarms(|random, _| -0.1 * f64::ln(1.0 - random.f64())) <= 1);
        assert!(alarms(|random, _| 0.1 * normal(random) * (1.0 / (0.02 + random.f64()))) <= 1);
    }

    #[test]
    fn two_clusters_that_stand_apart_are_found() {
        assert!(alarms(|random, at| 0.01 * normal(random) + if at < 32 { 0.055 } else { 0.0 }) >= 90);
        assert!(alarms(|random, at| 0.01 * normal(random) + if at < 10 { 0.10 } else { 0.0 }) >= 95);
    }

    #[test]
    fn clusters_less_than_four_percent_apart_are_none() {
        assert_eq!(alarms(|random, at| 0.0001 * normal(random) + if at < 32 { 0.03 } else { 0.0 }), 0);
    }

    #[test]
    fn a_few_outliers_are_no_cluster() {
        assert_eq!(alarms(|random, at| 0.01 * normal(random) + if at < 2 { 0.5 } else { 0.0 }), 0);
    }

    proptest! {
        #[test]
        fn no_points_make_it_panic(points in proptest::collection::vec(proptest::collection::vec(-1e3f64..1e3, 3), 0..20), seed: u64) {
            if let Some(cut) = cut(&points, seed) {
                prop_assert_eq!(cut.second.len(), points.len());
                prop_assert!((0.0..=0.005).contains(&cut.p) && cut.within < 0.5);
            }
        }

        /// The best cut of numbers, found the long way.
        #[test]
        fn no_other_limit_leaves_less(numbers in proptest::collection::vec(-10f64..10.0, 6..30)) {
            let Some((limit, within)) = best_of_numbers(&numbers) else { return Ok(()) };
            let left = |limit: f64| {
                let side = |above: bool| numbers.iter().copied().filter(|at| (*at > limit) == above).collect::<Vec<f64>>();
                let squares = |of: &[f64]| of.iter().map(|at| (at - mean(of.iter().copied())).powi(2)).sum::<f64>();
                (side(true).len().min(side(false).len()) >= 3).then(|| (squares(&side(true)) + squares(&side(false))) / squares(&numbers))
            };
            prop_assert!((left(limit).unwrap() - within).abs() < 1e-9);
            prop_assert!(numbers.iter().filter_map(|limit| left(*limit)).all(|other| other >= within - 1e-9));
        }
    }
}
