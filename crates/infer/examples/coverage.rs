//! Coverage of intervals, their widths, and false alarms, on simulated machines.
//!
//! `cargo run --release -p nearfar-infer --example coverage [SIMULATIONS]`

use fastrand::Rng;
use nearfar_infer::{
    ALPHA, InferError, Numa, SampleMatrix, THRESHOLD, detect, effect, estimates, verdict,
};
use nearfar_model::{CellIndex, MatrixShape, Sample};

/// Noise of one sample about its cell.
const CV: f64 = 0.03;
const LOCAL_NS: f64 = 100.0;

#[derive(Clone, Copy)]
struct SimulatedMachine {
    rows: usize,
    columns: usize,
    /// Ratio of the last column to the others in the last row, minus 1.
    effect: f64,
    /// Scatter of a process's pages, as a multiple of the noise of its mean.
    process_sd: f64,
    /// Whether all rows of a process share its pages' scatter.
    shared_pages: bool,
    processes: u32,
}

fn main() -> Result<(), InferError> {
    let simulations = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(200);
    println!(
        "Half-widths are multiples of the oracle's, which knows the true scatter. Process scatter \
         in units of a process's own error."
    );
    println!(
        "rows columns processes scatter | cells: held, half-width | contrasts: held, half-width | \
         alarms: permutation, process, both"
    );
    for (rows, columns) in [(1, 2), (2, 2), (4, 5), (8, 8)] {
        for processes in [5, 7, 12] {
            for (process_sd, shared_pages) in
                [(0.0, false), (0.5, false), (0.5, true), (1.0, false), (1.0, true)]
            {
                let machine = SimulatedMachine {
                    rows,
                    columns,
                    effect: 0.0,
                    process_sd,
                    shared_pages,
                    processes,
                };
                report_coverage(machine, simulations)?;
            }
        }
    }
    println!("rows columns processes effect | detected, yes");
    for (rows, columns) in [(2, 2), (4, 4), (8, 8)] {
        for processes in [5, 7, 14] {
            for effect in [0.02, 0.03, 0.05, 0.08] {
                let machine = SimulatedMachine {
                    rows,
                    columns,
                    effect,
                    process_sd: 0.0,
                    shared_pages: false,
                    processes,
                };
                report_power(machine, simulations)?;
            }
        }
    }
    Ok(())
}

fn report_power(machine: SimulatedMachine, simulations: u64) -> Result<(), InferError> {
    let SimulatedMachine { rows, columns, processes, effect, .. } = machine;
    let (mut detected, mut yes) = (0.0, 0.0);
    for seed in 0..simulations {
        let matrix = SampleMatrix::new(MatrixShape::new(rows, columns), &simulate(machine, seed))?;
        let verdict = verdict(&matrix, THRESHOLD, seed);
        detected += share(verdict.detected, simulations);
        yes += share(verdict.numa == Numa::Yes, simulations);
    }
    println!("{rows} {columns} {processes:2} {effect:.2} | {detected:.2} {yes:.2}");
    Ok(())
}

fn share(counted: bool, of: u64) -> f64 {
    f64::from(u8::from(counted)) / of as f64
}

#[derive(Default)]
struct CoverageTally {
    cells: f64,
    cells_held: f64,
    cell_widths: f64,
    contrasts_held: f64,
    contrast_widths: f64,
    /// By permutation, by process, by both.
    alarms: [f64; 3],
}

fn report_coverage(machine: SimulatedMachine, simulations: u64) -> Result<(), InferError> {
    let oracle = oracle(machine);
    let mut tally = CoverageTally::default();
    for seed in 0..simulations {
        let samples = simulate(machine, seed);
        let error = worst_contrast(machine, &samples);
        tally.add(
            &SampleMatrix::new(MatrixShape::new(machine.rows, machine.columns), &samples)?,
            &oracle,
            error,
            seed,
        );
    }
    let SimulatedMachine { rows, columns, processes, process_sd, shared_pages, .. } = machine;
    let pages = if shared_pages { "shared" } else { "own" };
    let (cells, n) = (tally.cells, simulations as f64);
    let held = tally.cells_held / cells;
    let width = tally.cell_widths / cells / (1.96 * oracle.se);
    let (all_held, all_width) =
        (tally.contrasts_held / n, tally.contrast_widths / n / oracle.contrast);
    let [permutation, process, both] = tally.alarms.map(|alarms| alarms / n);
    println!(
        "{rows} {columns} {processes:2} {process_sd:.1} {pages:6} | {held:.3} {width:.2} | \
         {all_held:.3} {all_width:.2} | {permutation:.4} {process:.4} {both:.4}"
    );
    Ok(())
}

impl CoverageTally {
    fn add(&mut self, matrix: &SampleMatrix, oracle: &Oracle, error: f64, seed: u64) {
        for estimate in estimates(matrix, seed).into_iter().flatten().flatten() {
            let [low, high] = estimate.ci95_ns;
            self.cells += 1.0;
            self.cells_held += share(low <= oracle.median && oracle.median <= high, 1);
            self.cell_widths += (high / low).ln() / 2.0;
        }
        let (Some(effect), Some(detection)) = (effect(matrix, seed), detect(matrix, seed)) else {
            return;
        };
        let half = effect.ci95[1].ln_1p() - effect.effect.ln_1p();
        self.contrast_widths += half;
        self.contrasts_held += share(error <= half, 1);
        self.alarms[0] += share(detection.permutation_p <= ALPHA, 1);
        self.alarms[1] += share(detection.process_p <= ALPHA, 1);
        self.alarms[2] += share(detection.detected, 1);
    }
}

/// The truth, from many simulations.
struct Oracle {
    median: f64,
    se: f64,
    /// The 95 % quantile of the largest contrast error.
    contrast: f64,
}

fn oracle(machine: SimulatedMachine) -> Oracle {
    const MANY: u64 = 2_000;
    let mut logs = Vec::new();
    let mut contrasts = Vec::new();
    for seed in 0..MANY {
        let samples = simulate(machine, seed + 1_000_000);
        logs.push(log_median(&samples, 0, 0));
        contrasts.push(worst_contrast(machine, &samples));
    }
    contrasts.sort_by(f64::total_cmp);
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64;
    Oracle {
        median: mean.exp(),
        se: variance.sqrt(),
        contrast: contrasts[contrasts.len() * 95 / 100],
    }
}

/// 15 rounds of 5 processes, then 5 of each further one.
fn simulate(machine: SimulatedMachine, seed: u64) -> Vec<Sample> {
    let rng = &mut Rng::with_seed(seed);
    let mut samples = Vec::new();
    for process in 0..machine.processes {
        let rounds = if process < 5 { 3 } else { 5 };
        let page_sd = machine.process_sd * CV / 3f64.sqrt();
        let pages: Vec<f64> = (0..machine.columns).map(|_| page_sd * normal(rng)).collect();
        for row in 0..machine.rows {
            for (column, page) in pages.iter().enumerate() {
                let page = if machine.shared_pages { *page } else { page_sd * normal(rng) };
                let far = row + 1 == machine.rows && column + 1 == machine.columns;
                let level = (LOCAL_NS * (1.0 + if far { machine.effect } else { 0.0 })).ln() + page;
                for round in 0..rounds {
                    let ns = (level + noise(rng)).exp();
                    samples.push(Sample::new(process, round, CellIndex::new(row, column), ns));
                }
            }
        }
    }
    samples
}

/// Log-normal, with a positive outlier in one of twenty samples.
fn noise(rng: &mut Rng) -> f64 {
    let tail = if rng.f64() < 0.05 { -0.1 * (1.0 - rng.f64()).ln() } else { 0.0 };
    CV * normal(rng) + tail
}

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

fn log_median(samples: &[Sample], row: usize, column: usize) -> f64 {
    let cell = samples.iter().filter(|sample| sample.place == CellIndex::new(row, column));
    let mut logs: Vec<f64> = cell.map(|sample| sample.value.ln()).collect();
    logs.sort_by(f64::total_cmp);
    f64::midpoint(logs[(logs.len() - 1) / 2], logs[logs.len() / 2])
}

/// The largest error of any within-row contrast.
fn worst_contrast(machine: SimulatedMachine, samples: &[Sample]) -> f64 {
    let row_error = |row| {
        let errors: Vec<f64> = (0..machine.columns)
            .map(|column| {
                let far = row + 1 == machine.rows && column + 1 == machine.columns;
                log_median(samples, row, column)
                    - if far { (1.0 + machine.effect).ln() } else { 0.0 }
            })
            .collect();
        errors.iter().copied().fold(f64::MIN, f64::max)
            - errors.iter().copied().fold(f64::MAX, f64::min)
    };
    (0..machine.rows).map(row_error).fold(0.0, f64::max)
}
