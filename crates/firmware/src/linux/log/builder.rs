//! Builds a log line by line.

use super::event::{LogEvent, LogEventKind};
use super::line::{self, LogLine};
use super::{KernelLog, LogGap, MAX_LINE_BYTES, recognise, stamp};

/// Maximum number of events. 8,192 CPUs have a line each.
pub(super) const MAX_EVENTS: usize = 50_000;
/// Maximum size of all events' text: a hundred times that of a large machine.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// Maximum length of a message that later lines continue; the kernel's command line has 4 KiB.
const MAX_JOINED_BYTES: usize = 4 << 10;

/// Beginnings of messages about the entries of tables, where cut logs often end.
const ENTRIES: [&str; 3] = ["ACPI: SRAT: Node", "SRAT: PXM", "ACPI: NUMA: SRAT: PXM"];

/// Builds a log from lines that are added one by one.
#[derive(Debug, Default)]
pub struct LogBuilder {
    log: KernelLog,
    /// Size of the events' text in bytes.
    kept: usize,
    counts: LineCounts,
    /// The last line of the kernel, which the next may continue.
    last: Option<LastLine>,
    /// The longest line so far, in bytes: where a terminal folded the others.
    widest: usize,
}

/// How many lines are what.
#[derive(Debug, Default)]
struct LineCounts {
    kernel: usize,
    /// Of these, lines that only a mark shows to be the kernel's.
    marked: usize,
    other_programs: usize,
    unmarked: usize,
}

#[derive(Debug)]
struct LastLine {
    number: usize,
    message: String,
    /// Length of the line that was last added to it, in bytes.
    width: usize,
}

impl LogBuilder {
    /// Adds a line.
    pub fn add_line(&mut self, bytes: &[u8]) {
        self.log.lines += 1;
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_LINE_BYTES)]);
        let text = line::visible(&text);
        self.widest = self.widest.max(text.len());
        if text.is_empty() {
            return;
        }
        match LogLine::parse(&text) {
            LogLine::Message { text: message, kind, has_head } => {
                self.counts.kernel += 1;
                self.log.last_whole_line = self.log.lines;
                self.remember(message, text.len(), has_head);
                self.add_event(self.log.lines, message, kind);
                self.add_time(&text[..text.len() - message.len()]);
            }
            LogLine::Kernel(message) => {
                self.counts.kernel += 1;
                self.counts.marked += 1;
                if !is_cut_entry(message.trim()) {
                    self.log.last_whole_line = self.log.lines;
                }
                self.remember(message, text.len(), true);
            }
            LogLine::OtherProgram => {
                self.counts.other_programs += 1;
                self.last = None;
            }
            LogLine::Unmarked { text: rest, has_head: false }
                if self.continues_with(rest, text.len()) => {}
            LogLine::Unmarked { .. } => {
                self.counts.unmarked += 1;
                self.last = None;
            }
        }
    }

    /// Lines without a head may be whole ones: only after one with a head the next continues it.
    fn remember(&mut self, message: &str, width: usize, has_head: bool) {
        let last = || LastLine { number: self.log.lines, message: message.to_owned(), width };
        self.last = has_head.then(last);
    }

    /// Joins a line with the one before, where a terminal or a mail folded the message: only so it
    /// is known, or it is the command line, whose end may have an option.
    fn continues_with(&mut self, rest: &str, width: usize) -> bool {
        let last = self.last.take().filter(|last| last.message.len() < MAX_JOINED_BYTES);
        let Some(last) = last else { return false };
        let (joined, apart) = (last.message.clone() + rest, format!("{} {rest}", last.message));
        // A terminal cuts words at its width.
        let is_cut = last.width == self.widest;
        let forms = if is_cut { [joined, apart] } else { [apart, joined] };
        let was_known = recognise::event(&last.message);
        let is_open = |kind: &LogEventKind| match kind {
            LogEventKind::CommandLine { .. } => true,
            _ => was_known.is_none(),
        };
        let known = forms.iter().find_map(|form| Some((form, recognise::event(form)?)));
        let Some((message, kind)) = known.filter(|(_, kind)| is_open(kind)) else { return false };
        if self.log.events.last().is_some_and(|event| event.line == last.number) {
            self.log.events.pop();
            self.kept -= last.message.len();
        }
        self.last = Some(LastLine { number: last.number, message: message.clone(), width });
        self.add_event(last.number, message, kind);
        true
    }

    fn add_event(&mut self, number: usize, message: &str, kind: LogEventKind) {
        let log = &mut self.log;
        if matches!(kind, LogEventKind::LinuxVersion { .. }) {
            log.boots += 1;
            log.last_boot_line = number;
            // Arm names its CPU first.
            let is_first = |event: &LogEvent| {
                event.line + 1 == number && matches!(event.kind, LogEventKind::Architecture { .. })
            };
            let first = log.events.pop().filter(is_first);
            log.events.clear();
            log.events.extend(first);
            self.kept = 0;
        }
        // The first of each boot: boards with a device tree may have a name in DMI, too.
        let is_first = log.hardware().is_none();
        if let LogEventKind::Hardware { name } = &kind {
            if is_first && log.machines.len() < 2 && !log.machines.contains(name) {
                log.machines.push(name.clone());
            }
        }
        self.kept += message.len();
        if log.events.len() < MAX_EVENTS && self.kept < MAX_TEXT_BYTES {
            let text = line::printable(message);
            log.events.push(LogEvent { line: number, text, at_us: None, kind });
        }
    }

    /// Gives the last event its time, if it is a kill.
    fn add_time(&mut self, head: &str) {
        let line = self.log.lines;
        let last = self.log.events.last_mut().filter(|event| event.line == line);
        if let Some(kill) = last.filter(|it| matches!(it.kind, LogEventKind::OutOfMemory { .. })) {
            kill.at_us = stamp::microseconds(head);
        }
    }

    /// The finished log.
    pub fn build(self) -> KernelLog {
        let (mut log, counts) = (self.log, self.counts);
        log.kernel_lines = counts.kernel;
        // Where no line has a mark, those that are not known may be the kernel's, too.
        let unmarked = if counts.marked > 0 { counts.unmarked } else { 0 };
        let foreign = counts.other_programs + unmarked;
        if foreign > 0 {
            log.missing.push(LogGap::OtherLines { lines: foreign, of: log.lines });
        }
        if log.boots > 1 {
            log.missing.push(LogGap::Boots { boots: log.boots, line: log.last_boot_line });
        }
        log
    }
}

/// Whether a message that is not known is a part of one about an entry.
fn is_cut_entry(message: &str) -> bool {
    ENTRIES.iter().any(|entry| entry.starts_with(message) || message.starts_with(entry))
}
