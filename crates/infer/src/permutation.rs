//! Permutation test: columns' names are permuted within each row and round.

use std::collections::BTreeMap;

use fastrand::Rng;

use crate::sample_matrix::SampleMatrix;

const MAX_DEALS: usize = 1_999;
/// Fewer permutations could not give a p-value below alpha.
const MIN_DEALS: usize = 100;
/// Limit of work, in samples times permutations.
const MAX_WORK: usize = 20_000_000;
/// When this many permutations reach the observed contrast, p is precise enough (Besag and
/// Clifford, Biometrika 1991).
const ENOUGH_REACHED: usize = 40;
/// Contrasts within this difference are equal: their sums have another order.
const ROUNDING: f64 = 1e-12;

/// The share of permutations with a within-row contrast of medians as large as the observed one.
pub(crate) fn p(matrix: &SampleMatrix, observed: f64, seed: u64) -> f64 {
    let mut rows: Vec<RowSamples> = matrix
        .comparable_rows()
        .iter()
        .map(|(row, columns)| RowSamples::new(matrix, *row, columns))
        .collect();
    let samples: usize = rows.iter().map(|row| row.logs.len()).sum();
    let most = MAX_DEALS.min((MAX_WORK / samples.max(1)).max(MIN_DEALS));
    let mut rng = Rng::with_seed(seed);
    let mut reached = 0;
    for dealt in 1..=most {
        let as_large = rows.iter_mut().any(|row| row.deal(&mut rng) >= observed - ROUNDING);
        reached += usize::from(as_large);
        if reached == ENOUGH_REACHED {
            return reached as f64 / dealt as f64;
        }
    }
    (reached + 1) as f64 / (most + 1) as f64
}

/// One row's samples, round by round.
struct RowSamples {
    logs: Vec<f64>,
    /// Index of each sample's column in `dealt`.
    places: Vec<usize>,
    /// The end of each round in `logs`.
    ends: Vec<usize>,
    /// The columns of the latest permutation.
    dealt: Vec<Vec<f64>>,
}

impl RowSamples {
    fn new(matrix: &SampleMatrix, row: usize, columns: &[usize]) -> Self {
        let mut rounds: BTreeMap<usize, Vec<(f64, usize)>> = BTreeMap::new();
        for (place, &column) in columns.iter().enumerate() {
            for (log, block) in matrix.row(row)[column].logs() {
                rounds.entry(block).or_default().push((log, place));
            }
        }
        let mut new =
            Self { logs: vec![], places: vec![], ends: vec![], dealt: vec![vec![]; columns.len()] };
        for samples in rounds.into_values() {
            new.logs.extend(samples.iter().map(|sample| sample.0));
            new.places.extend(samples.iter().map(|sample| sample.1));
            new.ends.push(new.logs.len());
        }
        new
    }

    /// Permutes the columns and returns the largest contrast of their medians.
    fn deal(&mut self, rng: &mut Rng) -> f64 {
        let mut start = 0;
        for &end in &self.ends {
            rng.shuffle(&mut self.logs[start..end]);
            start = end;
        }
        self.dealt.iter_mut().for_each(Vec::clear);
        for (&log, &place) in self.logs.iter().zip(&self.places) {
            self.dealt[place].push(log);
        }
        let medians = self.dealt.iter_mut().filter_map(|logs| median(logs));
        let (low, high) = medians
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), median| {
                (low.min(median), high.max(median))
            });
        high - low
    }
}

/// The median; changes the order of the values.
fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (middle, odd) = (values.len() / 2, values.len() % 2 == 1);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd {
        return Some(upper);
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use nearfar_model::MatrixShape;

    use super::*;
    use crate::contrast;
    use crate::tests::simulate::Machine;

    #[test]
    fn p_is_uniform_where_nothing_differs() {
        let p = |seed| {
            let matrix = Machine::uniform(2, 3).matrix(seed);
            p(&matrix, contrast::largest(&matrix).unwrap().log_ratio, seed)
        };
        let below_half = (0..100).filter(|&seed| p(seed) < 0.5).count();
        assert!((35..=65).contains(&below_half), "{below_half} of 100");
    }

    #[test]
    fn slow_rows_are_no_contrast() {
        let machine = Machine::uniform(2, 2);
        let slow = machine.samples(1).into_iter().map(|mut sample| {
            sample.value *= if sample.place.row == 1 { 2.0 } else { 1.0 };
            sample
        });
        let matrix = SampleMatrix::new(MatrixShape::new(2, 2), &slow.collect::<Vec<_>>()).unwrap();
        assert!(p(&matrix, contrast::largest(&matrix).unwrap().log_ratio, 1) > 0.01);
    }

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
    }
}
