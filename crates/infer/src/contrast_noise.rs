//! The distribution of the largest contrast within a row under noise alone. Limits for the largest
//! contrast hold for all of them simultaneously.

use std::ops::Add;

use fastrand::Rng;

use crate::bootstrap::{Draw, Scatter, bootstrap};
use crate::cell::quantile_of_sorted;
use crate::column_drift::ColumnDrift;
use crate::sample_matrix::SampleMatrix;
use crate::student::as_rare_as;

const DRAWS: usize = 1_000;

/// The bootstrap of the maximum.
pub(crate) struct ContrastNoise {
    /// The largest error of a contrast (difference of logarithms) of each draw, ascending.
    maxima: Vec<f64>,
    /// The largest drift of a column, as a logarithm. `None` where no column drifts.
    drift: Option<f64>,
}

impl ContrastNoise {
    /// Resamples; `None` when no row has two columns to compare.
    pub(crate) fn new(matrix: &SampleMatrix, seed: u64) -> Option<Self> {
        let comparable = matrix.comparable_rows();
        if comparable.is_empty() {
            return None;
        }
        let drift = ColumnDrift::new(matrix, &comparable, seed);
        let draws = bootstrap(matrix, DRAWS, seed);
        let rows: Vec<RowErrors> = comparable
            .into_iter()
            .map(|(row, columns)| RowErrors::new(matrix, &draws, row, columns))
            .collect();
        let of_columns = sum_by_column(matrix, &rows);
        let (typical, freedom) =
            (typical_error(&rows, &of_columns), shared_freedom(matrix, &rows, &of_columns));
        let no_drift = vec![0.0; matrix.columns()];
        let mut rng = Rng::with_seed(seed);
        // A draw's errors are scaled to the average draw's, with Student's tail. Drift has its own
        // tail.
        let mut largest = |(draw, even): (usize, f64)| {
            let of_rows = |stretch: f64, drift: &[f64]| {
                rows.iter()
                    .map(|row| row.largest(draw, &of_columns, stretch, drift))
                    .fold(0.0, f64::max)
            };
            let alone = of_rows(even, &no_drift);
            let tailed =
                if typical > 0.0 { typical * as_rare_as(alone / typical, freedom) } else { alone };
            match &drift {
                Some(drift) if alone > 0.0 => of_rows(even * tailed / alone, &drift.draw(&mut rng)),
                Some(drift) => of_rows(even, &drift.draw(&mut rng)),
                None => tailed,
            }
        };
        let mut maxima: Vec<f64> =
            evenly(&draws).into_iter().enumerate().map(&mut largest).collect();
        maxima.sort_by(f64::total_cmp);
        Some(Self { maxima, drift: drift.map(|drift| drift.largest()) })
    }

    /// Half the width of the simultaneous interval of all contrasts with this probability.
    pub(crate) fn half_width(&self, probability: f64) -> f64 {
        quantile_of_sorted(&self.maxima, probability).unwrap_or(0.0)
    }

    /// The largest drift of a column, as a logarithm. `None` where no column drifts.
    pub(crate) fn drift(&self) -> Option<f64> {
        self.drift
    }

    /// The probability of such a contrast under noise alone.
    pub(crate) fn p(&self, log_ratio: f64) -> f64 {
        let below = self.maxima.partition_point(|&largest| largest < log_ratio);
        (self.maxima.len() - below + 1) as f64 / (self.maxima.len() + 1) as f64
    }
}

/// Resampled errors of one row's columns about the mean of the row, in which their common part
/// cancels.
struct RowErrors {
    columns: Vec<usize>,
    scatters: Vec<Scatter>,
    /// `[draw][column]`; the first of each pair.
    draws: Vec<Vec<f64>>,
}

impl RowErrors {
    fn new(matrix: &SampleMatrix, draws: &[Draw], row: usize, columns: Vec<usize>) -> Self {
        let cells = matrix.row(row);
        let medians: Vec<f64> =
            columns.iter().map(|&column| cells[column].log_median().unwrap_or(f64::NAN)).collect();
        let start = row * matrix.columns();
        let errors = |draw: &[f64]| {
            centre(
                columns
                    .iter()
                    .zip(&medians)
                    .map(|(&column, median)| draw[start + column] - median)
                    .collect(),
            )
        };
        let pairs: Vec<[Vec<f64>; 2]> =
            draws.iter().map(|draw| draw.log_medians.each_ref().map(|draw| errors(draw))).collect();
        let scatter = |at: usize| {
            Scatter::new(pairs.iter().map(move |[a, b]| [a[at], b[at]]), matrix.processes())
        };
        let scatters = (0..columns.len()).map(|at| scatter(at).unwrap_or_default()).collect();
        Self { columns, scatters, draws: pairs.into_iter().map(|[first, _]| first).collect() }
    }

    /// The largest error of a contrast in one draw, scaled by `stretch`.
    fn largest(&self, draw: usize, of_columns: &[Scatter], stretch: f64, drift: &[f64]) -> f64 {
        let errors =
            self.columns.iter().zip(&self.draws[draw]).map(|(&column, error)| {
                error * of_columns[column].scale() * stretch + drift[column]
            });
        let (low, high) = errors
            .filter(|error| error.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), error| {
                (low.min(error), high.max(error))
            });
        (high - low).max(0.0)
    }
}

/// Errors about their mean; missing columns stay missing.
fn centre(mut errors: Vec<f64>) -> Vec<f64> {
    let known = || errors.iter().copied().filter(|error| error.is_finite());
    let mean = known().sum::<f64>() / known().count() as f64;
    errors.iter_mut().for_each(|error| *error -= mean);
    errors
}

/// Scale factors that give each draw's errors the size of the average draw's. A draw with repeated
/// processes or rounds scatters more, and such draws would dominate the tail of the maxima.
/// Student's t accounts for the uncertainty of the scatter itself.
fn evenly(draws: &[Draw]) -> Vec<f64> {
    let mean = draws.iter().map(|draw| draw.unevenness).sum::<f64>() / draws.len() as f64;
    let even = |unevenness: f64| if unevenness > 0.0 { (mean / unevenness).sqrt() } else { 0.0 };
    draws.iter().map(|draw| even(draw.unevenness)).collect()
}

/// The scatter of each column, summed over rows: all rows read the same freshly allocated pages.
fn sum_by_column(matrix: &SampleMatrix, rows: &[RowErrors]) -> Vec<Scatter> {
    let mut sums = vec![Scatter::default(); matrix.columns()];
    for row in rows {
        for (&column, &scatter) in row.columns.iter().zip(&row.scatters) {
            sums[column] = sums[column] + scatter;
        }
    }
    sums
}

/// The root mean square error of a contrast: two columns, each less 1/C for the mean of C columns.
fn typical_error(rows: &[RowErrors], of_columns: &[Scatter]) -> f64 {
    let lost: usize = rows.iter().map(|row| row.columns.len() - 1).sum();
    let sum: f64 = of_columns.iter().map(|scatter| scatter.variance()).sum();
    (2.0 * sum / lost as f64).sqrt()
}

/// Degrees of freedom of the scatter of all contrasts together. Columns add degrees, as many as
/// scatter equally. Rows add degrees where rounds cause the scatter; where processes do, they do
/// not, as all rows read the same freshly allocated pages.
fn shared_freedom(matrix: &SampleMatrix, rows: &[RowErrors], of_columns: &[Scatter]) -> f64 {
    let variances = of_columns.iter().map(|scatter| scatter.variance());
    let (sum, squares) = variances.fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
    let alike = if squares > 0.0 { (sum * sum / squares - 1.0).max(1.0) } else { 1.0 };
    let together = of_columns.iter().copied().fold(Scatter::default(), Scatter::add);
    let independent_rows = if together.rounds < together.processes { 1 } else { rows.len() };
    together.freedom(matrix) * alike * independent_rows as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contrast;
    use crate::tests::simulate::Machine;

    #[test]
    fn noise_grows_with_the_number_of_contrasts() {
        let half = |rows, columns| {
            ContrastNoise::new(&Machine::uniform(rows, columns).matrix(1), 1)
                .unwrap()
                .half_width(0.95)
        };
        assert!(half(8, 8) > 1.2 * half(2, 2));
    }

    #[test]
    fn common_slowness_cancels() {
        let half = |round_sd| {
            let matrix = Machine { round_sd, ..Machine::uniform(2, 4) }.matrix(1);
            ContrastNoise::new(&matrix, 1).unwrap().half_width(0.95)
        };
        assert!(half(0.03) < 1.3 * half(0.0), "{} {}", half(0.03), half(0.0));
    }

    #[test]
    fn the_interval_is_simultaneous() {
        for process_sd in [0.0, 0.0173] {
            let machine = Machine { process_sd, ..Machine::uniform(2, 4) };
            let held = (0..100).filter(|&seed| {
                let matrix = machine.matrix(seed);
                let half = ContrastNoise::new(&matrix, seed).unwrap().half_width(0.95);
                contrast::largest(&matrix).unwrap().log_ratio <= half
            });
            let held = held.count();
            assert!(held >= 93, "{held} of 100");
        }
    }
}
