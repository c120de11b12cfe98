//! A program's output under its own name: text, and a line on standard error for each thing that
//! went wrong.

use std::fmt::Display;
use std::path::Path;

use nearfar_machine::{MachineError, Source};
use nearfar_view::terminal::output::OutputError;
use serde::Serialize;

use crate::numactl::completion::Completion;
use crate::numactl::console::Console;
use crate::numactl::error::NumactlError;
use crate::numactl::misuse::Misuse;

/// The console of a program that has a name.
pub(crate) struct Printer<'a> {
    name: &'static str,
    console: &'a mut dyn Console,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(name: &'static str, console: &'a mut dyn Console) -> Self {
        Self { name, console }
    }

    /// Prints text at once.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), NumactlError> {
        Ok(self.console.print(text)?)
    }

    /// Prints a document as a line of JSON.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> Result<(), NumactlError> {
        self.text(&(serde_json::to_string(document).map_err(OutputError::from)? + "\n"))
    }

    /// Reports what is wrong, under the program's name.
    pub(crate) fn complain(&mut self, what: impl Display) {
        self.console.aside(&format!("{}: {what}", self.name));
    }

    /// Runs the program. Reports invalid arguments, and shows its usage.
    pub(crate) fn follow<R>(
        &mut self,
        request: Result<R, Misuse>,
        usage: &str,
        run: impl FnOnce(&R, &mut Self) -> Result<Completion, NumactlError>,
    ) -> Result<Completion, NumactlError> {
        match request {
            Ok(request) => run(&request, self),
            Err(Misuse(wrong)) => {
                if let Some(wrong) = wrong {
                    self.complain(wrong);
                }
                usage.lines().for_each(|line| self.console.aside(line));
                Ok(Completion::Partial)
            }
        }
    }

    /// Opens a captured machine.
    pub(crate) fn open(&mut self, path: &Path) -> Result<Source, MachineError> {
        self.console.open(path)
    }
}
