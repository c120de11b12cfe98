//! How a command ends: statuses that scripts can rely on.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use thiserror::Error;

use crate::terminal::{error_line, output, printable};

/// The status of a command that failed.
pub const FAILED: u8 = 1;
/// The status of wrong usage.
pub const USAGE: u8 = 2;
/// The status of a command that the user stopped.
pub const INTERRUPTED: u8 = 130;

/// Arguments that are well formed each, and invalid together.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct WrongUsage(pub String);

/// What clap found wrong, or the help it was asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // It quotes arguments. There is no other place to report that this cannot be written.
        let text = error.render().ansi().to_string();
        let _ = anstream::stderr().write_all(printable::coloured(&text).as_bytes());
        return ExitCode::from(USAGE);
    }
    match output::text(&error.render().ansi().to_string()) {
        Err(why) if !closed_pipe(&why) => {
            output::aside(&format!("error: {}", error_line(&why)));
            ExitCode::from(FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Whether the reader of the output closed the pipe (`nearfar ... | head`), which is no failure.
pub fn closed_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut chain = std::iter::successors(Some(error), |&error| error.source());
    let io = chain.find_map(|cause| cause.downcast_ref::<io::Error>());
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::output::OutputError;

    #[test]
    fn closed_pipes_are_found_among_causes() {
        let error = |kind: io::ErrorKind| OutputError::Write(kind.into());
        assert!(closed_pipe(&error(io::ErrorKind::BrokenPipe)));
        assert!(!closed_pipe(&error(io::ErrorKind::StorageFull)));
        assert!(!closed_pipe(&WrongUsage(String::new())));
    }
}
