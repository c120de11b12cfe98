//! Why a run does not count.

use serde::{Deserialize, Serialize};

use crate::cpusets::CpusetError;

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
