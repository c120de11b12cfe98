//! Answers, one JSON line each, written soon but not while something is timed.

use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Dropped};
use crate::worker::throttle::Throttle;

/// Answers wait at most so long, and for the sample that is being taken: each write wakes the reader, which may sit on
/// a CPU that is measured.
const LONGEST_SILENCE: Duration = Duration::from_millis(50);

pub(crate) struct Speaker<W: Write> {
    output: BufWriter<W>,
    throttle: Throttle,
    last_written: Instant,
}

impl<W: Write> Speaker<W> {
    pub(crate) fn new(output: W) -> Self {
        Self { output: BufWriter::new(output), throttle: Throttle::live(), last_written: Instant::now() }
    }

    /// Says one answer. Where the cgroup's limit of CPU time made a disturbance, that is its reason.
    pub(crate) fn say(&mut self, answer: &Answer) -> io::Result<()> {
        match *answer {
            Answer::Dropped(Dropped { visit, reason }) => {
                let reason = self.throttle.name(reason);
                serde_json::to_writer(&mut self.output, &Answer::dropped(visit, reason))?;
            }
            Answer::WindowsDropped { visit, reason, windows } => {
                let reason = self.throttle.name(reason);
                serde_json::to_writer(&mut self.output, &Answer::WindowsDropped { visit, reason, windows })?;
            }
            _ => {
                self.throttle.undisturbed();
                serde_json::to_writer(&mut self.output, answer)?;
            }
        }
        self.output.write_all(b"\n")?;
        if self.last_written.elapsed() >= LONGEST_SILENCE { self.flush() } else { Ok(()) }
    }

    /// Writes what waits.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.last_written = Instant::now();
        self.output.flush()
    }
}
