//! Where a series of scores changes most.

use super::MIN_SURVEYS;

/// A level has at least this many surveys.
const MIN_LEVEL: usize = MIN_SURVEYS / 2;

/// The largest difference between the last surveys and those before, after any survey.
pub(super) fn largest_so_far(scores: &[f64]) -> f64 {
    let sums = sums(scores);
    let prefixes = MIN_SURVEYS..=scores.len();
    prefixes.map(|end| largest_at(&sums, end)).fold(0.0, f64::max)
}

/// The same after this survey: of the last 2, 3, 4, 6, 8, 12 ... surveys.
fn largest_at(sums: &[f64], end: usize) -> f64 {
    let mut largest = 0.0_f64;
    let (mut last, mut next) = (MIN_LEVEL, MIN_LEVEL + 1);
    while end >= last + MIN_LEVEL {
        largest = largest.max(standardised(sums, [0, end - last, end]).abs());
        (last, next) = (next, 2 * last);
    }
    largest
}

fn sums(scores: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let running = scores.iter().map(|score| {
        sum += score;
        sum
    });
    std::iter::once(0.0).chain(running.collect::<Vec<_>>()).collect()
}

/// Of the means from `first` on and before it, in standard deviations.
fn standardised(sums: &[f64], [begin, first, end]: [usize; 3]) -> f64 {
    let counts = [(first - begin) as f64, (end - first) as f64];
    let before = (sums[first] - sums[begin]) / counts[0];
    let after = (sums[end] - sums[first]) / counts[1];
    (after - before) / (1.0 / counts[0] + 1.0 / counts[1]).sqrt()
}

/// The statistic of a change at this place.
pub(super) fn statistic(scores: &[f64], first: usize) -> f64 {
    standardised(&sums(scores), [0, first, scores.len()])
}

/// The place with the largest statistic, and that.
fn best_between(sums: &[f64], begin: usize, end: usize) -> (usize, f64) {
    let mut best = (begin + MIN_LEVEL, 0.0_f64);
    for first in begin + MIN_LEVEL..=end.saturating_sub(MIN_LEVEL) {
        let statistic = standardised(sums, [begin, first, end]);
        if statistic.abs() > best.1.abs() {
            best = (first, statistic);
        }
    }
    best
}

/// Levels of a series: each begins at a change.
pub(super) struct Segments {
    bounds: Vec<usize>,
}

impl Segments {
    /// From the first survey on: where the last surveys differ enough from the level, the change
    /// that explains them best begins the next level.
    pub(super) fn find(scores: &[f64], is_enough: impl Fn(f64) -> bool) -> Self {
        let sums = sums(scores);
        let mut bounds = vec![0];
        let mut begin = 0;
        let mut end = begin + MIN_SURVEYS;
        while end <= scores.len() {
            let (_, statistic) = best_between(&sums, begin, end);
            if !is_enough(statistic.abs()) {
                end += 1;
                continue;
            }
            // Later surveys make the place more certain, as long as they are of the same level.
            let mut best = best_between(&sums, begin, end);
            for later in end + 1..=scores.len() {
                let next = best_between(&sums, begin, later);
                if next.1.abs() < best.1.abs() {
                    break;
                }
                best = next;
            }
            begin = best.0;
            bounds.push(begin);
            end = begin + MIN_SURVEYS;
        }
        bounds.push(scores.len());
        Self { bounds }
    }

    /// Of each change: where the level before it begins, itself, and where the level after it ends.
    pub(super) fn changes(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        self.bounds.windows(3).map(|three| [three[0], three[1], three[2]])
    }

    /// The number of levels.
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(super) fn segment(&self, number: usize) -> [usize; 2] {
        [self.bounds[number], self.bounds[number + 1]]
    }
}

pub(super) fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// The sum of squares about the mean.
pub(super) fn squares(scores: &[f64]) -> f64 {
    let mean = mean(scores);
    scores.iter().map(|score| (score - mean).powi(2)).sum()
}

/// A straight line through scores at equal distances.
pub(super) struct Line {
    pub(super) slope: f64,
    pub(super) slope_error: f64,
    pub(super) squares: f64,
}

impl Line {
    pub(super) fn fit(scores: &[f64]) -> Option<Self> {
        if scores.len() < MIN_SURVEYS {
            return None;
        }
        let middle = (scores.len() - 1) as f64 / 2.0;
        let places = || (0..scores.len()).map(|at| at as f64 - middle);
        let of_places: f64 = places().map(|place| place * place).sum();
        let mean = mean(scores);
        let slope =
            places().zip(scores).map(|(place, score)| place * score).sum::<f64>() / of_places;
        let off = places().zip(scores).map(|(place, score)| score - mean - slope * place);
        let squares = off.map(|off| off * off).sum();
        Some(Self { slope, slope_error: of_places.sqrt().recip(), squares })
    }
}
