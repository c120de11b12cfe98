//! A log line by line.

use super::event::{LogEvent, LogEventKind};
use super::line::{self, LogLine};
use super::{KernelLog, MAX_LINE_BYTES, recognise};

/// How many events are kept. 8,192 CPUs have a line each.
pub(super) const MAX_EVENTS: usize = 50_000;
/// How much text of events is kept: a hundred times what a large machine says.
const MAX_TEXT_BYTES: usize = 32 << 20;

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
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_LINE_BYTES)]);
        let Some(text) = LogLine::of(&text).kernel_text() else { return };
        let Some(kind) = recognise::event(text) else { return };
        if matches!(kind, LogEventKind::LinuxVersion { .. }) {
            log.boots += 1;
            log.events.clear();
            self.kept = 0;
        }
        self.kept += text.len();
        if log.events.len() < MAX_EVENTS && self.kept < MAX_TEXT_BYTES {
            log.events.push(LogEvent { line: log.lines, text: line::printable(text), kind });
        }
    }

    /// What the lines say.
    pub fn build(self) -> KernelLog {
        self.log
    }
}
