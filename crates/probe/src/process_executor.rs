//! Executes batches on this machine: each in a fresh worker process.

mod process;
#[cfg(test)]
mod tests;
mod worker_exit;

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::instruments::Work;
use crate::job::WorkerJob;
use crate::probe_error::ProbeError;
use crate::worker_message::{Batch, BatchExecutor, WorkerMessage};
use process::{WorkerEvent, WorkerProcess};

/// The longest wait for a message before the caller is asked whether to continue.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Asks the caller whether to continue.
type KeepWaiting<'a> = &'a mut dyn FnMut() -> bool;

/// Starts workers and receives their messages. No worker outlives the call that started it, nor the
/// calling thread.
///
/// A machine's speed drifts over a second or so (neighbours, clocks, temperature), and processes
/// without a pause sample one moment of it. With spacing, the scatter between processes, from which
/// intervals are computed, includes the drift.
pub struct ProcessExecutor<'l> {
    work: Work,
    launch: Box<dyn Fn() -> Command + 'l>,
    spacing: Duration,
    started: Option<Instant>,
}

impl<'l> ProcessExecutor<'l> {
    /// `launch` returns the command that runs [`serve`](crate::serve) over its standard input and
    /// output. Processes start at least `spacing` apart.
    pub fn new(work: Work, launch: Box<dyn Fn() -> Command + 'l>, spacing: Duration) -> Self {
        Self { work, launch, spacing, started: None }
    }

    /// Waits until the next process may start; `false` if the caller ended the wait.
    fn wait_for_spacing(&mut self, keep_waiting: KeepWaiting) -> bool {
        if let Some(started) = self.started {
            let left = || self.spacing.saturating_sub(started.elapsed());
            while !left().is_zero() {
                if !keep_waiting() {
                    return false;
                }
                thread::sleep(left().min(POLL_INTERVAL));
            }
        }
        self.started = Some(Instant::now());
        true
    }

    /// The worker's input line.
    fn job(&self, batch: &Batch) -> Result<String, ProbeError> {
        let job = WorkerJob { work: self.work.clone(), batch: batch.clone() };
        let line =
            serde_json::to_string(&job).map_err(|error| ProbeError::BadJob(error.to_string()))?;
        Ok(line + "\n")
    }
}

impl BatchExecutor for ProcessExecutor<'_> {
    type Error = ProbeError;

    fn execute(
        &mut self,
        batch: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), ProbeError> {
        let job = self.job(batch)?;
        if !self.wait_for_spacing(&mut || on_message(None)) {
            return Ok(());
        }
        let mut process = WorkerProcess::start((self.launch)(), job)?;
        loop {
            let word = match process.next_event()? {
                WorkerEvent::WorkerMessage(answer) => Some(answer),
                WorkerEvent::NoMessageYet => None,
                WorkerEvent::End => return process.finish(&mut || on_message(None)),
            };
            if !on_message(word) {
                return Ok(());
            }
        }
    }
}
