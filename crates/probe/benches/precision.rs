//! Precision of the page probe, compared with a chase through 256 MiB of huge pages. One run
//! interleaves, on one CPU, the page probe, a chase with the same number of loads, and a chase of
//! the usual length.
//!
//! ./dev bench precision [ROUNDS]      default: 120

use std::io;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use nearfar_machine::{Source, Topology};
use nearfar_model::{CellIndex, CpuSet, NodeId};
use nearfar_probe::{
    Batch, BatchExecutor, LatencySetup, LayoutColumn, MemoryJob, PageSize, ProbeSpec,
    ProcessExecutor, Visit, Work, WorkerMessage, become_worker, serve,
};

/// Fresh processes that the rounds are split over.
const PROCESSES: u32 = 6;
/// The target standard error.
const TARGET: f64 = 0.01;
/// Standard error of a median over that of a mean, for normal noise.
const MEDIAN_OVER_MEAN: f64 = 1.2533;
/// Robust estimate of a standard deviation from the median absolute deviation.
const MAD_TO_SD: f64 = 1.4826;

const NAMES: [&str; 3] =
    ["page probe", "chase, 256 MiB, 8 Ki loads", "chase, 256 MiB, 64 Ki loads"];
/// Loads of the short chase: the page probe's number, so that samples take equally long.
const SHORT: u64 = 8192;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if args.first().is_some_and(|arg| arg == "worker") {
        become_worker();
        return match serve(io::stdin().lock(), io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let rounds = args.first().and_then(|arg| arg.parse().ok()).unwrap_or(120);
    let topology = Topology::read(&Source::live()).expect("this machine's topology");
    let mut executor =
        ProcessExecutor::new(Work::Latency(setup(&topology)), Box::new(worker), Duration::ZERO);
    let samples = interleaved(&mut executor, rounds);
    let seconds: Vec<f64> =
        (0..NAMES.len()).map(|column| seconds_per_sample(&mut executor, column)).collect();
    print(&samples, &seconds);
    ExitCode::SUCCESS
}

fn worker() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg("worker");
    command
}

fn setup(topology: &Topology) -> LatencySetup {
    let cpu = topology.online().intersection(&topology.allowed.cpus).first().expect("a CPU");
    let node: Option<NodeId> = topology.cpu(cpu).and_then(|cpu| cpu.node);
    let free = node.and_then(|id| topology.node(id)?.memory.as_ref().map(|memory| memory.free));
    let memory = MemoryJob { node, touch_from: CpuSet::from_id(cpu), free, why_not: None };
    let column = |probe, pages| LayoutColumn {
        label: "memory".to_owned(),
        probe,
        pages,
        memory: memory.clone(),
    };
    LatencySetup {
        rows: vec![CpuSet::from_id(cpu)],
        columns: vec![
            column(ProbeSpec::page(), 8),
            column(ProbeSpec { accesses: SHORT, ..ProbeSpec::chase(PageSize::Huge) }, 1),
            column(ProbeSpec::chase(PageSize::Huge), 1),
        ],
        spinners: CpuSet::new(),
        fills: None,
    }
}

/// Visits all columns once per round, in random order. Returns the samples of each, in ns.
fn interleaved(executor: &mut ProcessExecutor<'_>, rounds: u32) -> [Vec<f64>; 3] {
    let mut samples = [const { Vec::new() }; 3];
    let mut random = fastrand::Rng::with_seed(1);
    for process in 0..PROCESSES {
        let mut visits = Vec::new();
        for round in 0..rounds / PROCESSES {
            let mut columns = [0, 1, 2];
            random.shuffle(&mut columns);
            visits.extend(columns.map(|column| visit(process, round, column, random.u32(..))));
        }
        for (column, ns) in answers(executor, process, visits) {
            samples[column].push(ns);
        }
    }
    samples
}

fn visit(process: u32, round: u32, column: usize, draw: u32) -> Visit {
    Visit { process, round, place: CellIndex::new(0, column), draw }
}

fn answers(
    executor: &mut ProcessExecutor<'_>,
    process: u32,
    visits: Vec<Visit>,
) -> Vec<(usize, f64)> {
    let mut samples = Vec::new();
    let batch = Batch { process, seed: u64::from(process), visits };
    let done = executor.execute(&batch, &mut |answer| {
        match answer {
            Some(WorkerMessage::Sample(sample)) => {
                samples.push((sample.place.column, sample.value));
            }
            Some(WorkerMessage::Unavailable { why, .. }) => eprintln!("{why}"),
            _ => {}
        }
        true
    });
    done.expect("the worker sends messages");
    samples
}

/// Seconds per sample, guards included, without start-up and placement: many visits minus few.
fn seconds_per_sample(executor: &mut ProcessExecutor<'_>, column: usize) -> f64 {
    const FEW: u32 = 5;
    const MANY: u32 = 105;
    let mut time = |count: u32| {
        let begun = Instant::now();
        answers(executor, 99, (0..count).map(|round| visit(99, round, column, round)).collect());
        begun.elapsed().as_secs_f64()
    };
    let few = time(FEW);
    (time(MANY) - few).max(0.0) / f64::from(MANY - FEW)
}

fn print(samples: &[Vec<f64>; 3], seconds: &[f64]) {
    println!(
        "{:<28} samples   median ns   robust CV   ms a sample   s a cell for {:.0} % SE",
        "",
        TARGET * 100.0
    );
    let mut costs = Vec::new();
    for ((name, samples), seconds) in NAMES.iter().zip(samples).zip(seconds) {
        let middle = median(samples);
        let cv = robust_cv(samples);
        let needed = (MEDIAN_OVER_MEAN * cv / TARGET).powi(2).max(1.0) * seconds;
        println!(
            "{name:<28} {:>7}   {middle:>9.1}   {:>7.2} %   {:>11.2}   {needed:>10.4}",
            samples.len(),
            cv * 100.0,
            seconds * 1000.0,
        );
        costs.push((cv, cv * seconds.sqrt()));
    }
    let [page, short, long] = [costs[0], costs[1], costs[2]];
    println!(
        "\nrobust CV, page probe over chase (target: 0.33 or less)     sample for sample   \
         at equal measuring time"
    );
    println!(
        "  chase of equal loads                                   {:>17.2}   {:>23.2}",
        page.0 / short.0,
        page.1 / short.1
    );
    println!(
        "  chase of the usual length                             {:>17.2}   {:>23.2}",
        page.0 / long.0,
        page.1 / long.1
    );
}

fn robust_cv(samples: &[f64]) -> f64 {
    let middle = median(samples);
    let deviations: Vec<f64> = samples.iter().map(|ns| (ns - middle).abs()).collect();
    MAD_TO_SD * median(&deviations) / middle
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
