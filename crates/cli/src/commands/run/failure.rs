//! Why a program was not started, in one line, and the exit status for it.

use std::fmt;
use std::process::ExitCode;

use nearfar_process::launch::text::usage;
use nearfar_process::launch::{Dialect, LaunchError};
use nearfar_view::terminal::error_line;
use nearfar_view::terminal::exit::{FAILED, USAGE, closed_pipe};
use nearfar_view::terminal::output::{self, OutputError};

use super::execute::NotRun;

pub(super) enum NotLaunched {
    Launch(LaunchError),
    /// In starting the program.
    Program(NotRun),
    Other(anyhow::Error),
}

impl From<LaunchError> for NotLaunched {
    fn from(error: LaunchError) -> Self {
        Self::Launch(error)
    }
}

impl From<NotRun> for NotLaunched {
    fn from(error: NotRun) -> Self {
        Self::Program(error)
    }
}

impl From<OutputError> for NotLaunched {
    fn from(error: OutputError) -> Self {
        Self::Other(error.into())
    }
}

impl From<anyhow::Error> for NotLaunched {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

impl fmt::Display for NotLaunched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Launch(error) => error.fmt(f),
            Self::Program(error) => error.fmt(f),
            Self::Other(error) => f.write_str(&error_line(error.as_ref())),
        }
    }
}

/// The name before an error.
pub(super) fn name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Run => "nearfar",
        Dialect::Numactl => "numactl",
    }
}

fn wants_usage(error: &LaunchError) -> bool {
    match error {
        LaunchError::NothingToRun => true,
        LaunchError::UnknownOption { word, .. } => matches!(word.as_str(), "-h" | "--help"),
        _ => false,
    }
}

impl NotLaunched {
    /// Prints the error, and returns the exit status.
    pub(super) fn report(&self, dialect: Dialect) -> ExitCode {
        match (self, dialect) {
            (Self::Other(error), _) if closed_pipe(error.as_ref()) => return ExitCode::SUCCESS,
            // numactl lists its options if there is no program, and for --help, an unknown option
            // there.
            (Self::Launch(error), Dialect::Numactl) if wants_usage(error) => {
                usage::text().lines().for_each(output::aside);
            }
            _ => output::aside(&format!("{}: {self}", name(dialect))),
        }
        ExitCode::from(self.status(dialect))
    }

    fn status(&self, dialect: Dialect) -> u8 {
        match (self, dialect) {
            (_, Dialect::Numactl) => FAILED,
            (Self::Launch(error), _) if error.is_usage() => USAGE,
            (Self::Program(error), _) => error.status(),
            _ => FAILED,
        }
    }
}
