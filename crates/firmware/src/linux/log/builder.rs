//! Builds a log line by line.

use super::event::{LogEvent, LogEventKind};
use super::line::{self, LogLine};
use super::{KernelLog, LogGap, MAX_LINE_BYTES, recognise};

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
            LogLine::Message(message, kind) => {
                self.counts.kernel += 1;
                self.remember(message, text.len());
                self.add_event(self.log.lines, message, kind);
            }
            LogLine::Kernel(message) => {
                self.counts.kernel += 1;
                self.remember(message, text.len());
            }
            LogLine::OtherProgram => {
                self.counts.other_programs += 1;
                self.last = None;
            }
            LogLine::Unmarked(rest) if self.continues_with(rest, text.len()) => {}
            LogLine::Unmarked(_) => {
                self.counts.unmarked += 1;
                self.last = None;
            }
        }
    }

    fn remember(&mut self, message: &str, width: usize) {
        self.last = Some(LastLine { number: self.log.lines, message: message.to_owned(), width });
    }

    /// Joins a line with the one before, where a terminal or a mail folded the message: only so it
    /// is known, or it is the command line, whose end may have an option.
    fn continues_with(&mut self, rest: &str, width: usize) -> bool {
        let Some(last) = self.last.take() else { return false };
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
        if was_known.is_some() {
            self.log.events.pop();
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
        if let LogEventKind::Hardware { name } = &kind {
            // Another version of the BIOS is the same machine.
            let model = name.split(", BIOS").next().unwrap_or(name).to_owned();
            if log.machines.len() < 2 && !log.machines.contains(&model) {
                log.machines.push(model);
            }
        }
        self.kept += message.len();
        if log.events.len() < MAX_EVENTS && self.kept < MAX_TEXT_BYTES {
            log.events.push(LogEvent { line: number, text: line::printable(message), kind });
        }
    }

    /// The finished log.
    pub fn build(self) -> KernelLog {
        let (mut log, counts) = (self.log, self.counts);
        log.kernel_lines = counts.kernel;
        // Where no line has a mark, those that are not known may be the kernel's, too.
        let is_marked = counts.kernel > log.events.len();
        let foreign = counts.other_programs + if is_marked { counts.unmarked } else { 0 };
        if foreign > 0 {
            log.missing.push(LogGap::OtherLines { lines: foreign, of: log.lines });
        }
        if log.boots > 1 {
            log.missing.push(LogGap::Boots { boots: log.boots, line: log.last_boot_line });
        }
        log
    }
}
