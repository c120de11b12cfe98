//! How honest are the intervals? Surveys in a row, and how often one's median falls into another's
//! 95 % interval.
//!
//! With perfect intervals and nothing but sampling noise that share is 83 % (two independent errors
//! of the same size: the difference has 1.41 times the standard error of each, and 1.96 / 1.41 =
//! 1.39 standard errors hold 83 %).
//!
//!     ./dev bench repeat [SURVEYS] [ARGS OF nearfar survey ...]      20 --quick by
//! default

use std::process::{Command, ExitCode};
use std::time::Instant;

use nearfar_survey::Survey;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let count = match args.first().and_then(|arg| arg.parse().ok()) {
        Some(count) => {
            args.remove(0);
            count
        }
        None => 20,
    };
    if args.is_empty() {
        args.push("--quick".to_owned());
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut surveys = Vec::new();
    println!("run  NUMA          effect            interval       p  rounds  seconds  controls");
    for run in 0..count {
        let file = folder.path().join(format!("{run}.json"));
        let begun = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearfar"));
        let output = command
            .arg("survey")
            .args(&args)
            .arg("-o")
            .arg(&file)
            .output()
            .expect("nearfar starts");
        if !output.status.success() {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            return ExitCode::FAILURE;
        }
        let survey = nearfar_survey::read(&file).expect("a survey");
        print_run(run, &survey, begun.elapsed().as_secs_f64());
        surveys.push(survey);
    }
    print_coverage(&surveys);
    ExitCode::SUCCESS
}

fn print_run(run: usize, survey: &Survey, seconds: f64) {
    let verdict = &survey.verdict;
    let percent = |share: f64| format!("{:+.1} %", share * 100.0);
    println!(
        "{run:>3}  {:<12} {:>7}  {:>18}  {:>6}  {:>6}  {seconds:>7.1}  {} of {}",
        verdict.numa.to_string(),
        verdict.effect.map_or("-".into(), percent),
        verdict.ci95.map_or("-".into(), |[low, high]| format!(
            "{} .. {}",
            percent(low),
            percent(high)
        )),
        verdict.p.map_or("-".into(), |p| format!("{p:.3}")),
        survey.provenance.rounds,
        survey.controls.differing,
        survey.controls.pairs,
    );
}

/// Over all ordered pairs of runs and all cells.
fn print_coverage(surveys: &[Survey]) {
    let (mut inside, mut all) = (0u32, 0u32);
    for (index, a) in surveys.iter().enumerate() {
        for b in surveys.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, b)| b) {
            for (cell, other) in a.latency.cells.iter().zip(&b.latency.cells) {
                if let (Some(median), Some([low, high])) = (cell.median, other.ci95) {
                    all += 1;
                    inside += u32::from((low..=high).contains(&median));
                }
            }
        }
    }
    let cells: Vec<f64> =
        surveys.iter().filter_map(|survey| survey.latency.cells.first()?.median).collect();
    let width = |survey: &Survey| {
        let cell = survey.latency.cells.first()?;
        Some((cell.ci95?[1] - cell.ci95?[0]) / 2.0 / cell.median?)
    };
    let widths: Vec<f64> = surveys.iter().filter_map(width).collect();
    println!(
        "\na run's median lies in another run's 95 % interval in {:.0} % of {all} comparisons (83 \
         % if intervals are perfect)",
        100.0 * f64::from(inside) / f64::from(all.max(1))
    );
    println!(
        "first cell: medians {:.1} to {:.1} ns (spread {:.1} %), median half-width of its \
         interval {:.1} %",
        cells.iter().copied().fold(f64::INFINITY, f64::min),
        cells.iter().copied().fold(0.0, f64::max),
        100.0
            * (cells.iter().copied().fold(0.0, f64::max)
                / cells.iter().copied().fold(f64::INFINITY, f64::min)
                - 1.0),
        100.0 * middle(widths),
    );
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
