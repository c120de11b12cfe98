//! Builds a log line by line.

use super::event::{LogEvent, LogEventKind};
use super::line::{self, LogLine};
use super::{KernelLog, MAX_LINE_BYTES, recognise};

/// Maximum number of events. 8,192 CPUs have a line each.
pub(super) const MAX_EVENTS: usize = 50_000;
/// Maximum size of all events' text: a hundred times that of a large machine.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// Builds a log from lines that are added one by one.
#[derive(Debug, Default)]
pub struct LogBuilder {
    log: KernelLog,
    /// Size of the events' text in bytes.
    kept: usize,
}

impl LogBuilder {
    /// Adds a line.
    pub fn add_line(&mut self, bytes: &[u8]) {
        let log = &mut self.log;
        log.lines += 1;
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_LINE_BYTES)]);
        let Some(text) = LogLine::new(&text).kernel_text() else { return };
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

    /// The finished log.
    pub fn build(self) -> KernelLog {
        self.log
    }
}
