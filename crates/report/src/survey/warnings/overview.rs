//! The warnings of several instruments in one table.

use nearfar_survey::{
    Attempts, CellWarning, EnvironmentWarning, PrecisionWarning, SampleWarning, SkippedWarning,
    Warning, WarningKind,
};
use nearfar_view::terminal::width;
use nearfar_view::text::percent::share;
use nearfar_view::text::{count, paragraph, table};

use super::samples::cause_and_remedy;
use crate::survey::cell::GB;

/// Instrument, then what, how many times and to which effect: a line for each warning.
pub(crate) fn overview(warnings: &[Warning], is_guest: bool) -> String {
    let line = |warning: &Warning| {
        let instrument = warning.instrument.as_deref().unwrap_or("all").to_owned();
        let [what, number, effect] = cells(&warning.kind, is_guest);
        let what = if number.is_empty() { what } else { format!("{what}: {number}") };
        [instrument, format!("{what}; {effect}")]
    };
    let lines: Vec<[String; 2]> = warnings.iter().map(line).collect();
    let heads = ["instrument", "what; effect"];
    let text = width::with(paragraph::line_width(), || table("Warnings", heads, lines));
    if text.is_empty() { text } else { text + "remedies: --verbose\n" }
}

/// What happened, how many times or how much, and its effect on the figures.
fn cells(kind: &WarningKind, is_guest: bool) -> [String; 3] {
    match kind {
        WarningKind::Environment(warning) => environment(warning),
        WarningKind::Skipped(warning) => skipped(warning),
        WarningKind::Precision(warning) => precision(warning),
        WarningKind::Samples(warning) => samples(warning, is_guest),
        WarningKind::Cell(warning) => cell(warning),
    }
}

fn row(what: &str, number: String, effect: impl Into<String>) -> [String; 3] {
    [what.to_owned(), number, effect.into()]
}

fn environment(warning: &EnvironmentWarning) -> [String; 3] {
    match warning {
        EnvironmentWarning::CpuQuota { cpus } => {
            row("CPU limit of the cgroup", format!("{cpus:.2} CPUs"), "CPUs are stopped")
        }
        EnvironmentWarning::Throttled { periods, .. } => {
            row("cgroup throttled", format!("{periods} periods"), "CPUs were stopped")
        }
        EnvironmentWarning::NumaBalancing { pages } => {
            row("NUMA balancing moved pages", format!("{pages} pages"), "samples are dropped")
        }
        EnvironmentWarning::Steal { share: stolen } => {
            row("CPU time stolen by the hypervisor", share(*stolen), "higher latency")
        }
        EnvironmentWarning::Load { average, cpus } => {
            row("other programs ran", format!("load {average:.1} on {cpus} CPUs"), "more noise")
        }
        EnvironmentWarning::Hypervisor { name, nodes } => {
            row(&format!("{name} guest"), count(*nodes, "node"), "the host may differ")
        }
        EnvironmentWarning::Governor { governors } => {
            row("frequency governor", governors.join(", "), "clocks follow the load late")
        }
        EnvironmentWarning::ThpOff { .. } => {
            row("transparent huge pages off", String::new(), "base pages measured")
        }
    }
}

fn skipped(warning: &SkippedWarning) -> [String; 3] {
    match warning {
        SkippedWarning::InstrumentLeftOut { budget_s, instruments } => {
            let names: Vec<&str> =
                instruments.iter().map(|instrument| instrument.instrument.as_str()).collect();
            row("no time left", format!("budget {budget_s:.0} s"), missing(&names.join(", ")))
        }
        SkippedWarning::Interrupted { instruments } => {
            row("interrupted", String::new(), missing(&instruments.join(", ")))
        }
        SkippedWarning::InstrumentFailed { why } => row("failed", String::new(), why.as_str()),
    }
}

fn missing(names: &str) -> String {
    format!("not measured: {names}")
}

fn precision(warning: &PrecisionWarning) -> [String; 3] {
    match warning {
        PrecisionWarning::CellUnmeasured { unmeasured, cells, why } => {
            row("cells not measured", format!("{unmeasured} of {cells} cells"), why.as_str())
        }
        PrecisionWarning::NotPrecise { imprecise, cells, .. } => row(
            "imprecise",
            format!("{imprecise} of {}", count(*cells, "cell")),
            "wider intervals than wanted",
        ),
    }
}

fn samples(warning: &SampleWarning, is_guest: bool) -> [String; 3] {
    match warning {
        SampleWarning::ControlsDiffer { differing, pairs, largest } => row(
            "repeated measurements differ",
            format!("{differing} of {pairs} controls"),
            format!("by up to {}", share(*largest)),
        ),
        SampleWarning::Bursts { above, samples, times } => row(
            "bursts of slow samples",
            format!("{above} of {samples} samples"),
            format!("over {times} times the median"),
        ),
        SampleWarning::ProcessLost { note } => row("worker lost", String::new(), note.as_str()),
        SampleWarning::Placement { note } => row("placement", String::new(), note.as_str()),
        SampleWarning::CpuOffline { cpus } => {
            row("CPUs went offline", format!("CPUs {cpus}"), "fewer samples")
        }
        SampleWarning::PageSizeUnmeasured { why } => {
            row("base pages not measured", String::new(), why.as_str())
        }
        SampleWarning::Dropped { code, dropped, attempts, counted } => {
            let (cause, _) = cause_and_remedy(code.reason(), is_guest);
            let (what, effect) = match counted {
                Attempts::Samples => ("samples", "dropped"),
                Attempts::Slices => ("slices", "measured again"),
                Attempts::Attempts => ("attempts", "measured again"),
            };
            row(cause, format!("{dropped} of {attempts} {what}"), effect)
        }
    }
}

fn cell(warning: &CellWarning) -> [String; 3] {
    match warning {
        CellWarning::Outlier(outlier) => row(
            &format!("outlier: {} from {} to {}", outlier.kernel, outlier.row, outlier.column),
            "1 cell".to_owned(),
            format!(
                "{:.1} GB/s, {:.1} expected",
                outlier.first_bytes_per_s / GB,
                outlier.expected_bytes_per_s / GB
            ),
        ),
        CellWarning::FillsContradict(found) => row(
            "PMU contradicts placement",
            format!("{} of {} cells", found.cells, found.judged),
            format!("{} to {}: {} remote", found.row, found.column, share(found.remote_share)),
        ),
        CellWarning::TwoLevels(found) => row(
            "bimodal cells",
            format!("{} of {} cells", found.with_levels, found.often_visited),
            format!("the median shows one level of {}", found.row),
        ),
    }
}
