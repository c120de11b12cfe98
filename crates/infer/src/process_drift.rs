//! Drift of a whole row from one process to the next, and the resulting uncertainty of the next
//! run.
//!
//! A CPU's speed drifts: by neighbours on the same hardware, clocks, temperature. All memories that
//! it reads drift with it, so contrasts within a row are free of it, and costs are not. Such drift
//! is flicker noise: its variance is much the same after a second and after a minute (a flat Allan
//! variance; Allan, *Statistics of Atomic Frequency Standards*, Proc. IEEE 54, 1966). Unlike
//! independent errors, it does not average out within a run. So the next run may differ by as much
//! as processes of one run do, and intervals of costs include the drift in full.

use crate::cell::{CellSamples, MAD_TO_SD, median};
use crate::sample_matrix::SampleMatrix;
use crate::student::{NORMAL_95, as_rare_as};

/// The variance of a median over that of a mean, for normal noise (pi / 2).
pub(crate) const MEDIAN_OVER_MEAN: f64 = std::f64::consts::FRAC_PI_2;

/// The drift of a row's level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ProcessDrift {
    /// Standard deviation of the row's level between processes, of logarithms, without sampling
    /// noise.
    pub(crate) sd: f64,
    /// Half the 95 % interval of the level at another time, of logarithms.
    pub(crate) half_width: f64,
}

impl ProcessDrift {
    /// The drift of one row. Zero with fewer than two comparable processes.
    pub(crate) fn from_row(matrix: &SampleMatrix, row: usize) -> Self {
        let processes = matrix.blocks_of_processes().iter();
        let levels: Vec<ProcessLevel> =
            processes.filter_map(|blocks| ProcessLevel::new(matrix.row(row), blocks)).collect();
        let count = levels.len() as f64;
        if levels.len() < 2 {
            return Self::default();
        }
        let mean = levels.iter().map(|level| level.level).sum::<f64>() / count;
        let between =
            levels.iter().map(|level| (level.level - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let sampling = levels.iter().map(|level| level.variance).sum::<f64>() / count;
        let sd = (between - sampling).max(0.0).sqrt();
        Self { sd, half_width: sd * as_rare_as(NORMAL_95, count - 1.0) }
    }
}

/// A row's level in one process, relative to its cells' medians over all processes.
struct ProcessLevel {
    level: f64,
    /// The variance of the level, from the scatter of its samples.
    variance: f64,
}

impl ProcessLevel {
    fn new(row: &[CellSamples], blocks: &[usize]) -> Option<Self> {
        let cell_residuals = |cell: &CellSamples| {
            let median = cell.log_median()?;
            let inside = cell.logs().filter(|(_, block)| blocks.contains(block));
            Some(inside.map(|(log, _)| log - median).collect::<Vec<f64>>())
        };
        let residuals: Vec<f64> = row.iter().filter_map(cell_residuals).flatten().collect();
        let level = median(residuals.iter().copied())?;
        let sd = MAD_TO_SD * median(residuals.iter().map(|residual| (residual - level).abs()))?;
        Some(Self { level, variance: MEDIAN_OVER_MEAN * sd * sd / residuals.len() as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::estimates;
    use crate::tests::simulate::Machine;

    fn mean_sd(machine: Machine) -> f64 {
        (0..40).map(|seed| ProcessDrift::from_row(&machine.matrix(seed), 0).sd).sum::<f64>() / 40.0
    }

    #[test]
    fn sampling_noise_is_no_drift() {
        let still = mean_sd(Machine::uniform(1, 6));
        assert!(still < 0.004, "{still}");
    }

    #[test]
    fn drift_is_estimated_without_bias() {
        let drifting = mean_sd(Machine { process_drift_sd: 0.02, ..Machine::uniform(1, 6) });
        assert!((0.016..0.022).contains(&drifting), "{drifting}");
    }

    #[test]
    fn one_process_shows_no_drift() {
        let machine = Machine { processes: 1, ..Machine::uniform(1, 3) };
        assert_eq!(ProcessDrift::from_row(&machine.matrix(1), 0), ProcessDrift::default());
    }

    /// Runs of a machine with slow drift: each run has a level of its own, with the same scatter as
    /// within a run.
    #[test]
    fn intervals_cover_other_runs_medians() {
        let machine = Machine { process_drift_sd: 0.01, ..Machine::uniform(1, 4) };
        let runs: Vec<_> = (0..80)
            .map(|seed| estimates(&machine.run_at_its_own_level(seed), seed)[0][0].unwrap())
            .collect();
        let (mut inside, mut all) = (0.0, 0.0);
        for (index, a) in runs.iter().enumerate() {
            for b in runs.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, b)| b) {
                all += 1.0;
                inside +=
                    f64::from(u8::from(b.ci95_ns[0] <= a.median_ns && a.median_ns <= b.ci95_ns[1]));
            }
        }
        assert!((0.76..0.95).contains(&(inside / all)), "{}", inside / all);
    }
}
