//! Optimal partition of numbers into intervals (1D k-means): the smallest sum of squares within the
//! parts.
//!
//! Wang and Song, "Ckmeans.1d.dp: Optimal k-means clustering in one dimension by dynamic
//! programming", R Journal 3(2), 2011. Divide and conquer over the ends: the optimal start of the
//! last part is monotonic in its end.

use std::ops::{Range, RangeInclusive};

/// A partition, and its remaining variance.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parted {
    /// The largest number of each part but the last, ascending.
    pub(super) limits: Vec<f64>,
    /// The share of the variance that remains within the parts.
    pub(super) within: f64,
}

/// The best partition into `parts` intervals (two or more) of at least `least` numbers each. `None`
/// where there are too few numbers, or all are equal.
pub(super) fn parted(numbers: &[f64], parts: usize, least: usize) -> Option<Parted> {
    let sums = Sums::new(numbers, least);
    let all = sums.values.len();
    let total = sums.squares(0, all);
    if total.is_nan() || total <= f64::MIN_POSITIVE {
        return None;
    }
    let mut costs: Vec<f64> = (0..=all).map(|end| sums.left(0, end)).collect();
    let mut starts: Vec<Vec<usize>> = Vec::new();
    for part in 2..=parts {
        let mut last = Layer { costs: vec![f64::INFINITY; all + 1], starts: vec![0; all + 1] };
        // Of the last part, only one end is needed.
        last.fill(&sums, &costs, if part == parts { all..all + 1 } else { 1..all + 1 }, 0..=all);
        (costs, starts) = (last.costs, [starts, vec![last.starts]].concat());
    }
    let left = costs[all];
    let mut end = all;
    let mut limits: Vec<f64> = starts
        .iter()
        .rev()
        .filter_map(|starts| {
            end = starts[end];
            sums.values.get(end.checked_sub(1)?).copied()
        })
        .collect();
    limits.reverse();
    left.is_finite().then(|| Parted { limits, within: left / total })
}

/// Distinct numbers, ascending, with prefix sums.
struct Sums {
    values: Vec<f64>,
    /// Before each value, and at the end: count, sum and sum of squares, relative to the overall
    /// mean.
    before: Vec<[f64; 3]>,
    least: f64,
}

impl Sums {
    fn new(numbers: &[f64], least: usize) -> Self {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = super::cost_table::mean(sorted.iter().copied());
        let mut sums = Self { values: Vec::new(), before: vec![[0.0; 3]], least: least as f64 };
        let mut sum = [0.0; 3];
        for same in sorted.chunk_by(|a, b| a == b) {
            let (count, off) = (same.len() as f64, same[0] - middle);
            sum = [sum[0] + count, sum[1] + count * off, sum[2] + count * off * off];
            sums.values.push(same[0]);
            sums.before.push(sum);
        }
        sums
    }

    /// The sum of squares of these values about their own mean.
    fn squares(&self, start: usize, end: usize) -> f64 {
        let [count, sum, squares] = self.between(start, end);
        (squares - sum * sum / count).max(0.0)
    }

    /// The same for a part; infinite where it is too small.
    fn left(&self, start: usize, end: usize) -> f64 {
        let is_part = start < end && self.between(start, end)[0] >= self.least;
        if is_part { self.squares(start, end) } else { f64::INFINITY }
    }

    fn between(&self, start: usize, end: usize) -> [f64; 3] {
        let (from, to) = (self.before[start], self.before[end]);
        std::array::from_fn(|at| to[at] - from[at])
    }
}

/// By the end of the partitioned values: the smallest sum of squares, and the start of the last
/// part.
struct Layer {
    costs: Vec<f64>,
    starts: Vec<usize>,
}

impl Layer {
    /// Computes these ends, whose last parts start in this range.
    fn fill(
        &mut self,
        sums: &Sums,
        before: &[f64],
        ends: Range<usize>,
        starts: RangeInclusive<usize>,
    ) {
        if ends.is_empty() {
            return;
        }
        let end = ends.start.midpoint(ends.end);
        let cost = |start: usize| before[start] + sums.left(start, end);
        let within = *starts.start()..=(*starts.end()).min(end);
        let start = within.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(*starts.start());
        (self.costs[end], self.starts[end]) = (cost(start), start);
        self.fill(sums, before, ends.start..end, *starts.start()..=start);
        self.fill(sums, before, end + 1..ends.end, start..=*starts.end());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::super::cost_table::mean;
    use super::*;

    #[test]
    fn three_clusters_are_separated() {
        let numbers = [5.0, 1.0, 9.1, 1.1, 5.1, 9.0, 0.9, 4.9, 8.9];
        let found = parted(&numbers, 3, 3).unwrap();
        assert_eq!(found.limits, [1.1, 5.1]);
        assert!(found.within < 0.001, "{found:?}");
        assert_eq!(parted(&numbers, 4, 3), None);
        assert_eq!(parted(&[2.0; 9], 2, 3), None);
        assert_eq!(parted(&[], 2, 3), None);
    }

    /// The smallest sum of squares, by exhaustive search.
    fn left(numbers: &[f64], parts: usize, least: usize) -> Option<f64> {
        let squares =
            |of: &[f64]| of.iter().map(|at| (at - mean(of.iter().copied())).powi(2)).sum::<f64>();
        if parts == 1 {
            return (numbers.len() >= least).then(|| squares(numbers));
        }
        let splits = (1..numbers.len()).filter(|&at| at >= least && numbers[at - 1] < numbers[at]);
        let costs = splits.filter_map(|at| {
            Some(squares(&numbers[..at]) + left(&numbers[at..], parts - 1, least)?)
        });
        costs.min_by(f64::total_cmp)
    }

    proptest! {
        #[test]
        fn the_partition_is_optimal(
            mut numbers in proptest::collection::vec(-10i32..10, 6..20),
            parts in 2usize..5,
        ) {
            numbers.sort_unstable();
            let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
            let total = left(&numbers, 1, 0).unwrap();
            match (parted(&numbers, parts, 3), left(&numbers, parts, 3).filter(|_| total > 0.0)) {
                (Some(found), Some(least)) => {
                    let share = least / total;
                    prop_assert!((found.within - share).abs() < 1e-9, "{found:?} {share}");
                    prop_assert!(found.limits.len() == parts - 1 && found.limits.is_sorted());
                }
                (found, least) => {
                    prop_assert!(found.is_none() && least.is_none(), "{found:?} {least:?}");
                }
            }
        }
    }
}
