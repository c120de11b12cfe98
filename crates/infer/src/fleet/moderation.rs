//! Variances of many similar cells, each from few machines: shrunk towards a common one.
//!
//! Smyth's moderated variances (*Statistical Applications in Genetics and Molecular Biology* 3,
//! 2004, section 6.2): the true variances are taken as scaled inverse chi-squared, and the prior's
//! variance and degrees of freedom come from the mean and the variance of the logarithms.

/// A cell's variance between machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellVariance {
    pub(super) variance: f64,
    pub(super) freedom: f64,
}

impl CellVariance {
    /// Not below what figures' own errors explain.
    pub(super) fn at_least(self, variance: f64) -> Self {
        Self { variance: self.variance.max(variance).max(f64::EPSILON.powi(2)), ..self }
    }

    /// Shrunk towards a prior, whose degrees of freedom add.
    pub(super) fn shrunk(self, prior: Self) -> Self {
        let freedom = self.freedom + prior.freedom;
        let sum = self.freedom * self.variance + prior.freedom * prior.variance;
        Self { variance: sum / freedom, freedom }
    }
}

/// The variances of one kind of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct KindVariances {
    pub(super) cells: Vec<CellVariance>,
    /// How many of them are independent.
    pub(super) independent: f64,
}

/// The prior has no more degrees of freedom: cells of one machine are correlated, and agree more
/// than independent ones.
const MAX_PRIOR_FREEDOM: f64 = 20.0;
/// With fewer degrees of freedom between the cells there is no prior.
const MIN_FREEDOM: f64 = 2.0;

/// What each kind's variances are shrunk towards. The prior's degrees of freedom are common to all
/// kinds: few cells of a kind do not show how much they agree. But a prior has no more than the
/// kind's other cells have, where this many are independent; one less for each, as the spread of
/// few machines is less precise than its degrees of freedom show.
pub(super) fn priors(kinds: &[KindVariances]) -> Vec<CellVariance> {
    let freedom = prior_freedom(kinds).unwrap_or(0.0);
    let prior = |KindVariances { cells, independent }: &KindVariances| {
        let count = cells.len() as f64;
        let mean_freedom = cells.iter().map(|cell| cell.freedom).sum::<f64>() / count.max(1.0);
        let freedom = freedom.min((independent - 1.0).max(0.0) * (mean_freedom - 1.0).max(0.0));
        if freedom == 0.0 {
            return CellVariance { variance: 0.0, freedom };
        }
        let mean = cells.iter().map(unbiased_log).sum::<f64>() / count;
        let variance = (mean + digamma(freedom / 2.0) - (freedom / 2.0).ln()).exp();
        CellVariance { variance, freedom }
    };
    kinds.iter().map(prior).collect()
}

/// From the scatter of the logarithms within kinds. What exceeds the expected scatter by less than
/// its own standard error may be chance.
fn prior_freedom(kinds: &[KindVariances]) -> Option<f64> {
    let (mut squares, mut expected, mut freedom) = (0.0, 0.0, 0.0);
    for KindVariances { cells, .. } in kinds.iter().filter(|kind| kind.cells.len() >= 2) {
        let count = cells.len() as f64;
        let logs: Vec<f64> = cells.iter().map(unbiased_log).collect();
        let mean = logs.iter().sum::<f64>() / count;
        squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        let variances = cells.iter().map(|cell| trigamma(cell.freedom / 2.0));
        expected += variances.sum::<f64>() / count * (count - 1.0);
        freedom += count - 1.0;
    }
    let by_chance = 1.0 + (2.0 / freedom).sqrt();
    let excess = (squares - expected * by_chance) / freedom;
    (freedom >= MIN_FREEDOM).then(|| (2.0 * inverse_trigamma(excess)).min(MAX_PRIOR_FREEDOM))
}

/// The logarithm of the true variance, without bias.
fn unbiased_log(cell: &CellVariance) -> f64 {
    cell.variance.ln() - digamma(cell.freedom / 2.0) + (cell.freedom / 2.0).ln()
}

/// The derivative of the logarithm of the gamma function, for positive values (Abramowitz and
/// Stegun, 6.3.5 and 6.3.18).
fn digamma(x: f64) -> f64 {
    if x < ASYMPTOTIC {
        return digamma(x + 1.0) - 1.0 / x;
    }
    let square = x.powi(-2);
    x.ln() - 0.5 / x - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
}

/// Its derivative (6.4.6 and 6.4.12).
fn trigamma(x: f64) -> f64 {
    if x < ASYMPTOTIC {
        return trigamma(x + 1.0) + x.powi(-2);
    }
    let square = x.powi(-2);
    (1.0 + 0.5 / x + square * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0))) / x
}

const ASYMPTOTIC: f64 = 8.0;

/// Where `trigamma` has this value; infinite for values of zero or less. By bisection of the
/// logarithm.
fn inverse_trigamma(value: f64) -> f64 {
    if value <= 0.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (1e-6_f64, 1e6_f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn gamma_derivatives_have_their_known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!(close(digamma(1.0), -EULER));
        assert!(close(digamma(0.5), -EULER - 2.0 * std::f64::consts::LN_2));
        assert!(close(trigamma(1.0), std::f64::consts::PI.powi(2) / 6.0));
        assert!(close(trigamma(0.5), std::f64::consts::PI.powi(2) / 2.0));
        assert!((inverse_trigamma(trigamma(3.7)) - 3.7).abs() < 1e-6);
        assert_eq!(inverse_trigamma(-0.1), f64::INFINITY);
    }

    fn moderated(cells: &[CellVariance]) -> Vec<CellVariance> {
        let independent = cells.len() as f64;
        let prior = priors(&[KindVariances { cells: cells.to_vec(), independent }])[0];
        cells.iter().map(|cell| cell.shrunk(prior)).collect()
    }

    #[test]
    fn cells_that_agree_share_their_variance() {
        let cell = |variance| CellVariance { variance, freedom: 12.0 };
        let agreeing: Vec<CellVariance> = [0.9, 1.0, 1.1, 1.0].map(cell).to_vec();
        for one in moderated(&agreeing) {
            assert_eq!(one.freedom, 12.0 + MAX_PRIOR_FREEDOM);
        }
        // What the prior has is what the other cells have.
        let few: Vec<CellVariance> =
            agreeing.iter().map(|cell| CellVariance { freedom: 2.0, ..*cell }).collect();
        assert_eq!(moderated(&few)[0].freedom, 2.0 + 3.0);
        let differing: Vec<CellVariance> = [0.0001, 1.0, 100.0, 10_000.0].map(cell).to_vec();
        for (before, after) in differing.iter().zip(moderated(&differing)) {
            assert!(after.freedom < 12.5, "{after:?}");
            assert!((after.variance / before.variance).ln().abs() < 2.5, "{before:?} {after:?}");
        }
        assert_eq!(moderated(&agreeing[..2]), agreeing[..2]);
    }
}
