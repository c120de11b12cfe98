//! Records how samples of latency stray on this machine, for replays
//! (`crates/infer/tests/replay/recordings`): what `./dev bench odds` calls recorded noise. Nothing
//! of it is tuned or filtered: each residual is what a sample was off by from its cell's median.
//!
//!     ./dev bench noise [SURVEYS]      10 surveys --quick by default: two minutes
//!     ./dev bench noise FILE...        of documents that 'nearfar survey -o FILE' kept, on any
//! machine

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use nearfar_model::MatrixShape;
use nearfar_survey::Survey;
use nearfar_view::terminal::error_line;

const SURVEYS: usize = 10;
/// Residuals that are kept at most, from processes spread evenly over all.
const MOST: usize = 3_000;
/// Ten-thousandths of a logarithm.
const UNIT: f64 = 1e-4;
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../infer/tests/replay/recordings");

fn main() -> ExitCode {
    match record() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("noise: {}", error_line(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn record() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let surveys = match args.as_slice() {
        [] => surveyed(SURVEYS)?,
        [count] if count.parse::<usize>().is_ok() => surveyed(count.parse()?)?,
        files => files.iter().map(read).collect::<Result<_>>()?,
    };
    let first = surveys.first().context("nothing to record: no survey")?;
    let of_first = shape(first);
    let mut processes = Vec::new();
    for survey in &surveys {
        let alike = shape(survey) == of_first
            && survey.machine == first.machine
            && survey.latency.probe == first.latency.probe;
        ensure!(
            alike,
            "these surveys are of different machines, rows, columns or probes: record each by \
             itself"
        );
        processes.extend(residuals(survey)?);
    }
    let kept = spread(processes, MOST);
    ensure!(!kept.is_empty(), "nothing to record: no round has all of its samples");
    let (name, path) = free(&name(first));
    std::fs::write(&path, text(first, surveys.len(), &kept))
        .with_context(|| path.display().to_string())?;
    println!("{}", path.display());
    println!("{}", summary(&kept));
    println!("Replays use it once crates/infer/tests/replay/recording.rs names \"{name}\".");
    Ok(())
}

fn surveyed(count: usize) -> Result<Vec<Survey>> {
    let folder = tempfile::tempdir()?;
    (0..count)
        .map(|run| surveyed_once(folder.path().join(format!("{run}.json")), run, count))
        .collect()
}

fn surveyed_once(file: PathBuf, run: usize, count: usize) -> Result<Survey> {
    eprintln!("survey {} of {count}", run + 1);
    let output = Command::new(env!("CARGO_BIN_EXE_nearfar"))
        .args(["survey", "--quick", "-o"])
        .arg(&file)
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(file)
}

fn read(file: impl AsRef<Path>) -> Result<Survey> {
    Ok(nearfar_survey::read(file.as_ref())?)
}

/// Without controls, which are the last columns.
fn shape(survey: &Survey) -> MatrixShape {
    MatrixShape::new(survey.latency.rows.len(), survey.latency.columns.len())
}

/// Of each process: what every sample was off by, round by round, first row first. Rounds that lack
/// a sample are left out.
fn residuals(survey: &Survey) -> Result<Vec<Vec<i16>>> {
    let Some(samples) = &survey.samples else {
        bail!("a survey has no samples: it was made with --no-samples")
    };
    let shape = shape(survey);
    let readings = samples.readings(shape)?;
    let mut rounds: BTreeMap<(u32, u32), BTreeMap<(usize, usize), i16>> = BTreeMap::new();
    for sample in samples.each().filter(|sample| shape.contains(sample.place)) {
        let (row, column) = (sample.place.row, sample.place.column);
        let Some(median) = readings.median(row, column) else { continue };
        let residual = ((sample.value / median).ln() / UNIT).round() as i16;
        rounds.entry((sample.process, sample.round)).or_default().insert((row, column), residual);
    }
    let mut processes: BTreeMap<u32, Vec<i16>> = BTreeMap::new();
    for ((process, _), round) in
        rounds.into_iter().filter(|(_, round)| round.len() == shape.rows * shape.columns)
    {
        processes.entry(process).or_default().extend(round.into_values());
    }
    Ok(processes.into_values().collect())
}

/// Processes spread evenly over all, with at most this many residuals; at least one process.
fn spread(processes: Vec<Vec<i16>>, most: usize) -> Vec<Vec<i16>> {
    let all: usize = processes.iter().map(Vec::len).sum();
    let step = all.div_ceil(most).max(1);
    processes.into_iter().step_by(step).collect()
}

/// This name, or with the lowest number that no recording has: earlier ones are kept.
fn free(name: &str) -> (String, PathBuf) {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let candidates = std::iter::once(name.to_owned()).chain(numbered);
    let mut files = candidates.map(|name| (Path::new(FOLDER).join(format!("{name}.txt")), name));
    let (path, name) = files.find(|(path, _)| !path.exists()).expect("a number is free");
    (name, path)
}

/// `page-amd-epyc-2026-11-23`
fn name(survey: &Survey) -> String {
    let model = survey.machine.model.to_lowercase();
    let words: Vec<&str> =
        model.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let day = survey.provenance.started.get(..10).unwrap_or("unknown-day");
    format!("{}-{}-{day}", survey.latency.probe, words.join("-"))
}

fn text(survey: &Survey, surveys: usize, processes: &[Vec<i16>]) -> String {
    let (machine, shape) = (&survey.machine, shape(survey));
    let mut text = format!(
        "# The {} probe on {}, {} CPUs, {} nodes{}, Linux {}, {}: {surveys} surveys. Made by \
         ./dev bench noise.\n# {}\n",
        survey.latency.probe,
        machine.model.replace(char::is_control, " "),
        machine.cpus,
        machine.nodes,
        machine
            .hypervisor
            .as_ref()
            .map(|hypervisor| format!(", a guest of {hypervisor}"))
            .unwrap_or_default(),
        machine.kernel.as_deref().unwrap_or("unknown").replace(char::is_control, " "),
        survey.provenance.started,
        summary(processes),
    );
    let _ = writeln!(text, "{} rows, {} columns", shape.rows, shape.columns);
    for process in processes {
        let words: Vec<String> = process.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "{}", words.join(" "));
    }
    text
}

fn summary(processes: &[Vec<i16>]) -> String {
    let mut sizes: Vec<u16> =
        processes.iter().flatten().map(|residual| residual.unsigned_abs()).collect();
    sizes.sort_unstable();
    let at = |percent: usize| {
        let size = sizes.get(sizes.len().saturating_sub(1) * percent / 100).copied().unwrap_or(0);
        (f64::from(size) * UNIT).exp_m1() * 100.0
    };
    format!(
        "{} samples of {} processes: half are off by {:.1} % or more, one in a hundred by {:.1} \
         %, the farthest by {:.1} %",
        sizes.len(),
        processes.len(),
        at(50),
        at(99),
        at(100)
    )
}
