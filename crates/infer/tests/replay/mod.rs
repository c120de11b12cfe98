//! Simulated machines: a matrix of true costs and a model of noise that respond to a plan as a real
//! machine would.
//!
//! On a real machine the truth is unknown and a survey takes a minute, so long-run properties of
//! tests cannot be measured. Here thousands of surveys take about a second, and the correct result
//! is known. `./dev bench odds` uses them.
//!
//! - [`Model`]: costs of memory and links of nodes, of published machines and of families of
//!   shapes.
//! - [`Noise`]: deviations of samples, recorded on a real machine or invented to be difficult.
//! - [`hiding::Hiding`]: machines with hidden nodes.
//! - [`program`], [`objects`]: programs whose response to latency, or that of their parts, is
//!   known.
//! - [`survey`]: rounds in random order, split over processes, until the plan is precise enough.

pub mod chips;
#[cfg(test)]
pub mod hidden_part;
pub mod hiding;
mod model;
mod noise;
#[allow(dead_code)] // each program uses some
pub mod objects;
#[allow(dead_code)] // each program uses some
pub mod program;
mod published;
mod recording;
mod shapes;
mod straying;

use fastrand::Rng;
use nearfar_infer::{SampleMatrix, worst_standard_error_of};
use nearfar_model::{CellIndex, MatrixShape, Sample};

pub use model::Model;
pub use noise::Noise;
pub use recording::{Probe, Recording};

use straying::Straying;

/// Draws for the precision that a plan stops on. A real survey takes 1,000, which is too slow for
/// thousands of surveys.
const DRAWS: usize = 200;

/// Numbers of rounds and processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Rounds before the first check of precision.
    pub first_rounds: u32,
    /// Rounds per process among the first ones.
    pub first_rounds_per_process: u32,
    /// Rounds of each further process.
    pub step_rounds: u32,
    /// Limit of rounds.
    pub max_rounds: u32,
    /// The standard error that every cell must reach, as a fraction of its median; 0 runs all
    /// rounds.
    pub standard_error: f64,
}

impl Plan {
    /// The plan of a survey without options: 15 rounds, then 5 more until 0.5 %, at most 60.
    pub const fn usual() -> Self {
        Self {
            first_rounds: 15,
            first_rounds_per_process: 3,
            step_rounds: 5,
            max_rounds: 60,
            standard_error: 0.005,
        }
    }

    /// The plan of `--quick`: until 1 %, at most 25 rounds.
    pub const fn quick() -> Self {
        Self { max_rounds: 25, standard_error: 0.01, ..Self::usual() }
    }
}

/// Surveys a machine. The same seed gives the same samples.
pub fn survey(model: &Model, noise: &Noise, plan: &Plan, seed: u64) -> SampleMatrix {
    let mut rng = Rng::with_seed(seed);
    let mut straying = Straying::new(noise, model.rows(), model.columns(), &mut rng);
    let (mut samples, mut rounds, mut process) = (Vec::new(), 0, 0);
    loop {
        let more = if rounds < plan.first_rounds {
            plan.first_rounds_per_process
        } else {
            plan.step_rounds
        }
        .max(1);
        straying.start_process(&mut rng);
        for round in rounds..rounds + more {
            straying.start_round(&mut rng);
            for (row, column) in shuffled(model, &mut rng) {
                let (row_seen, log) = straying.visit(row, column, &mut rng);
                let ns = model.costs[row_seen][column] * log.exp();
                samples.push(Sample::new(process, round, CellIndex::new(row, column), ns));
            }
        }
        (rounds, process) = (rounds + more, process + 1);
        if rounds < plan.first_rounds {
            continue;
        }
        if rounds >= plan.max_rounds {
            return matrix(model, &samples);
        }
        if plan.standard_error > 0.0 {
            let matrix = matrix(model, &samples);
            if worst_standard_error_of(&matrix, DRAWS, seed)
                .is_some_and(|error| error <= plan.standard_error)
            {
                return matrix;
            }
        }
    }
}

/// The cells of one round, in the order of their visits.
fn shuffled(model: &Model, rng: &mut Rng) -> Vec<(usize, usize)> {
    let columns = model.columns();
    let mut cells: Vec<(usize, usize)> =
        (0..model.rows()).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    rng.shuffle(&mut cells);
    cells
}

/// Samples of a model's own cells at its own positive costs are always valid.
fn matrix(model: &Model, samples: &[Sample]) -> SampleMatrix {
    SampleMatrix::new(MatrixShape::new(model.rows(), model.columns()), samples)
        .unwrap_or_else(|error| unreachable!("{error}"))
}
