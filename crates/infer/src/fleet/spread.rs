//! How far healthy machines spread in one cell.
//!
//! Rousseeuw and Croux's Qn is not moved far by a few outliers, and needs no center. What lies far
//! beyond it is left out, and the variance of the rest is almost as precise as that of normal
//! deviates (a reweighted estimate; Rousseeuw and Leroy, *Robust Regression and Outlier Detection*,
//! 1987).
//!
//! Of two modes, Qn sees the spread within one, while the center may lie between them. So the outer
//! machines are looked at, too: from the least size of a batch on, machines on one side are never
//! outliers, however far they lie. Their distance is compared with what normal deviates would have
//! at that rank (Blom, *Statistical Estimates and Transformed Beta-Variables*, 1958).

use super::MIN_BATCH;
use super::moderation::CellVariance;
use super::qn::qn;
use crate::student::{as_rare_as, normal_quantile};

/// Qn of normal deviates has this share of the degrees of freedom of their standard deviation, with
/// 4 to 24 machines (by simulation: 0.49 to 0.70).
const QN_FREEDOM: f64 = 0.6;
/// Of three machines: four without the one that is compared.
const MIN_FREEDOM: f64 = 2.0;
/// Farther deviates are left out of the second estimate.
const FARTHEST: f64 = 3.5;
/// The variance of normal deviates without them.
const WITHIN_FARTHEST: f64 = 0.994;
/// A few outer machines lie farther by chance: the bound is lower by this, over the square root of
/// their number.
const BY_CHANCE: f64 = 0.7;

/// The first estimate of the variance within batches: of each its ascending deviations from its
/// center. None with too few machines.
pub(super) fn first_variance(batches: &[Vec<f64>]) -> Option<CellVariance> {
    let (mut squares, mut count) = (0.0, 0.0);
    for values in batches.iter().filter(|values| values.len() >= 2) {
        let others = (values.len() - 1) as f64;
        squares += others * qn(values).powi(2);
        count += others;
    }
    (count >= MIN_FREEDOM)
        .then(|| CellVariance { variance: squares / count, freedom: QN_FREEDOM * count })
}

/// The second estimate: without deviations that are far beyond the first.
pub(super) fn second_variance(batches: &[Vec<f64>], first: CellVariance) -> CellVariance {
    let farthest = as_rare_as(FARTHEST, first.freedom) * first.variance.sqrt();
    let (mut squares, mut freedom) = (0.0, 0.0);
    for values in batches {
        let near = || values.iter().filter(|value| value.abs() <= farthest);
        let count = near().count() as f64;
        let mean = near().sum::<f64>() / count.max(1.0);
        squares += near().map(|value| (value - mean).powi(2)).sum::<f64>();
        freedom += (count - 1.0).max(0.0);
    }
    if freedom == 0.0 {
        return first;
    }
    CellVariance { variance: squares / freedom / WITHIN_FARTHEST, freedom }
}

/// The least standard deviation that explains the outer machines, below and above the center.
/// Values are ascending deviations from it.
pub(super) fn for_outer_machines(deviations: &[f64]) -> [f64; 2] {
    let count = deviations.len();
    let mut least = [0.0_f64; 2];
    let mut rank = least_batch(count);
    while rank * 2 < count {
        let share = (rank as f64 - 0.375) / (count as f64 + 0.25);
        let scale = (1.0 - BY_CHANCE / (rank as f64).sqrt()) / normal_quantile(1.0 - share);
        least[0] = least[0].max(-scale * deviations[rank - 1]);
        least[1] = least[1].max(scale * deviations[count - rank]);
        rank *= 2;
    }
    least
}

/// The fewest of these machines that are a batch: three, and one in twenty. One or two machines
/// that differ are outliers, and so are a few of a thousand.
pub(super) fn least_batch(machines: usize) -> usize {
    MIN_BATCH.max(machines.div_ceil(20))
}
