//! Differences between columns within rows.

use serde::{Deserialize, Serialize};

use crate::contrast_noise::ContrastNoise;
use crate::sample_matrix::SampleMatrix;

/// The comparison of two columns in one row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// Natural logarithm of the ratio of medians, far to near; negative where "far" is cheaper.
    pub log_ratio: f64,
    /// Its 95 % interval, on the same scale.
    pub ci95: [f64; 2],
}

/// Compares two given columns of one row. `None` where either does not exist, or has too few
/// samples.
///
/// [`effect`](crate::effect()) is the largest of many contrasts and therefore never negative. Here
/// the pair is chosen beforehand: its interval may include zero.
pub fn contrast(
    matrix: &SampleMatrix,
    row: usize,
    near: usize,
    far: usize,
    seed: u64,
) -> Option<Contrast> {
    let pair = matrix.pair(row, near, far)?;
    let half = ContrastNoise::new(&pair, seed)?.half_width(0.95);
    let [near, far] = [0, 1].map(|column: usize| pair.row(0)[column].log_median());
    let log_ratio = far? - near?;
    Some(Contrast { log_ratio, ci95: [log_ratio - half, log_ratio + half] })
}

/// The largest difference of two columns' log medians within one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Largest {
    pub(crate) row: usize,
    pub(crate) near: usize,
    pub(crate) far: usize,
    /// Natural logarithm of the ratio far to near; not negative.
    pub(crate) log_ratio: f64,
}

/// The largest contrast within a row; `None` when no row has two columns to compare.
pub(crate) fn largest(matrix: &SampleMatrix) -> Option<Largest> {
    let row_contrast = |(row, columns): (usize, Vec<usize>)| {
        let median = |column: usize| matrix.row(row)[column].log_median().map(|log| (log, column));
        let medians: Vec<(f64, usize)> = columns.into_iter().filter_map(median).collect();
        let near = medians.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        let far = medians.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Largest { row, near: near.1, far: far.1, log_ratio: far.0 - near.0 })
    };
    let rows = matrix.comparable_rows().into_iter().filter_map(row_contrast);
    rows.reduce(|best, next| if next.log_ratio > best.log_ratio { next } else { best })
}

#[cfg(test)]
mod tests {
    use nearfar_model::MatrixShape;

    use super::*;
    use crate::tests::simulate::Machine;

    #[test]
    fn columns_keep_their_order() {
        let matrix = Machine { effect: 0.3, ..Machine::uniform(2, 3) }.matrix(1);
        let there = contrast(&matrix, 1, 0, 2, 1).unwrap();
        let back = contrast(&matrix, 1, 2, 0, 1).unwrap();
        assert!(
            there.ci95[0] > 0.0 && there.ci95[0] < 1.3f64.ln() && 1.3f64.ln() < there.ci95[1],
            "{there:?}"
        );
        assert!((there.log_ratio + back.log_ratio).abs() < 1e-12 && back.ci95[1] < 0.0, "{back:?}");
    }

    #[test]
    fn intervals_across_zero_are_symmetric() {
        let Contrast { log_ratio, ci95: [low, high] } =
            contrast(&Machine::uniform(1, 2).matrix(1), 0, 0, 1, 1).unwrap();
        assert!(low < 0.0 && 0.0 < high, "{low} {high}");
        assert!((f64::midpoint(low, high) - log_ratio).abs() < 1e-12);
    }

    /// A quick survey beside other programs compares page sizes by three processes.
    #[test]
    fn intervals_of_three_processes_hold_the_truth() {
        let truth = 1.3f64.ln();
        for process_sd in [0.0, 0.02, 0.1] {
            let noise = Machine { process_sd, effect: 0.3, ..Machine::uniform(1, 2) };
            let machine = Machine { processes: 3, ..noise };
            let holds = (0..400).filter(|&seed| {
                let [low, high] = contrast(&machine.matrix(seed), 0, 0, 1, seed).unwrap().ci95;
                (low..=high).contains(&truth)
            });
            let holds = holds.count();
            assert!(holds >= 372, "{holds} of 400 at {process_sd}");
        }
    }

    #[test]
    fn contrast_of_two_columns_is_the_signed_effect() {
        let matrix = Machine { effect: 0.3, ..Machine::uniform(1, 2) }.matrix(2);
        let (signed, effect) =
            (contrast(&matrix, 0, 0, 1, 7).unwrap(), crate::effect(&matrix, 7).unwrap());
        assert_eq!(
            [signed.log_ratio, signed.ci95[0]].map(f64::exp_m1),
            [effect.effect, effect.ci95[0]]
        );
    }

    #[test]
    fn missing_columns_have_no_contrast() {
        let matrix = Machine::uniform(2, 2).matrix(1);
        assert_eq!(contrast(&matrix, 0, 0, 2, 1), None);
        assert_eq!(contrast(&matrix, 2, 0, 1, 1), None);
        assert_eq!(
            contrast(&SampleMatrix::new(MatrixShape::new(1, 2), &[]).unwrap(), 0, 0, 1, 1),
            None
        );
    }
}
