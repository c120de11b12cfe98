//! Runs exercises: a line for each, on standard error where it is unavailable.

use std::fmt::Display;

use nearfar_machine::Source;
use nearfar_place::Policy;

use super::demonstration::Demonstration;
use super::exercise::Exercise;
use super::rates::Rates;
use super::request::NumademoRequest;
use super::show;
use crate::numactl::completion::Completion;
use crate::numactl::error::NumactlError;
use crate::numactl::printer::Printer;

/// Runs exercises, and remembers whether one was skipped.
pub(super) struct ExerciseRunner<'a, 'c> {
    request: &'a NumademoRequest,
    demonstration: Demonstration<'a>,
    printer: &'a mut Printer<'c>,
    left_out: bool,
}

impl<'a, 'c> ExerciseRunner<'a, 'c> {
    pub(super) fn new(
        request: &'a NumademoRequest,
        source: &'a Source,
        printer: &'a mut Printer<'c>,
    ) -> Self {
        let demonstration = Demonstration { source, size: request.size };
        Self { request, demonstration, printer, left_out: false }
    }

    /// Exercises memory that has a policy of its own.
    pub(super) fn exercise(
        &mut self,
        exercise: Exercise,
        title: &str,
        policy: &Policy,
    ) -> Result<(), NumactlError> {
        let done = self.demonstration.for_memory(exercise, policy);
        self.report(exercise, title, done)
    }

    /// Exercises memory that follows the thread, under a policy of the thread.
    pub(super) fn under(
        &mut self,
        policy: &Policy,
        exercise: Exercise,
        title: &str,
    ) -> Result<(), NumactlError> {
        let done = self.demonstration.for_thread(exercise, policy);
        self.report(exercise, title, done)
    }

    fn report(
        &mut self,
        exercise: Exercise,
        title: &str,
        done: Result<Rates, NumactlError>,
    ) -> Result<(), NumactlError> {
        match done {
            Ok(rates) => self.printer.text(&show::line(title, exercise, rates, self.request.csv)),
            Err(why) => self.left_out(title, &why),
        }
    }

    /// Reports what was skipped and why; with `-e` that is an error.
    pub(super) fn left_out(&mut self, title: &str, why: &dyn Display) -> Result<(), NumactlError> {
        self.left_out = true;
        if self.request.strict {
            return Err(NumactlError::LeftOut { title: title.to_owned(), why: why.to_string() });
        }
        self.printer.complain(format!("test \"{title}\" is left out: {why}"));
        Ok(())
    }

    /// Prints a line of its own.
    pub(super) fn print_line(&mut self, line: &str) -> Result<(), NumactlError> {
        self.printer.text(&format!("{line}\n"))
    }

    /// Whether all was exercised.
    pub(super) fn completion(&self) -> Completion {
        Completion::full_if(!self.left_out)
    }
}
