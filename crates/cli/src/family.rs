//! The numactl family: this program under the names that scripts call, as `nearfar alias` links them.
//!
//! Each has its own options and exit statuses, those of the original, so clap is never asked:
//! [`called_as`] decides by the file name in `argv[0]` before anything else happens.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use nearfar_launch::Dialect;
use nearfar_machine::{MachineError, Source};
use nearfar_numactl::{Completion, Console, NumactlError, Program};

use crate::commands::run;
use crate::{exit, input, output};

/// numactl itself is `nearfar run` with numactl's options only, and its exit statuses.
const NUMACTL: &str = "numactl";
/// The status of what went wrong; numactl's programs know no other.
const FAILED: u8 = 1;

/// A name of the family.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    /// numactl itself.
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
    /// Runs what has the name, with the words behind it.
    pub(crate) fn run(self, words: Vec<OsString>) -> ExitCode {
        match self {
            Self::Numactl => run::follow(words, Dialect::Numactl),
            Self::Other(program) => status(program.name(), program.run(words, &mut Terminal)),
        }
    }
}

fn status(name: &str, ended: Result<Completion, NumactlError>) -> ExitCode {
    let error = match ended {
        Ok(Completion::Full) => return ExitCode::SUCCESS,
        Ok(Completion::Partial) => return ExitCode::from(FAILED),
        Err(error) => anyhow::Error::from(error),
    };
    if exit::closed_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    output::aside(&format!("{name}: {}", exit::line(&error)));
    ExitCode::from(FAILED)
}

/// The terminal, and files that users name.
struct Terminal;

impl Console for Terminal {
    fn print(&mut self, text: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    }

    fn aside(&mut self, line: &str) {
        output::aside(line);
    }

    fn open(&mut self, path: &Path) -> Result<Source, MachineError> {
        input::read(path, Source::open)
    }
}
