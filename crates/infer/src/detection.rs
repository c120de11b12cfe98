//! Test for any difference between columns within rows.
//!
//! Two conditions must hold. *Permutation*: columns differ more than with names permuted within
//! each row and round. A slow CPU or a slow moment therefore cannot look like NUMA. *Processes*:
//! the difference exceeds the scatter between fresh processes with fresh pages. Rounds of one
//! process share its pages, which permutations within rounds do not see.

use serde::{Deserialize, Serialize};

use crate::contrast;
use crate::contrast_noise::ContrastNoise;
use crate::permutation;
use crate::sample_matrix::SampleMatrix;

/// The rate of false alarms.
pub const ALPHA: f64 = 0.01;

/// Whether columns differ within rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Detection {
    /// Whether `p` is at most [`ALPHA`].
    pub detected: bool,
    /// The larger of the two p-values below.
    pub p: f64,
    /// The share of permutations within rows and rounds with such a large contrast of medians.
    pub permutation_p: f64,
    /// The probability of such a contrast by the scatter between processes, and of rounds within
    /// them.
    pub process_p: f64,
}

/// Tests for any difference between columns within rows; `None` when no row has two columns to
/// compare.
pub fn detect(matrix: &SampleMatrix, seed: u64) -> Option<Detection> {
    detect_beyond(matrix, &ContrastNoise::new(matrix, seed)?, seed)
}

pub(crate) fn detect_beyond(
    matrix: &SampleMatrix,
    noise: &ContrastNoise,
    seed: u64,
) -> Option<Detection> {
    let observed = contrast::largest(matrix)?.log_ratio;
    let process_p = noise.p(observed);
    let permutation_p = permutation::p(matrix, observed, seed);
    let p = permutation_p.max(process_p);
    Some(Detection { detected: p <= ALPHA, p, permutation_p, process_p })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::cases::simulations;
    use crate::tests::simulate::Machine;

    fn alarms(machine: Machine, seeds: u64) -> usize {
        (0..seeds).filter(|&seed| detect(&machine.matrix(seed), seed).unwrap().detected).count()
    }

    fn assert_seldom_alarms(machine: Machine) {
        let surveys = simulations(50, 150);
        let alarms = alarms(machine, surveys);
        assert!(alarms as u64 * 100 <= surveys * 3, "{alarms} of {surveys}");
    }

    #[test]
    fn false_alarms_are_rare() {
        assert_seldom_alarms(Machine::uniform(2, 4));
    }

    #[test]
    fn page_differences_are_not_numa() {
        let machine = Machine { process_sd: 0.0173, ..Machine::uniform(2, 4) };
        assert_seldom_alarms(machine);
    }

    #[test]
    fn slow_moments_are_not_numa() {
        assert_seldom_alarms(Machine { round_sd: 0.1, ..Machine::uniform(1, 2) });
    }

    #[test]
    fn ten_percent_is_detected() {
        assert_eq!(alarms(Machine { effect: 0.1, ..Machine::uniform(2, 2) }, 20), 20);
    }
}
