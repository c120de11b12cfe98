//! A machine simulated from a matrix and a noise model, to test plans and verdicts.

use std::convert::Infallible;

use fastrand::Rng;
use nearfar_infer::normal;
use nearfar_model::CpuId;

use crate::{Batch, BatchExecutor, DropReason, PlacedMemory, PlanScope, Visit, WorkerMessage};

/// The pages that each column reports.
const PAGES: u32 = 8;

/// The scatter of samples. All sizes are fractions of the cell's cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayNoise {
    /// Scatter of each sample (standard deviation of its logarithm).
    pub cv: f64,
    /// Scatter of a column's cost between processes, as from fresh pages; the same for all rows.
    pub process_sd: f64,
    /// Scatter of whole rounds.
    pub round_sd: f64,
    /// Fraction of samples with an undetected disturbance, which increases their cost.
    pub tail_share: f64,
    /// The average increase.
    pub tail_size: f64,
    /// Fraction of samples with a detected disturbance, which are dropped.
    pub dropped_share: f64,
}

impl Default for ReplayNoise {
    /// What the page probe shows on a noisy guest.
    fn default() -> Self {
        Self {
            cv: 0.03,
            process_sd: 0.005,
            round_sd: 0.01,
            tail_share: 0.05,
            tail_size: 0.1,
            dropped_share: 0.01,
        }
    }
}

/// A replayed machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    matrix: Vec<Vec<f64>>,
    noise: ReplayNoise,
    seed: u64,
}

impl Replay {
    /// A machine on which CPUs of row i access memory of column j in `matrix[i][j]` nanoseconds.
    /// Columns for A/A controls follow the others. Missing and invalid costs (-1, NaN) cannot be
    /// measured. The same seed gives the same samples.
    pub fn new(matrix: Vec<Vec<f64>>, noise: ReplayNoise, seed: u64) -> Self {
        Self { matrix, noise, seed }
    }

    fn cost(&self, row: usize, column: usize) -> Option<f64> {
        self.matrix.get(row)?.get(column).copied().filter(|ns| ns.is_finite() && *ns > 0.0)
    }

    /// A column's first message.
    fn placement(&self, column: usize) -> WorkerMessage {
        if (0..self.matrix.len()).any(|row| self.cost(row, column).is_some()) {
            let placed = PlacedMemory { pages: PAGES, backing: "replay".to_owned(), note: None };
            return WorkerMessage::Placed { column, treatment: 0, placed };
        }
        let why = "the replayed matrix has no costs in this column".to_owned();
        WorkerMessage::Unavailable { scope: PlanScope::Column(column), why }
    }

    fn sample(&self, visit: Visit, shift: f64, rng: &mut Rng) -> Option<WorkerMessage> {
        let cost = self.cost(visit.place.row, visit.place.column)?;
        if rng.f64() < self.noise.dropped_share {
            return Some(WorkerMessage::dropped(visit, DropReason::Descheduled));
        }
        let disturbed = rng.f64() < self.noise.tail_share;
        let tail = if disturbed { -self.noise.tail_size * (1.0 - rng.f64()).ln() } else { 0.0 };
        let ns = cost * (shift + self.noise.cv * normal(rng) + tail).exp();
        let cpu = CpuId(u32::try_from(visit.place.row).unwrap_or(u32::MAX));
        Some(WorkerMessage::Sample(visit.sample(cpu, visit.draw % PAGES, ns)))
    }
}

impl BatchExecutor for Replay {
    type Error = Infallible;

    fn execute(
        &mut self,
        batch: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), Infallible> {
        let mut rng = Rng::with_seed(self.seed ^ batch.seed);
        let columns = batch.visits.iter().map(|visit| visit.place.column + 1).max().unwrap_or(0);
        let pages: Vec<f64> =
            (0..columns).map(|_| self.noise.process_sd * normal(&mut rng)).collect();
        for column in (0..columns)
            .filter(|&column| batch.visits.iter().any(|visit| visit.place.column == column))
        {
            if !on_message(Some(self.placement(column))) {
                return Ok(());
            }
        }
        let (mut round, mut moment) = (None, 0.0);
        for &visit in &batch.visits {
            if round != Some(visit.round) {
                (round, moment) = (Some(visit.round), self.noise.round_sd * normal(&mut rng));
            }
            let answer = self.sample(visit, pages[visit.place.column] + moment, &mut rng);
            if answer.is_some() && !on_message(answer) {
                return Ok(());
            }
        }
        Ok(())
    }
}
