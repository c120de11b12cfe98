//! nearfar's corresponding instruments.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Instant;

use nearfar_survey::{BandwidthTreatment, ExchangeTreatment, Survey};

use crate::Bench;
use crate::table::median;
use crate::theirs::output_of;

/// nearfar's figure that corresponds to a program's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ours {
    /// A kernel of `nearfar bandwidth`.
    Bandwidth(&'static str),
    /// A handoff, one way.
    Handoff,
}

/// Visits of each kernel with `--quick`, at most.
const MAX_VISITS: f64 = 15.0;
/// Default length of a window.
const WINDOW_S: f64 = 0.002;

impl Ours {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bandwidth(kernel) => kernel,
            Self::Handoff => "handoff",
        }
    }
}

/// Bytes a second of one run, of all kernels and numbers of threads together: a survey takes them
/// in one random order.
pub(crate) fn bandwidths(
    bench: &Bench,
    wanted: &[(usize, Ours)],
) -> Result<BTreeMap<(usize, Ours), f64>, String> {
    let (threads, ours): (BTreeSet<usize>, BTreeSet<Ours>) = wanted.iter().copied().unzip();
    let threads: Vec<String> = threads.iter().map(usize::to_string).collect();
    let kernels: Vec<&str> = ours.iter().map(|ours| ours.name()).collect();
    // So that no kernel gets more time than a program.
    let windows = (bench.seconds / MAX_VISITS / WINDOW_S).ceil();
    let options = [
        format!("--size={}M", bench.mib),
        format!("--windows={windows}"),
        format!("--threads={}", threads.join(",")),
        format!("--kernels={}", kernels.join(",")),
    ];
    let cpus = bench.cpus.len();
    let survey =
        survey(bench, cpus, Command::new(NEARFAR).args(["bandwidth", "--quick"]).args(options))?;
    let figure = |&(threads, ours): &(usize, Ours)| {
        Some(((threads, ours), bandwidth(&survey, ours.name(), threads)?))
    };
    Ok(wanted.iter().filter_map(figure).collect())
}

/// Nanoseconds of one run: the median of as many surveys as a program's time holds, for one takes
/// less.
pub(crate) fn handoffs(bench: &Bench, threads: usize) -> Result<Option<f64>, String> {
    let begun = Instant::now();
    let mut figures = Vec::new();
    while begun.elapsed().as_secs_f64() < bench.seconds {
        let command = &mut Command::new(NEARFAR);
        let survey =
            survey(bench, threads, command.args(["core-to-core", "--quick", "--handoff-only"]))?;
        let Some(figure) = handoff(&survey) else { break };
        figures.push(figure);
    }
    Ok((!figures.is_empty()).then(|| median(&figures)))
}

const NEARFAR: &str = env!("CARGO_BIN_EXE_nearfar");

fn survey(bench: &Bench, threads: usize, command: &mut Command) -> Result<Survey, String> {
    let file = bench.folder.path().join("ours.json");
    output_of(
        command.args(["--no-samples", "--force", "--cpus", &bench.first(threads), "-o"]).arg(&file),
    )?;
    nearfar_survey::read(&file).map_err(|error| error.to_string())
}

fn bandwidth(survey: &Survey, kernel: &str, threads: usize) -> Option<f64> {
    let part = &survey.bandwidth.as_ref()?.part;
    let treatment = BandwidthTreatment { kernel: kernel.to_owned(), threads };
    let of_rows = (0..part.matrix.rows.len()).map(|row| {
        let columns = 0..part.matrix.columns.len();
        // Where there are nodes, each row's fastest.
        columns.filter_map(|column| part.cell(row, column, &treatment)?.median).reduce(f64::max)
    });
    of_rows.flatten().reduce(f64::max)
}

fn handoff(survey: &Survey) -> Option<f64> {
    let pairs = survey.core_to_core.as_ref()?;
    let is_handoff = |treatment: &ExchangeTreatment| treatment.state == "handoff";
    pairs
        .part
        .matrix
        .cells
        .iter()
        .filter(|cell| is_handoff(&cell.treatment))
        .find_map(|cell| cell.median)
}
