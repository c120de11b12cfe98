//! The best split of one cell's figures into two parts.
//!
//! Two parts always differ: a split of normal deviates at their middle has means 2.65 standard
//! deviations of its parts apart. Engelman and Hartigan (*Journal of the American Statistical
//! Association* 64, 1969) give the distribution of the best split's ratio. Where another cell has
//! the same two parts, it is the witness: its noise is another, and a test of two samples holds.

use super::least_batch;

/// A split with this many standard deviations of its parts between their means is looked at.
const SEPARATED: f64 = 3.0;
/// Values beyond the least batch of each end are drawn in, to this share of the distance between:
/// an outlier makes no part.
const DRAWN_IN: f64 = 0.25;

/// Two parts of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Split {
    /// Which values are in the upper part.
    pub(super) is_upper: Vec<bool>,
    pub(super) distance: f64,
    /// Of both parts, about their means.
    pub(super) variance: f64,
    /// Values of the lower and the upper part.
    counts: [f64; 2],
}

impl Split {
    /// Of the best split into parts of at least the least size; none where the parts are not
    /// separated. Gaps are in the lower part, and count in neither.
    pub(super) fn best(values: &[f64]) -> Option<Self> {
        let least = least_batch(values.len());
        let values = drawn_in(values, least);
        let sorted = sorted(&values);
        let (_, below) = cut(&sorted, least)?;
        let threshold = f64::midpoint(sorted[below - 1], sorted[below]);
        let split = Self::of(&values, values.iter().map(|value| *value > threshold).collect())?;
        split.is_separated().then_some(split)
    }

    pub(super) fn is_separated(&self) -> bool {
        self.distance >= SEPARATED * self.variance.sqrt()
    }

    /// These parts of other values.
    pub(super) fn of(values: &[f64], is_upper: Vec<bool>) -> Option<Self> {
        let part = |upper: bool| {
            let own = values.iter().zip(&is_upper).filter(move |(_, is)| **is == upper);
            own.map(|(value, _)| *value).filter(|value| !value.is_nan())
        };
        let counts = [false, true].map(|upper| part(upper).count() as f64);
        if counts.iter().any(|count| *count < 2.0) {
            return None;
        }
        let means =
            [false, true].map(|upper| part(upper).sum::<f64>() / counts[usize::from(upper)]);
        let squares: f64 = [false, true]
            .map(|upper| {
                part(upper).map(|it| (it - means[usize::from(upper)]).powi(2)).sum::<f64>()
            })
            .iter()
            .sum();
        let variance = squares / (counts[0] + counts[1] - 2.0);
        Some(Self { distance: means[1] - means[0], variance, is_upper, counts })
    }

    /// The same parts in another cell.
    pub(super) fn in_cell(&self, values: &[f64]) -> Option<Self> {
        Self::of(&drawn_in(values, least_batch(values.len())), self.is_upper.clone())
    }

    /// Student's t of the distance, and its degrees of freedom.
    pub(super) fn t(&self) -> (f64, f64) {
        let [lower, upper] = self.counts;
        let error = (self.variance * (1.0 / lower + 1.0 / upper)).sqrt().max(f64::MIN_POSITIVE);
        (self.distance / error, lower + upper - 2.0)
    }

    /// Whether normal deviates have such a best split once in a thousand (by simulation).
    pub(super) fn is_rare(&self) -> bool {
        let [lower, upper] = self.counts;
        let (t, freedom) = self.t();
        // The ratio of squares between parts and within, plus 1.
        let log = (t * t / freedom).ln_1p();
        let normal = -(1.0 - std::f64::consts::FRAC_2_PI).ln();
        lower + upper > 2.0 && log > normal + 3.6 / freedom.sqrt() + 6.0 / freedom
    }
}

/// Ascending values cut where the squares within both parts are the least: by how much they shrink,
/// and the size of the lower part. None of too few values.
fn cut(sorted: &[f64], least: usize) -> Option<(f64, usize)> {
    let count = sorted.len();
    if count < 2 * least {
        return None;
    }
    let all: f64 = sorted.iter().sum();
    let (mut lower, mut best) = (0.0, (0.0, least));
    for (below, value) in (1..).zip(&sorted[..count - least]) {
        lower += value;
        let above = (count - below) as f64;
        let distance = (all - lower) / above - lower / below as f64;
        let between = below as f64 * above * distance * distance / count as f64;
        if below >= least && between > best.0 {
            best = (between, below);
        }
    }
    Some(best)
}

/// At most `most` cuts of values into parts that stand in a row, in their order: each cuts the part
/// whose squares shrink most. Fewer where a part would have fewer values than the least; none where
/// the values have no room for three parts that lie `floor` apart.
pub(super) fn cuts(values: &[f64], most: usize, least: usize, floor: f64) -> Vec<f64> {
    let mut sorted = sorted(values);
    let Some([low, high]) = ends(&sorted, least) else { return Vec::new() };
    if high - low < 2.0 * floor {
        return Vec::new();
    }
    sorted.iter_mut().for_each(|value| *value = value.max(low).min(high));
    let mut bounds = vec![0, sorted.len()];
    let mut all = Vec::new();
    while all.len() < most {
        let cuts = bounds.windows(2).filter_map(|part| {
            let (between, below) = cut(&sorted[part[0]..part[1]], least)?;
            Some((between, part[0] + below))
        });
        let Some((_, at)) = cuts.max_by(|one, other| one.0.total_cmp(&other.0)) else { break };
        all.push(f64::midpoint(sorted[at - 1], sorted[at]));
        bounds.push(at);
        bounds.sort_unstable();
    }
    all
}

fn drawn_in(values: &[f64], least: usize) -> Vec<f64> {
    let Some([low, high]) = ends(&sorted(values), least) else { return values.to_vec() };
    let drawn = |value: &f64| match value.is_nan() {
        true => *value,
        false => value.max(low).min(high),
    };
    values.iter().map(drawn).collect()
}

/// What ascending values are drawn in to; none of too few.
fn ends(sorted: &[f64], least: usize) -> Option<[f64; 2]> {
    let high = *sorted.get(sorted.len().checked_sub(least)?)?;
    let low = sorted[least - 1];
    let margin = DRAWN_IN * (high - low).max(0.0);
    Some([low - margin, high + margin])
}

/// Without gaps.
fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::normal::normal;

    #[test]
    fn two_parts_are_split_and_an_outlier_is_none() {
        let rng = &mut Rng::with_seed(1);
        let mut values: Vec<f64> =
            (0..16).map(|at| normal(rng) + if at < 6 { 0.0 } else { 8.0 }).collect();
        values[15] = 40.0;
        let split = Split::best(&values).unwrap();
        assert_eq!(split.is_upper, (0..16).map(|at| at >= 6).collect::<Vec<_>>());
        assert!((7.0..12.0).contains(&split.distance), "{split:?}");
        assert!(Split::best(&values[..5]).is_none());
    }

    #[test]
    fn modes_in_a_row_are_cut_between_them() {
        let rng = &mut Rng::with_seed(3);
        let values: Vec<f64> = (0..90).map(|at| normal(rng) + f64::from(at % 3) * 8.0).collect();
        let cuts = cuts(&values, 2, 5, 1.0);
        let [low, high] = cuts[..] else { panic!("{cuts:?}") };
        let [low, high] = [low.min(high), low.max(high)];
        assert!((2.0..6.0).contains(&low) && (10.0..14.0).contains(&high), "{cuts:?}");
        assert!(super::cuts(&values[..9], 2, 5, 1.0).is_empty());
        assert!(super::cuts(&values, 2, 5, 15.0).is_empty());
    }

    #[test]
    fn one_mode_is_rarely_split() {
        let rng = &mut Rng::with_seed(2);
        for count in [8, 16, 60] {
            let mut is_rare = || {
                let values: Vec<f64> = (0..count).map(|_| normal(rng)).collect();
                Split::best(&values).is_some_and(|split| split.is_rare())
            };
            assert!((0..1000).filter(|_| is_rare()).count() <= 6, "{count}");
        }
    }
}
