//! Least squares on the differences of pairs.
//!
//! No residual is clipped: with two or three pairs an object, a disturbed pair that is clipped
//! leaves its traces in all others, and the scatter comes out too small.

/// Resolution of differences.
const FINEST: f64 = 1e-7;
/// A matrix with a smaller pivot is singular.
const SINGULAR: f64 = 1e-9;

/// Coefficients with their covariance.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) slopes: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    /// The standard deviation of a pair.
    pub(super) scatter: f64,
    pub(super) freedom: f64,
    pub(super) residuals: Vec<f64>,
}

impl Fit {
    /// `None` with too few pairs, or if objects cannot be distinguished by them.
    pub(super) fn new(signs: &[Vec<f64>], values: &[f64]) -> Option<Self> {
        let objects = signs.first()?.len();
        let freedom = values.len().checked_sub(objects).filter(|freedom| *freedom > 1)? as f64;
        let (mut products, mut sums) = (vec![vec![0.0; objects]; objects], vec![0.0; objects]);
        for (signs, value) in signs.iter().zip(values) {
            for ((row, sum), sign) in products.iter_mut().zip(&mut sums).zip(signs) {
                row.iter_mut().zip(signs).for_each(|(product, other)| *product += sign * other);
                *sum += sign * value;
            }
        }
        let covariance = inverse(products)?;
        let slopes: Vec<f64> = covariance.iter().map(|row| product(row, &sums)).collect();
        let both = signs.iter().zip(values);
        let residuals: Vec<f64> =
            both.map(|(signs, value)| value - product(signs, &slopes)).collect();
        let scatter = (product(&residuals, &residuals) / freedom).sqrt().max(FINEST);
        Some(Self { slopes, covariance, scatter, freedom, residuals })
    }

    /// The standard error of a sum of slopes with these weights.
    pub(super) fn error_of(&self, weights: &[f64]) -> f64 {
        let by_row: Vec<f64> = self.covariance.iter().map(|row| product(row, weights)).collect();
        self.scatter * product(&by_row, weights).max(0.0).sqrt()
    }
}

/// By Gauss and Jordan; `None` of a singular matrix.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (at, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == at))));
    }
    for at in 0..size {
        let size_of = |row: &usize| matrix[*row][at].abs();
        let best = (at..size).max_by(|one, other| size_of(one).total_cmp(&size_of(other)))?;
        matrix.swap(at, best);
        let pivot = matrix[at][at];
        if pivot.abs() < SINGULAR {
            return None;
        }
        matrix[at].iter_mut().for_each(|value| *value /= pivot);
        let row = matrix[at].clone();
        for (_, values) in matrix.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = values[at];
            values.iter_mut().zip(&row).for_each(|(value, of)| *value -= factor * of);
        }
    }
    matrix.iter_mut().for_each(|row| drop(row.drain(..size)));
    Some(matrix)
}

pub(super) fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
