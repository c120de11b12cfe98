//! A log line by line.

use super::event::{Event, EventKind};
use super::line::{self, Line};
use super::{KernelLog, LONGEST_LINE, recognise};

/// How many events are kept. 8,192 CPUs have a line each.
pub(super) const MOST_EVENTS: usize = 50_000;
/// How much text of events is kept: a hundred times what a large machine says.
const MOST_KEPT: usize = 32 << 20;

/// Builds a log of lines that are handed over one by one.
#[derive(Debug, Default)]
pub struct LogBuilder {
    log: KernelLog,
    /// How many bytes of text the events have.
    kept: usize,
}

impl LogBuilder {
    /// Adds a line.
    pub fn add_line(&mut self, bytes: &[u8]) {
        let log = &mut self.log;
        log.lines += 1;
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_LINE)]);
        let Some(text) = Line::of(&text).kernel_text() else { return };
        let Some(kind) = recognise::event(text) else { return };
        if matches!(kind, EventKind::LinuxVersion { .. }) {
            log.boots += 1;
            log.events.clear();
            self.kept = 0;
        }
        self.kept += text.len();
        if log.events.len() < MOST_EVENTS && self.kept < MOST_KEPT {
            log.events.push(Event { line: log.lines, text: line::printable(text), kind });
        }
    }

    /// What the lines say.
    pub fn build(self) -> KernelLog {
        self.log
    }
}
