//! How many rounds would turn "undetermined" into an answer.

use crate::effect::Effect;
use crate::estimate::worst_standard_error;
use crate::readings::Readings;
use crate::reasons::percent;

/// More rounds than this nobody waits for.
const MOST_ROUNDS: f64 = 2_000.0;

/// What would settle it, in words. Intervals narrow with the square root of the rounds.
pub(crate) fn rounds(readings: &Readings, threshold: f64, seed: u64, detected: bool, effect: Effect) -> String {
    let now = readings.rounds() as f64;
    let needed = two_digits_up(now * factor(threshold, detected, effect));
    if needed > MOST_ROUNDS {
        let limit = percent(threshold);
        return format!("another threshold: the effect lies so close to {limit} that more rounds would hardly tell");
    }
    let condition = if detected { "" } else { ", if memory is uniform" };
    match worst_standard_error(readings, seed) {
        Some(error) => {
            let error = percent(error * (now / needed).sqrt());
            format!("about {needed} rounds (standard error {error}){condition}")
        }
        None => format!("about {needed} rounds{condition}"),
    }
}

/// How many times the present rounds it takes.
fn factor(threshold: f64, detected: bool, effect: Effect) -> f64 {
    let [size, high, limit] = [effect.effect, effect.ci95[1], threshold].map(f64::ln_1p);
    let half_width = high - size;
    // Undetected, the difference itself is taken for noise, which shrinks with the interval. Detected, it stays.
    let ratio = if detected { half_width / (size - limit).abs() } else { high / limit };
    ratio.powi(2).max(1.2)
}

fn two_digits_up(number: f64) -> f64 {
    let unit = 10f64.powf((number.log10().floor() - 1.0).max(0.0));
    (number / unit).ceil() * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Machine;

    fn effect(size: f64, high: f64) -> Effect {
        Effect { effect: size, ci95: [0.0, high], row: 0, near: 0, far: 1 }
    }

    #[test]
    fn half_the_width_takes_four_times_the_rounds() {
        let exact = |half_width: f64| factor(0.05, true, effect(0.03, (1.03f64.ln() + half_width).exp_m1()));
        assert!((exact(0.08) / exact(0.04) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn an_effect_at_the_threshold_is_not_settled_by_rounds() {
        let readings = Machine::uniform(1, 2).readings(1);
        let said = rounds(&readings, 0.05, 1, true, effect(0.0501, 0.08));
        assert!(said.starts_with("another threshold"), "{said}");
    }

    #[test]
    fn the_promise_comes_true() {
        let few = Machine { processes: 5, ..Machine::uniform(8, 8) };
        let undetermined = crate::verdict(&few.readings(2), 0.05, 2);
        let promised = undetermined.would_settle.unwrap();
        let rounds: u32 = promised.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap();
        let enough = Machine { processes: 5 + rounds.saturating_sub(15).div_ceil(5), ..few };
        assert_eq!(crate::verdict(&enough.readings(3), 0.05, 3).numa, crate::Numa::No, "{promised}");
    }

    #[test]
    fn rounds_are_told_in_two_digits() {
        assert_eq!([14.2, 99.5, 141.0, 1431.0].map(two_digits_up), [15.0, 100.0, 150.0, 1500.0]);
    }
}
