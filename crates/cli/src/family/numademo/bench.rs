//! One exercise after another: memory is had, exercised, told of and given back; what cannot be had is told of too.

use std::fmt::Display;
use std::process::ExitCode;

use anyhow::bail;
use nearfar_machine::{MachineCounters, Source};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{Policy, PolicyGuard, Refusal};
use nearfar_probe::demo::Exercise;

use super::request::Request;
use super::{NAME, complain, memory, output, show};

/// Does exercises, and remembers whether one was left out.
pub(super) struct Bench<'a> {
    request: &'a Request,
    source: &'a Source,
    left_out: bool,
}

impl<'a> Bench<'a> {
    pub(super) fn new(request: &'a Request, source: &'a Source) -> Self {
        Self { request, source, left_out: false }
    }

    /// Exercises memory that has a policy of its own.
    pub(super) fn exercise(&mut self, exercise: Exercise, title: &str, policy: &Policy) -> anyhow::Result<()> {
        if let Err(refusal) = self.check_room(policy) {
            return self.left_out(title, &refusal);
        }
        let mut memory = match memory(self.request, policy).and_then(|memory| memory.touch().map(|()| memory)) {
            Ok(memory) => memory,
            Err(refusal) => return self.left_out(title, &refusal),
        };
        let length = usize::try_from(self.request.size.0).unwrap_or(usize::MAX).min(memory.length());
        match exercise.rates(&mut memory[..length]) {
            Some(rates) => output::text(&show::line(title, exercise, rates, self.request.csv)),
            None => self.left_out(title, &format!("{} are too few for it", self.request.size)),
        }
    }

    /// Exercises memory that follows the thread, under a policy of the thread.
    pub(super) fn under(&mut self, policy: &Policy, exercise: Exercise, title: &str) -> anyhow::Result<()> {
        if let Err(refusal) = self.check_room(policy) {
            return self.left_out(title, &refusal);
        }
        match PolicyGuard::enter(policy) {
            Ok(_guard) => self.exercise(exercise, title, &Policy::Default),
            Err(refusal) => self.left_out(title, &refusal),
        }
    }

    /// Bound memory that runs out ends the process, so room is looked for before.
    fn check_room(&self, policy: &Policy) -> Result<(), Refusal> {
        let Policy::Bind(nodes) = policy else { return Ok(()) };
        let Some(free) = self.free_on(nodes) else { return Ok(()) };
        let spared = Bytes(free.0 / 16);
        if self.request.size + spared <= free {
            return Ok(());
        }
        Err(Refusal::TooLittleFree { place: format!("node {nodes}"), wanted: self.request.size, free, spared })
    }

    fn free_on(&self, nodes: &NodeSet) -> Option<Bytes> {
        let counters = MachineCounters::read(self.source);
        let there = counters.nodes.iter().filter(|node| nodes.contains(node.node));
        there.map(|node| node.memory.as_ref()?.get("MemFree").map(Bytes)).sum()
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
