//! Comparison of runs without common blocks: of two sweeps, machines, kernels or days.
//!
//! Welch's test on logarithms (*Biometrika* 34, 1947). With drift, consecutive runs are correlated,
//! and have less information than independent ones: the effective number of each side is reduced by
//! its lag-one correlation (Zwiers and von Storch, *Journal of Climate* 8, 1995).

use super::Mean;
use super::difference::{FAMILY_WISE, FINEST};
use super::{deviation, mean};
use crate::many_tests::holm;
use crate::ratio_change::RatioChange;

/// The minimum number of runs of a side.
const FEWEST: usize = 3;

/// Compares the second side of each pair with the first, with runs in order of time, at a
/// family-wise 5 % over all pairs (Holm). None where a side has too few runs.
pub fn compare_unpaired(pairs: &[(Vec<f64>, Vec<f64>)]) -> Vec<Option<RatioChange>> {
    let mut all: Vec<Option<RatioChange>> =
        pairs.iter().map(|(first, second)| one(first, second)).collect();
    let ps: Vec<f64> = all.iter().flatten().map(|one| one.p).collect();
    all.iter_mut().flatten().zip(holm(&ps, FAMILY_WISE)).for_each(|(one, real)| one.real = real);
    all
}

fn one(first: &[f64], second: &[f64]) -> Option<RatioChange> {
    let (difference, error, freedom) = side(first)?.to(&side(second)?);
    Some(RatioChange::by(difference, error, freedom))
}

/// The mean of a side's logarithms.
fn side(runs: &[f64]) -> Option<Mean> {
    let logs: Vec<f64> =
        runs.iter().filter(|run| **run > 0.0 && run.is_finite()).map(|run| run.ln()).collect();
    let deviation = deviation(&logs).filter(|_| logs.len() >= FEWEST)?.max(FINEST);
    let mean = mean(&logs);
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let next: f64 = logs.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let alike = if squares > 0.0 { (next / squares).clamp(0.0, 0.9) } else { 0.0 };
    let count = (logs.len() as f64 * (1.0 - alike) / (1.0 + alike)).max(2.0);
    Some(Mean { mean, variance: deviation.powi(2) / count, freedom: count - 1.0 })
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    fn runs(median: f64, spread: f64, count: usize, rng: &mut Rng) -> Vec<f64> {
        let mut normal =
            || (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos();
        (0..count).map(|_| median * (spread * normal()).exp()).collect()
    }

    #[test]
    fn false_unpaired_differences_are_below_five_percent() {
        let mut rng = Rng::with_seed(3);
        let families = 300;
        let wrong = (0..families).filter(|_| {
            let pairs: Vec<_> = (0..6)
                .map(|_| (runs(10.0, 0.02, 8, &mut rng), runs(10.0, 0.02, 8, &mut rng)))
                .collect();
            compare_unpaired(&pairs).iter().flatten().any(|one| one.real)
        });
        assert!((wrong.count() as f64) < 0.09 * f64::from(families));
    }

    #[test]
    fn unpaired_differences_are_found() {
        let mut rng = Rng::with_seed(4);
        let found = compare_unpaired(&[
            (runs(10.0, 0.01, 10, &mut rng), runs(11.0, 0.01, 10, &mut rng)),
            (runs(10.0, 0.01, 10, &mut rng), vec![10.0, 9.0]),
        ]);
        let one = found[0].unwrap();
        assert!(
            one.real && (one.ratio - 0.1).abs() < 0.02 && one.ci95[0] < 0.1 && one.ci95[1] > 0.09,
            "{one:?}"
        );
        assert_eq!(found[1], None);
    }

    #[test]
    fn drift_reduces_the_effective_sample() {
        let drifting: Vec<f64> = (0..12).map(|run| 10.0 + 0.05 * f64::from(run)).collect();
        let mut turned = drifting.clone();
        // The same values in another order.
        for at in 0..6 {
            turned.swap(at, if at % 2 == 0 { 11 - at } else { at });
        }
        let width = |runs: &[f64]| {
            let [low, high] =
                compare_unpaired(&[(runs.to_vec(), vec![10.0, 10.1, 10.2, 10.1, 10.0])])[0]
                    .unwrap()
                    .ci95;
            high - low
        };
        assert!(width(&drifting) > 1.2 * width(&turned), "{} {}", width(&drifting), width(&turned));
    }
}
