//! Why a process could not be explained, or a cure not be tried.

use std::io;
use std::process::ExitStatus;

use nearfar_machine::pmu::PmuRefusal;
use nearfar_machine::pmu::text::refusal;
use nearfar_process::ProcessError;
use thiserror::Error;

/// An error with what to do about it.
#[derive(Debug, Error)]
pub enum ExplainError {
    /// The user interrupted it.
    #[error("interrupted: nothing was kept")]
    Interrupted,
    /// A process cannot be read, or its pages not be moved.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// There is nothing to try.
    #[error(
        "no cure moves pages, so there is nothing to try: 'nearfar explain' without --try has the \
         reasons; --to NODES tries others"
    )]
    NoMovingCure,
    /// All processes under trial have ended.
    #[error("the process ended during the trial: there is no result")]
    Ended,
    /// Pages are not where they were.
    #[error(
        "pages of process {pid} could not be put back: {error}; 'nearfar explain --undo' tries it \
         again"
    )]
    NotRestored {
        /// The process.
        pid: u32,
        /// Why not.
        error: ProcessError,
    },
    /// The PMU does not count for this user.
    #[error(
        "cycles per instruction cannot be counted: {}. Give --metric CMD or --counter NAME",
        refusal(.0)
    )]
    Cycles(PmuRefusal),
    /// The shell of a metric's command cannot be started.
    #[error("cannot start --metric '{command}'")]
    MetricNotStarted {
        /// The command.
        command: String,
        /// Why not.
        source: io::Error,
    },
    /// A metric's command failed.
    #[error("--metric '{command}' failed ({status}): {why}")]
    MetricFailed {
        /// The command.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The first line that it printed on stderr.
        why: String,
    },
    /// A metric's command printed something else.
    #[error("--metric '{command}' has to print a number; it printed '{printed}'")]
    NoNumber {
        /// The command.
        command: String,
        /// The first line that it printed.
        printed: String,
    },
    /// No process has the counter.
    #[error("cannot read {name} of process {pid}: it has ended, or denies it")]
    NoCounter {
        /// The counter.
        name: String,
        /// The first process.
        pid: u32,
    },
}
