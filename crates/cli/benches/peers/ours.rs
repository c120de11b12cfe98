//! nearfar's like instruments.

use std::collections::BTreeMap;
use std::process::Command;

use nearfar_survey::{Exchanging, Streaming, Survey};

use crate::Bench;
use crate::theirs::said_by;

/// What nearfar measures beside a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ours {
    /// A kernel of `nearfar bandwidth`.
    Bandwidth(&'static str),
    /// One way of a hand-over.
    Handoff,
}

/// `--quick` makes so many visits of each kernel at most,
const MOST_VISITS: f64 = 15.0;
/// and windows are so long unless it is told otherwise.
const WINDOW_S: f64 = 0.002;

impl Ours {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bandwidth(kernel) => kernel,
            Self::Handoff => "handoff",
        }
    }
}

/// Figures of one run on so many CPUs, of all that is asked for together: bytes a second, or nanoseconds.
pub(crate) fn figures(bench: &Bench, threads: usize, wanted: &[Ours]) -> Result<BTreeMap<Ours, f64>, String> {
    let mut figures = BTreeMap::new();
    let kernels: Vec<&str> = wanted.iter().filter(|ours| **ours != Ours::Handoff).map(|ours| ours.name()).collect();
    if !kernels.is_empty() {
        // So that no kernel gets more time than a program.
        let windows = (bench.seconds / MOST_VISITS / WINDOW_S).ceil();
        let options = [
            format!("--size={}M", bench.mib),
            format!("--windows={windows}"),
            format!("--threads={threads}"),
            format!("--kernels={}", kernels.join(",")),
        ];
        let survey = survey(bench, threads, Command::new(NEARFAR).args(["bandwidth", "--quick"]).args(options))?;
        figures.extend(
            kernels.iter().filter_map(|kernel| Some((Ours::Bandwidth(kernel), bandwidth(&survey, kernel, threads)?))),
        );
    }
    if wanted.contains(&Ours::Handoff) {
        let command = &mut Command::new(NEARFAR);
        let survey = survey(bench, threads, command.args(["core-to-core", "--quick", "--handoff-only"]))?;
        figures.extend(handoff(&survey).map(|figure| (Ours::Handoff, figure)));
    }
    Ok(figures)
}

const NEARFAR: &str = env!("CARGO_BIN_EXE_nearfar");

fn survey(bench: &Bench, threads: usize, command: &mut Command) -> Result<Survey, String> {
    let file = bench.folder.path().join("ours.json");
    said_by(command.args(["--no-samples", "--cpus", &bench.first(threads), "-o"]).arg(&file))?;
    nearfar_survey::read(&file).map_err(|error| error.to_string())
}

fn bandwidth(survey: &Survey, kernel: &str, threads: usize) -> Option<f64> {
    let part = &survey.bandwidth.as_ref()?.part;
    let treatment = Streaming { kernel: kernel.to_owned(), threads };
    let of_rows = (0..part.matrix.rows.len()).map(|row| {
        let columns = 0..part.matrix.columns.len();
        // Where there are nodes, each row's fastest.
        columns.filter_map(|column| part.cell(row, column, &treatment)?.median).reduce(f64::max)
    });
    of_rows.flatten().reduce(f64::max)
}

fn handoff(survey: &Survey) -> Option<f64> {
    let pairs = survey.core_to_core.as_ref()?;
    let is_handoff = |treatment: &Exchanging| treatment.state == "handoff";
    pairs.matrix.cells.iter().filter(|cell| is_handoff(&cell.treatment)).find_map(|cell| cell.median)
}
