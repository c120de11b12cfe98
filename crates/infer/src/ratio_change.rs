//! A ratio of two figures, and its significance.

use serde::{Deserialize, Serialize};

use crate::student::{NORMAL_95, as_rare_as, two_sided_p};

/// A ratio, and its significance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RatioChange {
    /// The second over the first, minus 1.
    pub ratio: f64,
    /// Its 95 % interval, as a single test.
    pub ci95: [f64; 2],
    /// The p-value, as a single test.
    pub p: f64,
    /// Whether it is significant within its family of tests.
    pub real: bool,
}

impl RatioChange {
    /// From a logarithm with this standard error and degrees of freedom. `real` is set by its
    /// family.
    pub(crate) fn by(log: f64, error: f64, freedom: f64) -> Self {
        let reach = as_rare_as(NORMAL_95, freedom) * error;
        let ratio = |log: f64| log.min(f64::MAX.ln()).exp_m1();
        let p = two_sided_p(log / error, freedom);
        Self { ratio: ratio(log), ci95: [ratio(log - reach), ratio(log + reach)], p, real: false }
    }
}
