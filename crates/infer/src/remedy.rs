//! What would settle an undetermined verdict, for instance a number of rounds.

use serde::{Deserialize, Serialize};

use crate::effect::Effect;
use crate::estimate::worst_standard_error;
use crate::hidden::PageRemedy;
use crate::sample_matrix::SampleMatrix;

/// More rounds than this are impractical.
const MAX_ROUNDS: f64 = 2_000.0;
/// A difference of this many half-widths of its 95 % interval is detected at 1 % with few
/// processes, whose intervals have heavy tails.
const DETECTED_AT: f64 = 2.0;

/// What would settle an undetermined verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Remedy {
    /// A measurement of latency.
    Survey,
    /// Valid samples of two columns in one row, of two rounds or more.
    MoreSamples,
    /// A second memory: with NUMA, the order of the CPUs is reversed on it.
    SecondMemory,
    /// Other pages of this memory: with hidden NUMA, the order of the CPUs is reversed on them.
    OtherPages,
    /// More rounds.
    MoreRounds {
        /// Rounds with samples, in total.
        rounds: usize,
        /// Rounds with samples so far.
        so_far: usize,
        /// The predicted largest relative standard error; null where it is unknown.
        standard_error: Option<f64>,
        /// Whether they settle it only if memory is uniform.
        if_uniform: bool,
    },
    /// Another threshold: the effect is too close to this one for any number of rounds.
    OtherThreshold {
        /// The threshold.
        threshold: f64,
    },
    /// A quieter machine: costs scatter too much for any number of rounds.
    QuieterMachine,
    /// A longer search for hidden nodes.
    SearchLonger,
    /// The requirement of the search for hidden nodes.
    HiddenNodes {
        /// The requirement.
        remedy: PageRemedy,
    },
}

/// The number of rounds that would settle it. Intervals decrease with the square root of the
/// rounds.
pub(crate) fn rounds(
    matrix: &SampleMatrix,
    threshold: f64,
    seed: u64,
    detected: bool,
    effect: Effect,
) -> Remedy {
    let so_far = matrix.rounds();
    let now = so_far as f64;
    let rounds = two_digits_up(now * factor(threshold, detected, effect));
    if rounds > MAX_ROUNDS {
        return if detected {
            Remedy::OtherThreshold { threshold }
        } else {
            Remedy::QuieterMachine
        };
    }
    // Only rounds with samples count: on a machine that drops many, the prediction would be fewer
    // rounds than so far.
    let standard_error =
        worst_standard_error(matrix, seed).map(|error| error * (now / rounds).sqrt());
    let if_uniform = !detected && !exceeds(effect, threshold);
    Remedy::MoreRounds { rounds: rounds as usize, so_far, standard_error, if_uniform }
}

/// The required multiple of the present rounds.
fn factor(threshold: f64, detected: bool, effect: Effect) -> f64 {
    let [size, high, limit] = [effect.effect, effect.ci95[1], threshold].map(f64::ln_1p);
    let half_width = high - size;
    // An undetected difference is taken for noise, which decreases with the interval, unless it is
    // larger than the interval. A detected one stays.
    let ratio = match detected {
        true => half_width / (size - limit).abs(),
        false if exceeds(effect, threshold) => DETECTED_AT * half_width / size,
        false => high / limit,
    };
    ratio.powi(2).max(1.2)
}

/// Whether the whole interval lies above the threshold.
pub(crate) fn exceeds(effect: Effect, threshold: f64) -> bool {
    effect.ci95[0] > threshold
}

fn two_digits_up(number: f64) -> f64 {
    let unit = 10f64.powf((number.log10().floor() - 1.0).max(0.0));
    (number / unit).ceil() * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::simulate::Machine;

    fn effect(size: f64, high: f64) -> Effect {
        Effect { effect: size, ci95: [0.0, high], row: 0, near: 0, far: 1 }
    }

    #[test]
    fn half_the_width_takes_four_times_the_rounds() {
        let exact = |half_width: f64| {
            factor(0.05, true, effect(0.03, (1.03f64.ln() + half_width).exp_m1()))
        };
        assert!((exact(0.08) / exact(0.04) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn an_effect_at_the_threshold_is_not_settled_by_rounds() {
        let matrix = Machine::uniform(1, 2).matrix(1);
        let remedy = rounds(&matrix, 0.05, 1, true, effect(0.0501, 0.08));
        assert_eq!(remedy, Remedy::OtherThreshold { threshold: 0.05 });
    }

    #[test]
    fn large_scattered_effects_need_more_rounds() {
        let matrix = Machine::uniform(1, 2).matrix(1);
        let large = Effect { ci95: [0.69, 0.99], ..effect(0.83, 0.99) };
        let remedy = rounds(&matrix, 0.05, 1, false, large);
        assert!(matches!(remedy, Remedy::MoreRounds { if_uniform: false, .. }), "{remedy:?}");
        assert_eq!(rounds(&matrix, 0.05, 1, false, effect(0.5, 9.0)), Remedy::QuieterMachine);
    }

    #[test]
    fn predicted_rounds_are_sufficient() {
        let few = Machine { processes: 5, ..Machine::uniform(8, 8) };
        let undetermined = crate::verdict(&few.matrix(2), 0.05, 2);
        let Some(Remedy::MoreRounds { rounds, .. }) = undetermined.would_settle else {
            panic!("{undetermined:?}")
        };
        let enough =
            Machine { processes: 5 + (rounds as u32).saturating_sub(15).div_ceil(5), ..few };
        assert_eq!(crate::verdict(&enough.matrix(3), 0.05, 3).numa, crate::Numa::No, "{rounds}");
    }

    #[test]
    fn rounds_have_two_digits() {
        assert_eq!([14.2, 99.5, 141.0, 1431.0].map(two_digits_up), [15.0, 100.0, 150.0, 1500.0]);
    }
}
