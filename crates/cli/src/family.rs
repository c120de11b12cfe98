//! The numactl family: this program under the names of numactl's programs (`nearfar alias`).
//!
//! Each has the options and exit statuses of the original, so clap does not parse them:
//! [`called_as`] decides by the file name in `argv[0]` before anything else happens.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use nearfar_machine::{MachineError, Source};
use nearfar_process::launch::Dialect;
use nearfar_process::numactl::{Completion, Console, NumactlError, Program};
use nearfar_view::terminal::error_line;
use nearfar_view::terminal::exit::{FAILED, closed_pipe};
use nearfar_view::terminal::output::{self, OutputError};

use crate::commands::run;
use crate::input;

/// numactl itself is `nearfar run` with numactl's options only, and its exit statuses.
const NUMACTL: &str = "numactl";

/// A name of the family.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    Numactl,
    /// A program that comes with it.
    Other(Program),
}

/// The name that this program was called by; `None` for its own.
pub(crate) fn called_as(word: Option<&OsStr>) -> Option<Name> {
    let called = Path::new(word?).file_name()?;
    let other = Program::ALL.into_iter().find(|program| called == program.name());
    other.map(Name::Other).or_else(|| (called == NUMACTL).then_some(Name::Numactl))
}

/// The names, for the links that lead to them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once(NUMACTL).chain(Program::ALL.map(Program::name))
}

impl Name {
    /// Runs the program of this name with these arguments.
    pub(crate) fn run(self, words: Vec<OsString>) -> ExitCode {
        match self {
            Self::Numactl => run::follow(words, Dialect::Numactl),
            Self::Other(program) => {
                status(program.name(), program.run(words, &mut TerminalConsole))
            }
        }
    }
}

/// The exit status; numactl's programs have only 1 for failures.
fn status(name: &str, ended: Result<Completion, NumactlError>) -> ExitCode {
    match ended {
        Ok(Completion::Full) => ExitCode::SUCCESS,
        Ok(Completion::Partial) => ExitCode::from(FAILED),
        Err(error) if closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::aside(&format!("{name}: {}", error_line(&error)));
            ExitCode::from(FAILED)
        }
    }
}

/// The terminal, and files that users name.
struct TerminalConsole;

impl Console for TerminalConsole {
    fn print(&mut self, text: &str) -> Result<(), OutputError> {
        output::text(text)
    }

    fn aside(&mut self, line: &str) {
        output::aside(line);
    }

    fn open(&mut self, path: &Path) -> Result<Source, MachineError> {
        input::read(path, Source::open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_the_links() {
        let package = include_str!("../../../packages/numactl.yaml");
        let links = package.lines().filter(|line| line.contains("src: nearfar, dst: /usr/bin/"));
        let links: Vec<&str> = links.collect();
        assert_eq!(links.len(), names().count());
        for name in names() {
            assert!(
                links.iter().any(|line| line.contains(&format!("/usr/bin/{name} }}"))),
                "{name}"
            );
        }
    }
}
