//! One exercise after another: what came of it is told, and what could not be done is told too.

use std::fmt::Display;
use std::process::ExitCode;

use anyhow::bail;
use nearfar_machine::Source;
use nearfar_place::Policy;
use nearfar_probe::demo::{Demonstration, Exercise, NotDone, Rates};

use super::request::Request;
use super::{NAME, complain, output, show};

/// Does exercises, and remembers whether one was left out.
pub(super) struct Bench<'a> {
    request: &'a Request,
    demonstration: Demonstration<'a>,
    left_out: bool,
}

impl<'a> Bench<'a> {
    pub(super) fn new(request: &'a Request, source: &'a Source) -> Self {
        Self { request, demonstration: Demonstration::new(source, request.size), left_out: false }
    }

    /// Exercises memory that has a policy of its own.
    pub(super) fn exercise(&mut self, exercise: Exercise, title: &str, policy: &Policy) -> anyhow::Result<()> {
        let done = self.demonstration.of_memory(exercise, policy);
        self.tell(exercise, title, done)
    }

    /// Exercises memory that follows the thread, under a policy of the thread.
    pub(super) fn under(&mut self, policy: &Policy, exercise: Exercise, title: &str) -> anyhow::Result<()> {
        let done = self.demonstration.of_thread(exercise, policy);
        self.tell(exercise, title, done)
    }

    fn tell(&mut self, exercise: Exercise, title: &str, done: Result<Rates, NotDone>) -> anyhow::Result<()> {
        match done {
            Ok(rates) => output::text(&show::line(title, exercise, rates, self.request.csv)),
            Err(why) => self.left_out(title, &why),
        }
    }

    /// Says what was not exercised and why; with `-e` that is the end.
    pub(super) fn left_out(&mut self, title: &str, why: &dyn Display) -> anyhow::Result<()> {
        self.left_out = true;
        if self.request.strict {
            bail!("test \"{title}\": {why}");
        }
        complain(NAME, format!("test \"{title}\" is left out: {why}"));
        Ok(())
    }

    /// Whether all was exercised.
    pub(super) fn status(&self) -> ExitCode {
        if self.left_out { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}
