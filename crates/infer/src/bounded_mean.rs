//! The mean of a bounded quantity, from a random sample of a population.

use crate::student::NORMAL_95 as Z;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundedMean {
    /// The mean of the sample.
    pub mean: f64,
    /// The interval of the population's mean.
    pub ci95: [f64; 2],
}

/// The mean of values that were drawn `count` times each, with Wilson's interval. `None` for an
/// empty sample.
///
/// Wilson's interval is that of a proportion, where each value is the lowest or the highest one.
/// Values in between vary less (Bhatia and Davis, *American Mathematical Monthly* 107, 2000), so
/// the interval is not too short. Where `is_whole`, the sample is the population.
pub fn bounded_mean(values: &[(f64, u64)], is_whole: bool) -> Option<BoundedMean> {
    let count = values.iter().map(|(_, count)| *count as f64).sum::<f64>();
    if count == 0.0 {
        return None;
    }
    let mean = values.iter().map(|(value, count)| value * *count as f64).sum::<f64>() / count;
    // Values that were not drawn bound the mean, too.
    let low = values.iter().map(|(value, _)| *value).fold(f64::INFINITY, f64::min);
    let high = values.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max);
    let range = high - low;
    if is_whole || range == 0.0 {
        return Some(BoundedMean { mean, ci95: [mean, mean] });
    }
    let [lower, upper] = wilson(((mean - low) / range).clamp(0.0, 1.0), count);
    Some(BoundedMean { mean, ci95: [low + lower * range, low + upper * range] })
}

/// Wilson's interval of a proportion (*Journal of the American Statistical Association* 22, 1927).
fn wilson(share: f64, count: f64) -> [f64; 2] {
    let spread = Z * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    let (middle, scale) = (share + Z * Z / (2.0 * count), 1.0 + Z * Z / count);
    // At the ends, rounding would leave the interval a little short of the share itself.
    [((middle - spread) / scale).clamp(0.0, share), ((middle + spread) / scale).clamp(share, 1.0)]
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn proportions_have_wilsons_interval() {
        let half = bounded_mean(&[(0.0, 50), (1.0, 50)], false).unwrap();
        assert!((half.ci95[0] - 0.4038).abs() < 1e-3 && (half.ci95[1] - 0.5962).abs() < 1e-3);
        let none = bounded_mean(&[(0.0, 400), (1.0, 0)], false).unwrap();
        assert_eq!(none.mean, 0.0);
        assert_eq!(none.ci95[0], 0.0);
        assert!((0.005..0.015).contains(&none.ci95[1]), "{none:?}");
    }

    #[test]
    fn whole_populations_and_single_values_are_exact() {
        let whole = bounded_mean(&[(0.0, 1), (1.0, 3)], true).unwrap();
        assert_eq!(whole, BoundedMean { mean: 0.75, ci95: [0.75, 0.75] });
        assert_eq!(bounded_mean(&[(0.5, 9)], false).unwrap().ci95, [0.5, 0.5]);
        assert_eq!(bounded_mean(&[(0.5, 0)], false), None);
        assert_eq!(bounded_mean(&[], false), None);
    }

    #[test]
    fn intervals_cover_the_mean_in_about_95_of_100_samples() {
        let mut rng = Rng::with_seed(3);
        let values = [0.0, 0.3, 1.0];
        for weights in [[0.5, 0.3, 0.2], [0.02, 0.0, 0.98], [0.1, 0.8, 0.1]] {
            let mean: f64 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
            let mut covered = 0;
            for _ in 0..1000 {
                let mut counts = [0; 3];
                for _ in 0..200 {
                    let place = rng.f64();
                    let mut sum = 0.0;
                    let at = weights.iter().position(|weight| {
                        sum += weight;
                        place < sum
                    });
                    counts[at.unwrap_or(2)] += 1;
                }
                let drawn: Vec<(f64, u64)> = values.into_iter().zip(counts).collect();
                let [low, high] = bounded_mean(&drawn, false).unwrap().ci95;
                covered += usize::from((low..=high).contains(&mean));
            }
            assert!(covered >= 920, "{covered} of 1000, {weights:?}");
        }
    }
}
