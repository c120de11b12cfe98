//! Messages to the parent process: one JSON line each, written soon but never during a measurement.

use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use crate::worker::throttle::Throttle;
use crate::worker_message::{Dropped, PlanScope, WorkerMessage};

/// The longest delay of a message, beyond the sample in progress: each write wakes the reader,
/// which may run on a measured CPU.
const MAX_DELAY: Duration = Duration::from_millis(50);

pub(crate) struct Messages<'w> {
    output: BufWriter<Box<dyn Write + 'w>>,
    throttle: Throttle,
    last_written: Instant,
    /// The first error: nothing is written after it.
    failed: Option<io::Error>,
}

impl<'w> Messages<'w> {
    pub(crate) fn new(output: impl Write + 'w) -> Self {
        let output = BufWriter::new(Box::new(output) as Box<dyn Write + 'w>);
        Self { output, throttle: Throttle::live(), last_written: Instant::now(), failed: None }
    }

    /// Sends one message. If the cgroup's CPU limit caused a disturbance, that becomes its reason.
    /// [`Messages::finish`] returns an error.
    pub(crate) fn send(&mut self, message: WorkerMessage) {
        if self.failed.is_none() {
            self.failed = self.write(message).err();
        }
    }

    /// Reports scopes that cannot be measured.
    pub(crate) fn report_unavailable(
        &mut self,
        scopes: impl IntoIterator<Item = PlanScope>,
        why: &str,
    ) {
        scopes
            .into_iter()
            .for_each(|scope| self.send(WorkerMessage::Unavailable { scope, why: why.to_owned() }));
    }

    /// Whether writing has failed.
    pub(crate) const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or_else(|| self.output.flush(), Err)
    }

    fn write(&mut self, mut message: WorkerMessage) -> io::Result<()> {
        match &mut message {
            WorkerMessage::Dropped(Dropped { reason, .. })
            | WorkerMessage::WindowsDropped { reason, .. } => {
                *reason = self.throttle.classify(*reason);
            }
            _ => self.throttle.undisturbed(),
        }
        serde_json::to_writer(&mut self.output, &message)?;
        self.output.write_all(b"\n")?;
        if self.last_written.elapsed() < MAX_DELAY {
            return Ok(());
        }
        self.last_written = Instant::now();
        self.output.flush()
    }
}
