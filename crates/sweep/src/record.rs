//! One run: its time and resources, its end, its output.

use nearfar_machine::Allocations;
use nearfar_model::MAX_FIGURE;
use serde::{Deserialize, Serialize};

use crate::cpusets::CpusetError;
use crate::interrupts::RunInterrupts;
use crate::metric::Metric;

/// What a supervisor reports of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// From the start to the end of the program.
    pub wall_s: f64,
    /// CPU time, memory, faults.
    pub used: ResourceUsage,
    /// Pages that the kernel allocated and migrated meanwhile, in the whole machine.
    pub allocations: Allocations,
    /// The share of the program's pages that were remote, when it had most; none where it could
    /// not be seen.
    pub remote_share: Option<f64>,
    /// How long looking at its pages took; 0 without.
    pub looked_s: f64,
    /// See [`SweepRun::slowed_by_looks`].
    #[serde(default)]
    pub slowed_by_looks: Option<f64>,
    /// The interrupts of the sweep's device meanwhile; null without the axis, or where unknown.
    #[serde(default)]
    pub interrupts: Option<RunInterrupts>,
    /// How it ended.
    pub end: RunEnd,
    /// Processes that it left behind; they were ended.
    pub left_behind: u32,
    /// What it printed, from the end.
    pub printed: ProgramOutput,
}

impl RunRecord {
    /// The share of its time that looking at its pages took, where that was much and time of its
    /// own: where one of this many CPUs is idle for most of the run, it costs nothing.
    pub fn share_of_looks(&self, cpus: usize) -> Option<f64> {
        let share = self.looked_s / self.wall_s;
        let busy = (self.used.user_s + self.used.sys_s) / self.wall_s;
        (share > LOOKING && busy > cpus as f64 - MOSTLY_IDLE).then_some(share)
    }
}

/// Resources of the program and of all descendants that it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ResourceUsage {
    /// CPU time in the program, in seconds.
    pub user_s: f64,
    /// CPU time in the kernel, in seconds.
    pub sys_s: f64,
    /// The most memory that one of its processes had, in bytes.
    pub max_rss_bytes: u64,
    /// Page faults without reading from a disk.
    pub minor_faults: u64,
    /// Page faults that had to read from a disk.
    pub major_faults: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum RunEnd {
    /// By itself.
    Exited {
        /// Its status; 0 is success.
        code: i32,
    },
    /// By a signal.
    Killed {
        /// The signal's number.
        signal: i32,
    },
    /// It took longer than `--timeout`, and was ended.
    TimedOut,
}

/// The end of both streams.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// A run as the document keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepRun {
    /// The block that it belongs to.
    pub block: u32,
    /// Its place in the order of all runs.
    pub order: u32,
    /// From the start to the end of the program, in seconds.
    pub wall_s: f64,
    /// CPU time, memory, faults.
    #[serde(flatten)]
    pub used: ResourceUsage,
    /// The kernel's counters numa_hit, numa_miss, numa_foreign and migrated pages meanwhile, in
    /// the whole machine.
    #[serde(flatten)]
    pub allocations: Allocations,
    /// The share of the program's pages that were remote, when it had most; null where no sample
    /// came in time.
    pub remote_share: Option<f64>,
    /// The share of its time that looking at its pages took, where that slowed it: it was repeated
    /// without, and what else is here is of the repetition. Null otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowed_by_looks: Option<f64>,
    /// The interrupts of the sweep's device meanwhile; null without the axis, or where unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<RunInterrupts>,
    /// The figure of `--metric`, where it was printed.
    pub metric: Option<f64>,
    /// How it ended.
    pub exit: RunEnd,
    /// Processes that it left behind; they were ended.
    #[serde(default, skip_serializing_if = "is_none_left")]
    pub left_behind: u32,
    /// Why it does not count; null where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<RunFailure>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands out references
fn is_none_left(count: &u32) -> bool {
    *count == 0
}

/// Looking at pages may take this share of a run, where no CPU is idle for most of it.
const LOOKING: f64 = 0.05;
/// The share of a run for which a CPU has to be idle. Programs that start on one CPU and then use
/// all are busy for less than the whole run.
const MOSTLY_IDLE: f64 = 0.75;

/// The last line of a failing program is cut to this many characters.
const LAST_LINE_CHARACTERS: usize = 200;
/// How explanations of usage begin.
const USAGE: &str = "usage:";

impl SweepRun {
    /// What is kept of a run.
    pub fn new(ran: &RunRecord, block: u32, order: u32, metric: Option<&Metric>) -> Self {
        let figure = metric.and_then(|metric| {
            metric.of(&ran.printed.stdout).or_else(|| metric.of(&ran.printed.stderr))
        });
        Self {
            block,
            order,
            wall_s: ran.wall_s,
            used: ran.used,
            allocations: ran.allocations,
            remote_share: ran.remote_share,
            slowed_by_looks: ran.slowed_by_looks,
            interrupts: ran.interrupts.clone(),
            // A document with larger numbers could not be read again.
            metric: figure.filter(|figure| figure.abs() < MAX_FIGURE),
            exit: ran.end,
            left_behind: ran.left_behind,
            failed: why_failed(ran, figure, metric),
        }
    }

    /// A run that never started: its placement was refused, or its program does not exist.
    pub fn refused(why: RunFailure, block: u32, order: u32) -> Self {
        let ran = RunRecord {
            wall_s: 0.0,
            used: ResourceUsage::default(),
            allocations: Allocations::default(),
            remote_share: None,
            looked_s: 0.0,
            slowed_by_looks: None,
            interrupts: None,
            end: RunEnd::Exited { code: 127 },
            left_behind: 0,
            printed: ProgramOutput::default(),
        };
        Self { failed: Some(why), ..Self::new(&ran, block, order, None) }
    }
}

fn why_failed(ran: &RunRecord, figure: Option<f64>, metric: Option<&Metric>) -> Option<RunFailure> {
    let last_line = last_line(&ran.printed);
    Some(match (ran.end, metric) {
        (RunEnd::TimedOut, _) => RunFailure::TimedOut,
        (RunEnd::Killed { signal }, _) => RunFailure::Killed { signal, last_line },
        (RunEnd::Exited { code: 0 }, Some(metric)) if figure.is_none() => {
            RunFailure::NoFigure { metric: metric.text.clone(), last_line }
        }
        (RunEnd::Exited { code: 0 }, _) => {
            let figure = figure.filter(|&figure| !is_comparable(figure))?;
            RunFailure::FigureOutOfRange { printed: short(figure) }
        }
        (RunEnd::Exited { code }, _) => RunFailure::Exited { status: code, last_line },
    })
}

/// With a power of ten where there are many digits: 1e50.
fn short(figure: f64) -> String {
    format!("{figure:?}").trim_end_matches(".0").to_owned()
}

/// Whether ratios and squares of it are numbers still.
pub(crate) fn is_comparable(figure: f64) -> bool {
    (MAX_FIGURE.recip()..MAX_FIGURE).contains(&figure)
}

/// The last line that it printed, on standard error if there is any.
pub(crate) fn last_line(printed: &ProgramOutput) -> Option<String> {
    last_line_of(&printed.stderr).or_else(|| last_line_of(&printed.stdout))
}

/// The last line that is not empty. Where a program explains its usage, the reason stands first.
pub(crate) fn last_line_of(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_usage =
        |line: &str| line.get(..USAGE.len()).is_some_and(|start| start.eq_ignore_ascii_case(USAGE));
    let line = if lines.clone().any(is_usage) { lines.next() } else { lines.next_back() };
    Some(line?.chars().take(LAST_LINE_CHARACTERS).collect())
}

/// Why a run does not count. `last_line` is the last line that the program printed, on standard
/// error if there is any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum RunFailure {
    /// It took longer than `--timeout`.
    TimedOut,
    /// A signal ended it.
    Killed {
        /// The signal's number.
        signal: i32,
        /// Its last line.
        #[serde(rename = "said", default, skip_serializing_if = "Option::is_none")]
        last_line: Option<String>,
    },
    /// It ended with another status than 0.
    Exited {
        /// Its status.
        status: i32,
        /// Its last line.
        #[serde(rename = "said", default, skip_serializing_if = "Option::is_none")]
        last_line: Option<String>,
    },
    /// It did not print the figure.
    NoFigure {
        /// The metric as it was written.
        metric: String,
        /// Its last line.
        #[serde(rename = "said", default, skip_serializing_if = "Option::is_none")]
        last_line: Option<String>,
    },
    /// It printed a figure that is out of range for ratios.
    FigureOutOfRange {
        /// The figure as text: as a number it could not be read again.
        printed: String,
    },
    /// The line before or after it failed.
    Hook {
        /// `--prepare` or `--cleanup`.
        option: String,
        /// How it ended, as `wait` returns it.
        wait_status: i32,
        /// The last line on its standard error.
        #[serde(rename = "said", default, skip_serializing_if = "Option::is_none")]
        last_line: Option<String>,
    },
    /// Its cpuset could not be had.
    Cpuset {
        /// Why not.
        why: CpusetError,
    },
    /// A thread that it needs could not be started.
    NoThread {
        /// The kernel's error.
        error: String,
    },
    /// It could not be started.
    NotStarted {
        /// The program.
        program: String,
        /// The kernel's error.
        error: String,
    },
    /// It names no program.
    NoProgram,
    /// Its placement, a setting of the machine or the kernel refused it.
    Refused {
        /// The error.
        error: String,
    },
}

impl RunFailure {
    /// With the message of an error.
    #[allow(clippy::needless_pass_by_value)] // what map_err hands out
    pub(crate) fn refused(error: impl ToString) -> Self {
        Self::Refused { error: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_slow_a_program_that_leaves_no_cpu_idle() {
        let share = |looked_s: f64, user_s: f64, cpus: usize| {
            let ran = RunRecord {
                wall_s: 10.0,
                used: ResourceUsage { user_s, ..ResourceUsage::default() },
                allocations: Allocations::default(),
                remote_share: None,
                looked_s,
                slowed_by_looks: None,
                interrupts: None,
                end: RunEnd::Exited { code: 0 },
                left_behind: 0,
                printed: ProgramOutput::default(),
            };
            ran.share_of_looks(cpus)
        };
        assert_eq!([share(1.0, 36.0, 4), share(1.0, 9.0, 1)], [Some(0.1); 2]);
        // Short looks, an idle CPU, no looks.
        assert_eq!([share(0.4, 36.0, 4), share(1.0, 32.0, 4), share(0.0, 40.0, 4)], [None; 3]);
    }

    #[test]
    fn the_reason_is_the_last_line_or_stands_before_the_usage() {
        assert_eq!(last_line_of("one\n two \n\n").as_deref(), Some("two"));
        assert_eq!(last_line_of(" \n"), None);
        let usage = "xz: invalid option -- 'T'\n\nUsage: xz [FILE]\n\n\t-t\tTest integrity\n";
        assert_eq!(last_line_of(usage).as_deref(), Some("xz: invalid option -- 'T'"));
        assert_eq!(last_line_of("usage: é FILE\n\n  -n").as_deref(), Some("usage: é FILE"));
        assert_eq!(last_line_of("é").as_deref(), Some("é"));
    }
}
