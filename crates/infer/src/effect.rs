//! The largest difference within a row.

use serde::{Deserialize, Serialize};

use crate::contrast;
use crate::contrast_noise::ContrastNoise;
use crate::sample_matrix::SampleMatrix;

/// The ratio of the farthest to the nearest memory, for the row with the largest ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The largest ratio of two columns' medians within one row, minus 1: 0.72 means 1.72 times.
    pub effect: f64,
    /// Its 95 % interval, simultaneous over all contrasts within rows, which allows for the
    /// selection of the largest. Not below 0.
    pub ci95: [f64; 2],
    /// The row with this ratio.
    pub row: usize,
    /// The row's nearest column.
    pub near: usize,
    /// The row's farthest column.
    pub far: usize,
}

/// The effect; `None` when no row has two columns to compare.
pub fn effect(matrix: &SampleMatrix, seed: u64) -> Option<Effect> {
    effect_within(matrix, &ContrastNoise::new(matrix, seed)?)
}

pub(crate) fn effect_within(matrix: &SampleMatrix, noise: &ContrastNoise) -> Option<Effect> {
    let largest = contrast::largest(matrix)?;
    let half = noise.half_width(0.95);
    let bound = |log_ratio: f64| log_ratio.clamp(0.0, 300.0).exp_m1();
    let ci95 = [bound(largest.log_ratio - half), bound(largest.log_ratio + half)];
    Some(Effect {
        effect: bound(largest.log_ratio),
        ci95,
        row: largest.row,
        near: largest.near,
        far: largest.far,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::simulate::Machine;

    #[test]
    fn effect_has_its_row_and_columns() {
        let effect =
            effect(&Machine { effect: 0.72, ..Machine::uniform(3, 4) }.matrix(1), 1).unwrap();
        assert_eq!(effect.far, 3);
        assert!(effect.row < 3 && effect.near < 3);
        assert!(effect.ci95[0] < 0.72 && 0.72 < effect.ci95[1], "{effect:?}");
    }

    #[test]
    fn uniform_machines_may_have_no_effect() {
        let effect = effect(&Machine::uniform(2, 2).matrix(1), 1).unwrap();
        assert_eq!(effect.ci95[0], 0.0);
        assert!(effect.effect > 0.0 && effect.effect < effect.ci95[1]);
    }

    #[test]
    fn one_column_has_no_effect() {
        assert_eq!(effect(&Machine::uniform(4, 1).matrix(1), 1), None);
    }
}
