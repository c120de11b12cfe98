//! Comparison of two means with unequal variances (Welch, *Biometrika* 34, 1947).

use super::{deviation, mean};

/// A mean with its error.
pub(super) struct Mean {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) freedom: f64,
}

impl Mean {
    /// From independent values; none for fewer than two.
    pub(super) fn from_values(values: &[f64]) -> Option<Self> {
        let variance = deviation(values)?.powi(2) / values.len() as f64;
        Some(Self { mean: mean(values), variance, freedom: (values.len() - 1) as f64 })
    }

    /// The difference to another mean, its standard error and degrees of freedom.
    pub(super) fn to(&self, other: &Self) -> (f64, f64, f64) {
        let variance = self.variance + other.variance;
        let part = |side: &Self| side.variance.powi(2) / side.freedom;
        (other.mean - self.mean, variance.sqrt(), variance.powi(2) / (part(self) + part(other)))
    }
}
