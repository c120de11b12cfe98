//! The verdict's sentences. Percentages are of the nearest memory's median.

use crate::cell::MIN_SAMPLES;
use crate::detection::{ALPHA, Detection};
use crate::effect::Effect;
use crate::numa::Numa;
use crate::percent::percent;
use crate::readings::Readings;
use crate::settle::stands_out;

/// Rounds below which a median is hardly one.
const FEW_ROUNDS: usize = 10;

pub(crate) fn detection(detection: Detection) -> String {
    let p = detection.p;
    if detection.detected {
        return format!("columns differ within rows (p = {p:.4}, at most {ALPHA})");
    }
    format!("no difference between columns within rows was detected (p = {p:.2}, above {ALPHA})")
}

pub(crate) fn effect(numa: Numa, threshold: f64, detected: bool, effect: Effect) -> String {
    let [low, high] = effect.ci95.map(percent);
    let (size, limit) = (percent(effect.effect), percent(threshold));
    if numa == Numa::No {
        return format!("uniform within {limit}: the largest difference is {size}, and at most {high}");
    }
    if !detected && stands_out(effect, threshold) {
        return format!(
            "the farthest memory seems to cost a row {size} more than its nearest ({low} to {high}), but processes scatter so much that chance cannot be ruled out"
        );
    }
    if !detected {
        return format!("a difference of {high} or more would have been seen; smaller ones not");
    }
    let side = if numa == Numa::Yes { "above" } else { "which holds" };
    format!(
        "the farthest memory costs a row {size} more than its nearest (95 % interval {low} to {high}), {side} the threshold of {limit}"
    )
}

/// What weakens an answer that rests on these readings.
pub(crate) fn doubts(readings: &Readings) -> Vec<String> {
    let mut doubts = Vec::new();
    let cells = readings.cells();
    let missing = cells.iter().filter(|cell| !cell.scatters()).count();
    if missing > 0 {
        doubts.push(format!(
            "{missing} of {} cells have fewer than {MIN_SAMPLES} samples, or of one round only, and were left out",
            cells.len()
        ));
    }
    if readings.processes() < 2 {
        doubts.push("one process only: the interval knows how rounds scatter, not how fresh processes do".to_owned());
    }
    if readings.rounds() < FEW_ROUNDS {
        doubts.push(format!("{} rounds only: medians and intervals are rough", readings.rounds()));
    }
    doubts
}

/// Why nothing can be compared, and what would change that.
pub(crate) fn incomparable(readings: &Readings) -> (String, String) {
    let sampled = readings.cells().iter().any(|cell| cell.len() > 0);
    if sampled && readings.columns() == 1 {
        return (
            "one column only: differences between rows may be memory or clocks".to_owned(),
            "a second memory: one on which the order of the CPUs turns round tells NUMA from slow cores".to_owned(),
        );
    }
    (
        "no row has enough samples of two columns to compare".to_owned(),
        format!(
            "at least {MIN_SAMPLES} undisturbed samples, of two rounds or more, of two columns in one row: see why cells have none"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_the_decimals_that_matter() {
        let said: Vec<String> = [0.0, 0.0043, 0.05, 0.721, 1.6, 0.1].into_iter().map(percent).collect();
        assert_eq!(said, ["0 %", "0.43 %", "5 %", "72.1 %", "160 %", "10 %"]);
    }
}
