//! A program's output under its own name: text, and a line on standard error for each thing that
//! went wrong.

use std::fmt::Display;
use std::path::Path;

use nearfar_machine::{MachineError, Source};
use nearfar_terminal::output::OutputError;
use serde::Serialize;

use crate::completion::Completion;
use crate::console::Console;
use crate::error::NumactlError;

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

    /// Shows how the program is used, and what was wrong with how it was.
    pub(crate) fn usage(&mut self, text: &str, wrong: Option<&dyn Display>) -> Completion {
        if let Some(wrong) = wrong {
            self.complain(wrong);
        }
        text.lines().for_each(|line| self.console.aside(line));
        Completion::Partial
    }

    /// Opens a captured machine.
    pub(crate) fn open(&mut self, path: &Path) -> Result<Source, MachineError> {
        self.console.open(path)
    }
}
