//! How many rounds would turn "undetermined" into an answer.

use crate::effect::Effect;
use crate::estimate::worst_standard_error;
use crate::percent::percent;
use crate::readings::Readings;

/// More rounds than this nobody waits for.
const MOST_ROUNDS: f64 = 2_000.0;
/// So many half-widths of its 95 % interval from zero, a difference is detected at 1 % by few processes, whose intervals have wide tails.
const DETECTED_AT: f64 = 2.0;

/// What would settle it, in words. Intervals narrow with the square root of the rounds.
pub(crate) fn rounds(readings: &Readings, threshold: f64, seed: u64, detected: bool, effect: Effect) -> String {
    let now = readings.rounds() as f64;
    let needed = two_digits_up(now * factor(threshold, detected, effect));
    if needed > MOST_ROUNDS {
        let limit = percent(threshold);
        return match detected {
            true => {
                format!("another threshold: the effect lies so close to {limit} that more rounds would hardly tell")
            }
            false => "a quieter machine: costs scatter so much that more rounds would hardly tell".to_owned(),
        };
    }
    let condition = if detected || stands_out(effect, threshold) { "" } else { ", if memory is uniform" };
    // Rounds whose samples were all dropped tell nothing: without this count, a machine that drops many is promised fewer than it has had.
    let then = worst_standard_error(readings, seed).map(|error| percent(error * (now / needed).sqrt()));
    let then = then.map(|error| format!("; standard error then {error}")).unwrap_or_default();
    format!("about {needed} rounds with samples ({now} so far{then}){condition}")
}

/// How many times the present rounds it takes.
fn factor(threshold: f64, detected: bool, effect: Effect) -> f64 {
    let [size, high, limit] = [effect.effect, effect.ci95[1], threshold].map(f64::ln_1p);
    let half_width = high - size;
    // Undetected, the difference itself is taken for noise, which shrinks with the interval, unless it stands out. Detected, it stays.
    let ratio = match detected {
        true => half_width / (size - limit).abs(),
        false if stands_out(effect, threshold) => DETECTED_AT * half_width / size,
        false => high / limit,
    };
    ratio.powi(2).max(1.2)
}

/// Whether the whole interval lies above what matters.
pub(crate) fn stands_out(effect: Effect, threshold: f64) -> bool {
    effect.ci95[0] > threshold
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
    fn a_large_effect_that_scatters_takes_a_few_more_rounds_and_no_other_threshold() {
        let readings = Machine::uniform(1, 2).readings(1);
        let large = Effect { ci95: [0.69, 0.99], ..effect(0.83, 0.99) };
        let said = rounds(&readings, 0.05, 1, false, large);
        assert!(said.starts_with("about ") && !said.contains("if memory is uniform"), "{said}");
        let hopeless = rounds(&readings, 0.05, 1, false, effect(0.5, 9.0));
        assert!(hopeless.starts_with("a quieter machine"), "{hopeless}");
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
