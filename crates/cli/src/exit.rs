//! Exit statuses that scripts can rely on, and errors in one line.

use std::fmt;
use std::io;
use std::process::ExitCode;

use nearfar_machine::MachineError;
use nearfar_measure::{MeasureError, error_line};
use nearfar_process::NoProcessWord;
use nearfar_survey::SurveyError;

use crate::output;

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const CONDITION: u8 = 3;
const INTERRUPTED: u8 = 130;

/// The user stopped a command that had kept what it had: where, and how to go on.
#[derive(Debug)]
pub(crate) struct Paused(pub(crate) String);

impl fmt::Display for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted: {}", self.0)
    }
}

impl std::error::Error for Paused {}

/// Arguments that each are well formed and together cannot be had.
#[derive(Debug)]
pub(crate) struct WrongUsage(pub(crate) String);

impl fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// What `compare --fail-if` was to find out: a change that is not accepted.
#[derive(Debug)]
pub(crate) struct ConditionHolds(pub(crate) String);

impl fmt::Display for ConditionHolds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConditionHolds {}

/// What clap found wrong, or the help it was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // Printing fails when the pipe is closed; then nobody reads, and that is no error.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { USAGE } else { 0 })
}

/// The status of a finished command; an error becomes one line on stderr.
pub(crate) fn status(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if closed_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    output::aside(&format!("nearfar: {}", line(&error)));
    ExitCode::from(code(&error))
}

/// The error and its causes in one line.
pub(crate) fn line(error: &anyhow::Error) -> String {
    error_line(error.as_ref())
}

fn code(error: &anyhow::Error) -> u8 {
    if is_interruption(error) {
        INTERRUPTED
    } else if error.is::<ConditionHolds>() {
        CONDITION
    } else if is_wrong_usage(error) {
        USAGE
    } else {
        FAILED
    }
}

fn is_interruption(error: &anyhow::Error) -> bool {
    error.is::<Paused>() || matches!(error.downcast_ref(), Some(MeasureError::Interrupted))
}

fn is_wrong_usage(error: &anyhow::Error) -> bool {
    let machine_error = match error.downcast_ref() {
        Some(MeasureError::Settings(_) | MeasureError::Layout(_)) => return true,
        Some(MeasureError::Machine(error)) => Some(error),
        _ => error.downcast_ref(),
    };
    error.is::<WrongUsage>()
        || error.is::<NoProcessWord>()
        || machine_error.is_some_and(is_malformed_list)
        || matches!(error.downcast_ref(), Some(SurveyError::Exists { .. }))
}

/// A text that is no list anywhere; a list of nodes that this machine has not got is well formed, and merely fails.
fn is_malformed_list(error: &MachineError) -> bool {
    matches!(error, MachineError::MalformedList { .. })
}

/// A reader that has seen enough (`nearfar ... | head`) is no failure.
pub(crate) fn closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
