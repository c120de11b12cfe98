//! The cost of one cell, with its uncertainty.

use crate::bootstrap::{Resampling, Scatter};
use crate::process_drift::ProcessDrift;
use crate::sample_matrix::SampleMatrix;
use crate::student::{NORMAL_95, as_rare_as};

/// Keeps the bounds of very wide intervals finite.
const MAX_LOG: f64 = 300.0;
const DRAWS: usize = 1_000;

/// The cost of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Lower quartile, in nanoseconds: the reported value, since noise only adds.
    pub q25_ns: f64,
    /// Median, in nanoseconds: the tested value.
    pub median_ns: f64,
    /// Standard error of the median, as a fraction of it.
    pub se: f64,
    /// Drift of the row's level between processes: a standard deviation, as a fraction. It does not
    /// average out.
    pub drift: f64,
    /// 95 % interval of the median, in nanoseconds: Student's t times `se` combined with the row's
    /// drift, as independent errors on a logarithmic scale.
    pub ci95_ns: [f64; 2],
    /// Number of samples.
    pub samples: usize,
}

/// Estimates `[row][column]`. `None` for a cell with fewer than [`MIN_SAMPLES`](crate::MIN_SAMPLES)
/// samples, or with samples of only one round, whose error is unknown.
pub fn estimates(matrix: &SampleMatrix, seed: u64) -> Vec<Vec<Option<Estimate>>> {
    let resampling = Resampling::new(matrix, DRAWS, seed);
    let row_estimates = |row| {
        let drift = ProcessDrift::from_row(matrix, row);
        let cell = |column| estimate(matrix, &resampling, row * matrix.columns() + column, drift);
        (0..matrix.columns()).map(cell).collect()
    };
    (0..matrix.rows()).map(row_estimates).collect()
}

/// The largest standard error of all cells with samples, as a fraction of the median. A plan stops
/// on it. `None` while it is unknown: without samples, or while a cell has too few.
pub fn worst_standard_error(matrix: &SampleMatrix, seed: u64) -> Option<f64> {
    worst_standard_error_of(matrix, DRAWS, seed)
}

/// The same with this number of draws, for replays of thousands of surveys.
pub fn worst_standard_error_of(matrix: &SampleMatrix, draws: usize, seed: u64) -> Option<f64> {
    let resampling = Resampling::new(matrix, draws, seed);
    let sampled = (0..matrix.cells().len()).filter(|&cell| matrix.cells()[cell].len() > 0);
    let errors: Option<Vec<f64>> = sampled
        .map(|cell| scatter(matrix, &resampling, cell).map(|scatter| scatter.variance().sqrt()))
        .collect();
    errors?.into_iter().reduce(f64::max)
}

fn estimate(
    matrix: &SampleMatrix,
    draws: &Resampling,
    index: usize,
    drift: ProcessDrift,
) -> Option<Estimate> {
    let cell = &matrix.cells()[index];
    let scatter = scatter(matrix, draws, index)?;
    let (se, median_ns) = (scatter.variance().sqrt(), cell.quantile_ns(0.5)?);
    let sampling = as_rare_as(NORMAL_95, scatter.freedom(matrix)) * se;
    let factor = sampling.hypot(drift.half_width).min(MAX_LOG).exp();
    let ci95_ns = [median_ns / factor, (median_ns * factor).min(f64::MAX)];
    Some(Estimate {
        q25_ns: cell.quantile_ns(0.25)?,
        median_ns,
        se,
        drift: drift.sd,
        ci95_ns,
        samples: cell.len(),
    })
}

fn scatter(matrix: &SampleMatrix, draws: &Resampling, index: usize) -> Option<Scatter> {
    let cell = &matrix.cells()[index];
    cell.scatters().then(|| Scatter::new(draws.pairs(cell), matrix.processes())).flatten()
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CellIndex, MatrixShape, Sample};

    use super::*;
    use crate::tests::simulate::Machine;

    #[test]
    fn estimates_are_within_their_samples() {
        let matrix = Machine::uniform(1, 1).matrix(3);
        let estimate = estimates(&matrix, 1)[0][0].unwrap();
        assert_eq!(estimate.samples, matrix.rounds());
        assert!((estimate.median_ns - 100.0).abs() < 3.0, "{estimate:?}");
        assert!(estimate.q25_ns < estimate.median_ns);
        assert!(
            estimate.ci95_ns[0] < estimate.median_ns && estimate.median_ns < estimate.ci95_ns[1]
        );
        assert!(estimate.se > 0.002 && estimate.se < 0.02, "{estimate:?}");
    }

    #[test]
    fn too_few_samples_have_no_estimate() {
        let sample = |round| Sample::new(0, round, CellIndex::default(), 80.0);
        let matrix = SampleMatrix::new(MatrixShape::new(1, 2), &[sample(0), sample(1)]).unwrap();
        assert_eq!(estimates(&matrix, 1), [[None, None]]);
        assert_eq!(worst_standard_error(&matrix, 1), None);
        let empty = SampleMatrix::new(MatrixShape::new(1, 2), &[]).unwrap();
        assert_eq!(worst_standard_error(&empty, 1), None);
    }

    #[test]
    fn one_round_has_no_precision() {
        let sample = |ns| Sample::new(0, 0, CellIndex::default(), ns);
        let matrix =
            SampleMatrix::new(MatrixShape::new(1, 1), &[sample(80.0), sample(90.0), sample(100.0)])
                .unwrap();
        assert_eq!(estimates(&matrix, 1), [[None]]);
        assert_eq!(worst_standard_error(&matrix, 1), None);
    }

    #[test]
    fn empty_cells_do_not_affect_precision() {
        let sample = |round: u32| {
            Sample::new(round / 3, round, CellIndex::default(), 80.0 + f64::from(round))
        };
        let matrix =
            SampleMatrix::new(MatrixShape::new(1, 2), &(0..9).map(sample).collect::<Vec<_>>())
                .unwrap();
        assert!(worst_standard_error(&matrix, 1).is_some_and(|error| error > 0.0 && error < 0.1));
    }

    #[test]
    fn scatter_between_processes_widens_the_interval() {
        let width = |process_sd| {
            let machine = Machine { process_sd, ..Machine::uniform(1, 1) };
            let ses = (0..20).map(|seed| estimates(&machine.matrix(seed), seed)[0][0].unwrap().se);
            ses.sum::<f64>() / 20.0
        };
        let (calm, scattered) = (width(0.0), width(0.05));
        assert!(scattered > 2.0 * calm, "{calm} {scattered}");
    }

    #[test]
    fn intervals_have_nominal_coverage() {
        for (process_sd, fewest) in [(0.0, 0.95), (0.0087, 0.95), (0.0173, 0.94)] {
            let machine = Machine { process_sd, ..Machine::uniform(2, 3) };
            let (mut held, mut all) = (0, 0);
            for seed in 0..60 {
                for estimate in
                    estimates(&machine.matrix(seed), seed).into_iter().flatten().flatten()
                {
                    let [low, high] = estimate.ci95_ns;
                    held += usize::from(low <= machine.median_ns() && machine.median_ns() <= high);
                    all += 1;
                }
            }
            let share = f64::from(u32::try_from(held).unwrap()) / f64::from(all);
            assert!(share >= fewest && share < 0.995, "process sd {process_sd}: {share}");
        }
    }
}
