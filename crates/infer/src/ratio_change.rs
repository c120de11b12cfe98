//! A ratio of two figures, and whether it is more than chance.

use serde::{Deserialize, Serialize};

use crate::student::{NORMAL_95, as_rare_as, two_sided_p};

/// A ratio, and whether it is more than chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioChange {
    /// The second over the first, minus 1.
    pub ratio: f64,
    /// 95 % interval of that, by itself.
    pub ci95: [f64; 2],
    /// How often chance alone gives as much, by itself.
    pub p: f64,
    /// Whether it is more than chance, in its family.
    pub real: bool,
}

impl RatioChange {
    /// By a logarithm with this standard error, of so many degrees of freedom. Its family calls it
    /// real or not.
    pub(crate) fn by(log: f64, error: f64, freedom: f64) -> Self {
        let reach = as_rare_as(NORMAL_95, freedom) * error;
        let ratio = |log: f64| log.min(f64::MAX.ln()).exp_m1();
        let p = two_sided_p(log / error, freedom);
        Self { ratio: ratio(log), ci95: [ratio(log - reach), ratio(log + reach)], p, real: false }
    }
}
