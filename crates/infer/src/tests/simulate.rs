//! Simulated machines: one level, one far column, and realistic noise.

use fastrand::Rng;
use nearfar_model::{CellIndex, MatrixShape, Sample};

use crate::normal;
use crate::sample_matrix::SampleMatrix;

/// Scatter of one sample about its cell.
const CV: f64 = 0.03;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Extra cost of the last column in every row.
    pub(crate) effect: f64,
    /// Scatter of a column's pages between processes, the same for all rows.
    pub(crate) process_sd: f64,
    /// Scatter of a whole row between processes.
    pub(crate) process_drift_sd: f64,
    /// Scatter of a whole round.
    pub(crate) round_sd: f64,
    /// Five processes of three rounds, then five rounds of each further one.
    pub(crate) processes: u32,
}

impl Machine {
    pub(crate) fn uniform(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            effect: 0.0,
            process_sd: 0.0,
            process_drift_sd: 0.0,
            round_sd: 0.0,
            processes: 7,
        }
    }

    /// The true median of every column but the last.
    pub(crate) fn median_ns(&self) -> f64 {
        100.16
    }

    pub(crate) fn samples(&self, seed: u64) -> Vec<Sample> {
        let rng = &mut Rng::with_seed(seed);
        let drifting = &mut Rng::with_seed(!seed).fork();
        let mut samples = Vec::new();
        for process in 0..self.processes {
            let pages: Vec<f64> =
                (0..self.columns).map(|_| self.process_sd * normal(rng)).collect();
            let levels: Vec<f64> =
                (0..self.rows).map(|_| self.process_drift_sd * normal(drifting)).collect();
            for round in 0..if process < 5 { 3 } else { 5 } {
                let moment = self.round_sd * normal(rng);
                for (row, level) in levels.iter().enumerate() {
                    for (column, page) in pages.iter().enumerate() {
                        let far =
                            if column + 1 == self.columns { self.effect.ln_1p() } else { 0.0 };
                        let ns = 100.0 * (far + page + level + moment + noise(rng)).exp();
                        samples.push(Sample::new(process, round, CellIndex::new(row, column), ns));
                    }
                }
            }
        }
        samples
    }

    pub(crate) fn matrix(&self, seed: u64) -> SampleMatrix {
        SampleMatrix::new(MatrixShape::new(self.rows, self.columns), &self.samples(seed)).unwrap()
    }

    /// A run in which all processes are shifted together by as much as they scatter.
    pub(crate) fn run_at_its_own_level(&self, seed: u64) -> SampleMatrix {
        let shift = (self.process_drift_sd * normal(&mut Rng::with_seed(!seed))).exp();
        let shifted = self
            .samples(seed)
            .into_iter()
            .map(|sample| Sample { value: sample.value * shift, ..sample });
        SampleMatrix::new(MatrixShape::new(self.rows, self.columns), &shifted.collect::<Vec<_>>())
            .unwrap()
    }
}

/// Log-normal, and one sample in twenty disturbed upwards.
fn noise(rng: &mut Rng) -> f64 {
    let tail = if rng.f64() < 0.05 { -0.1 * (1.0 - rng.f64()).ln() } else { 0.0 };
    CV * normal(rng) + tail
}
