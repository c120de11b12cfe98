//! Exit statuses that scripts can rely on, and errors in a line each, with the guest's last words where it died.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::guest::GuestError;
use crate::output;

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const TIMED_OUT: u8 = 124;
const UNUSABLE: u8 = 126;
const MISSING: u8 = 127;
const INTERRUPTED: u8 = 130;

/// Arguments that each are well formed and together cannot be had.
#[derive(Debug)]
pub(crate) struct WrongUsage(pub(crate) String);

impl fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// What clap found wrong, or the help it was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // Printing fails when the pipe is closed; then nobody reads, and that is no error.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { USAGE } else { 0 })
}

/// The status of a finished command; an error becomes one line on stderr, or one for each thing that is wrong with a description.
pub(crate) fn status(result: anyhow::Result<u8>) -> ExitCode {
    let error = match result {
        Ok(status) => return ExitCode::from(status),
        Err(error) if closed_pipe(&error) => return ExitCode::SUCCESS,
        Err(error) => error,
    };
    line(&error).lines().for_each(|line| output::aside(&format!("nearfar-lab: {line}")));
    for last in error.downcast_ref::<GuestError>().map(GuestError::last_words).unwrap_or_default() {
        output::aside(&format!("  guest: {last}"));
    }
    ExitCode::from(code(&error))
}

/// The error and its causes, leaving out causes that it names itself.
fn line(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |line, cause| match line.as_str() {
        "" => cause,
        said if said.contains(&cause) => line,
        said => format!("{said}: {cause}"),
    })
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

/// A reader that has seen enough (`nearfar-lab ... | head`) is no failure.
fn closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
