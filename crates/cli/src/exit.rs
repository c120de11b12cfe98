//! Exit statuses that scripts can rely on, and errors in one line.

use std::fmt;
use std::process::ExitCode;

use nearfar_live::explain::ExplainError;
use nearfar_machine::MachineError;
use nearfar_probe::gpu::InventoryError;
use nearfar_probe::io::TargetError;
use nearfar_process::{BadSelector, ProcessError};
use nearfar_survey::SurveyError;
use nearfar_survey::measure::{MadeFileError, MeasureError};
use nearfar_view::terminal::error_line;
use nearfar_view::terminal::exit::{FAILED, INTERRUPTED, USAGE, WrongUsage, closed_pipe};
use nearfar_view::terminal::output;

const CONDITION: u8 = 3;

/// The user interrupted a command, and its results so far are saved: where, and how to resume.
#[derive(Debug)]
pub(crate) struct Paused(pub(crate) String);

impl fmt::Display for Paused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted: {}", self.0)
    }
}

impl std::error::Error for Paused {}

/// A condition of `--fail-if` holds.
#[derive(Debug)]
pub(crate) struct ConditionHolds(pub(crate) String);

impl fmt::Display for ConditionHolds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConditionHolds {}

/// Machines of a fleet differ from the others: a line for stderr.
#[derive(Debug)]
pub(crate) struct OutliersFound(pub(crate) String);

impl fmt::Display for OutliersFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OutliersFound {}

/// A command has reported its result, and ends with this status.
#[derive(Debug)]
pub(crate) struct Reported(pub(crate) u8);

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {}", self.0)
    }
}

impl std::error::Error for Reported {}

/// The status of a finished command; an error becomes one line on stderr.
pub(crate) fn status(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if closed_pipe(error.as_ref()) {
        return ExitCode::SUCCESS;
    }
    if let Some(Reported(status)) = error.downcast_ref() {
        return ExitCode::from(*status);
    }
    output::aside(&format!("nearfar: {}", error_line(error.as_ref())));
    ExitCode::from(code(&error))
}

fn code(error: &anyhow::Error) -> u8 {
    if is_interruption(error) {
        INTERRUPTED
    } else if error.is::<ConditionHolds>() || error.is::<OutliersFound>() {
        CONDITION
    } else if is_wrong_usage(error) {
        USAGE
    } else {
        FAILED
    }
}

fn is_interruption(error: &anyhow::Error) -> bool {
    error.is::<Paused>()
        || matches!(error.downcast_ref(), Some(MeasureError::Interrupted))
        || matches!(error.downcast_ref(), Some(MadeFileError::Interrupted(_)))
        || matches!(error.downcast_ref(), Some(InventoryError::Interrupted))
        || matches!(error.downcast_ref(), Some(ExplainError::Interrupted))
}

fn is_wrong_usage(error: &anyhow::Error) -> bool {
    let machine_error = match error.downcast_ref() {
        Some(
            MeasureError::Settings(_)
            | MeasureError::Layout(_)
            | MeasureError::NoSuchGpu(_)
            | MeasureError::Target(TargetError::Same { .. }),
        ) => return true,
        Some(MeasureError::Machine(error)) => Some(error),
        _ => error.downcast_ref(),
    };
    error.is::<WrongUsage>()
        || error.is::<BadSelector>()
        || matches!(error.downcast_ref(), Some(ProcessError::Target(_)))
        || machine_error.is_some_and(is_malformed_list)
        || matches!(error.downcast_ref(), Some(SurveyError::Exists(_)))
}

/// A malformed list. A list with nodes that this machine lacks is well-formed and a failure, not
/// wrong usage.
fn is_malformed_list(error: &MachineError) -> bool {
    matches!(error, MachineError::MalformedList { .. })
}
