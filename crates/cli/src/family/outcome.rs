//! How a program of the family ends: with a status, and with one line on stderr, under its own name, for each thing that went wrong.

use std::fmt::Display;
use std::process::ExitCode;

use crate::{exit, output};

/// The status of what went wrong; numactl's programs know no other.
pub(super) const FAILED: u8 = 1;

/// The status of a program that has ended.
pub(super) fn status(name: &str, ended: anyhow::Result<ExitCode>) -> ExitCode {
    match ended {
        Ok(status) => status,
        Err(error) if exit::closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(name, exit::line(&error));
            ExitCode::from(FAILED)
        }
    }
}

/// Says what is wrong, under the program's name.
pub(super) fn complain(name: &str, what: impl Display) {
    output::aside(&format!("{name}: {what}"));
}

/// Says how the program is used, and what was wrong with how it was.
pub(super) fn usage(name: &str, text: &str, wrong: Option<&dyn Display>) -> ExitCode {
    if let Some(wrong) = wrong {
        complain(name, wrong);
    }
    text.lines().for_each(output::aside);
    ExitCode::from(FAILED)
}
