//! Random noise for simulations.

use fastrand::Rng;

/// A standard normal deviate (Box and Muller, *Annals of Mathematical Statistics* 29, 1958).
pub fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviates_have_mean_zero_and_variance_one() {
        let mut rng = Rng::with_seed(1);
        let deviates: Vec<f64> = (0..100_000).map(|_| normal(&mut rng)).collect();
        let mean = deviates.iter().sum::<f64>() / deviates.len() as f64;
        let variance =
            deviates.iter().map(|deviate| deviate * deviate).sum::<f64>() / deviates.len() as f64;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }
}
