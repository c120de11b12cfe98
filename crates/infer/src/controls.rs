//! A/A controls: the same memory measured twice under two names, and tested like two memories.
//!
//! About one pair in a hundred may "differ". A larger share shows scatter that the test does not
//! model, and makes a detection doubtful.

use serde::{Deserialize, Serialize};

use crate::contrast;
use crate::detection::detect;
use crate::sample_matrix::SampleMatrix;

/// Results of A/A comparisons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlResult {
    /// Pairs with enough samples.
    pub pairs: usize,
    /// Pairs with a "detected" difference.
    pub differing: usize,
    /// One p-value per pair.
    pub p_values: Vec<f64>,
    /// The largest difference of medians within a pair, as a ratio minus 1; `None` without pairs.
    pub largest_difference: Option<f64>,
}

/// Tests A/A pairs. Each is a matrix of one row and two columns of the same memory, or of the same
/// node. Pairs with too few samples are skipped.
pub fn controls(pairs: &[SampleMatrix], seed: u64) -> ControlResult {
    let mut judged = ControlResult::default();
    for (pair, number) in pairs.iter().zip(0u64..) {
        let (Some(detection), Some(contrast)) =
            (detect(pair, seed.wrapping_add(number)), contrast::largest(pair))
        else {
            continue;
        };
        let difference = contrast.log_ratio.exp_m1();
        judged.pairs += 1;
        judged.differing += usize::from(detection.detected);
        judged.p_values.push(detection.p);
        judged.largest_difference =
            Some(judged.largest_difference.map_or(difference, |most| most.max(difference)));
    }
    judged
}

#[cfg(test)]
mod tests {
    use nearfar_model::MatrixShape;

    use super::*;
    use crate::tests::simulate::Machine;

    #[test]
    fn false_alarms_are_rare() {
        let pairs: Vec<SampleMatrix> =
            (0..60).map(|seed| Machine::uniform(1, 2).matrix(seed)).collect();
        let judged = controls(&pairs, 1);
        assert_eq!((judged.pairs, judged.p_values.len()), (60, 60));
        assert!(judged.differing <= 3, "{judged:?}");
        assert!(judged.largest_difference.is_some_and(|most| most > 0.0 && most < 0.1));
    }

    #[test]
    fn different_pairs_are_detected() {
        let pair = Machine { effect: 0.3, ..Machine::uniform(1, 2) }.matrix(1);
        assert_eq!(controls(&[pair], 1).differing, 1);
    }

    #[test]
    fn pairs_without_samples_are_skipped() {
        let empty = SampleMatrix::new(MatrixShape::new(1, 2), &[]).unwrap();
        assert_eq!(controls(&[empty], 1), ControlResult::default());
    }
}
