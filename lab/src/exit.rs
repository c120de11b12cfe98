//! Exit statuses that scripts can rely on, and errors in a line each, with the guest's last words
//! where it died.

use std::process::ExitCode;

use nearfar_view::terminal::exit::{FAILED, INTERRUPTED, USAGE, WrongUsage, closed_pipe};
use nearfar_view::terminal::{error_line, output};

use crate::guest::GuestError;

const TIMED_OUT: u8 = 124;
const UNUSABLE: u8 = 126;
const MISSING: u8 = 127;

/// The status of a finished command; an error becomes one line on stderr, or one for each thing
/// that is wrong with a description.
pub(crate) fn status(result: anyhow::Result<u8>) -> ExitCode {
    let error = match result {
        Ok(status) => return ExitCode::from(status),
        Err(error) if closed_pipe(error.as_ref()) => return ExitCode::SUCCESS,
        Err(error) => error,
    };
    error_line(error.as_ref())
        .lines()
        .for_each(|line| output::aside(&format!("nearfar-lab: {line}")));
    for last in error.downcast_ref::<GuestError>().map(GuestError::last_words).unwrap_or_default() {
        output::aside(&format!("  guest: {last}"));
    }
    ExitCode::from(code(&error))
}

fn code(error: &anyhow::Error) -> u8 {
    if error.is::<WrongUsage>() {
        return USAGE;
    }
    match error.downcast_ref::<GuestError>() {
        Some(GuestError::TimedOut { .. }) => TIMED_OUT,
        Some(GuestError::Unusable { .. }) => UNUSABLE,
        Some(GuestError::Missing { .. }) => MISSING,
        Some(GuestError::Interrupted) => INTERRUPTED,
        _ => FAILED,
    }
}
