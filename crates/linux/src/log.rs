//! The kernel's own words: what its log says about NUMA.
//!
//! Text in any of the forms in which people keep it: `dmesg` with or without times, `journalctl
//! -k`, syslog's files, `/dev/kmsg`, the console of a virtual machine. Each line that is known
//! becomes an [`LogEvent`] with its line number and its numbers; the other lines are passed over. Of a
//! file that holds several boots the last one counts.
//!
//! Nothing here can be made to use much memory or time: lines are cut, events are counted, and so
//! is what is read.

mod binary_format;
mod builder;
mod event;
mod line;
mod message;
mod recognise;

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use serde::Serialize;

pub use binary_format::binary_format;
pub use builder::LogBuilder;
pub use event::{LogEvent, LogEventKind};

/// How much of a log is read. What matters is said in the first seconds of a boot.
const MAX_LOG_BYTES: u64 = 256 << 20;
/// The longest line that is looked at whole; the kernel's have 1 KiB at most, and command lines 4
/// KiB.
const MAX_LINE_BYTES: usize = 8 << 10;

/// What a log says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KernelLog {
    /// Where it was read: a path; none where there is no log.
    pub origin: Option<String>,
    /// What it says, in order: of several boots, the last.
    pub events: Vec<LogEvent>,
    /// How many lines there are.
    pub lines: usize,
    /// How many boots it begins with their first line.
    pub boots: usize,
    /// What could not be read, and why, one line each: "/dev/kmsg: unreadable: not root".
    pub missing: Vec<String>,
}

impl KernelLog {
    /// Reads a text.
    pub fn parse(text: &[u8]) -> Self {
        let mut log = LogBuilder::default();
        let text = &text[..text.len().min(MAX_LOG_BYTES as usize)];
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        if !text.is_empty() {
            text.split(|&byte| byte == b'\n').for_each(|line| log.add_line(line));
        }
        log.build()
    }

    /// Reads a file, a pipe, anything that gives text. Whatever bytes come, only reading itself can
    /// fail.
    pub fn read_from(reader: impl Read) -> io::Result<Self> {
        let mut log = LogBuilder::default();
        let mut reader = BufReader::new(reader.take(MAX_LOG_BYTES));
        let mut line = Vec::new();
        let mut read = 0;
        while next_line(&mut reader, &mut line, &mut read)? {
            log.add_line(&line);
        }
        let mut log = log.build();
        if read >= MAX_LOG_BYTES {
            log.missing
                .push(format!("only the first {} MiB of the log were read", MAX_LOG_BYTES >> 20));
        }
        Ok(log)
    }

    /// Reads a file that somebody names: one that is no log is an error that says what it is.
    pub fn read_named(mut file: impl Read) -> io::Result<Self> {
        let mut head = Vec::new();
        file.by_ref().take(binary_format::HEAD_BYTES as u64).read_to_end(&mut head)?;
        let refused = |what: &str| Err(io::Error::new(ErrorKind::InvalidData, what));
        if let Some(what) = binary_format(&head) {
            return refused(what);
        }
        let log = Self::read_from(head.as_slice().chain(file))?;
        if log.events.is_empty() && binary_format::is_binary(&head) {
            return refused("it is binary data, and no line of it is a kernel's");
        }
        Ok(log)
    }

    /// Whether the log tells of a boot from its beginning, so that what it does not say was not
    /// said.
    pub fn has_boot(&self) -> bool {
        self.boots > 0
    }

    /// Whether the kernel made one node of all memory.
    pub fn faked(&self) -> bool {
        use LogEventKind::{Faking, NothingFound, TurnedOff};
        self.events
            .iter()
            .any(|event| matches!(event.kind, Faking { .. } | NothingFound | TurnedOff))
    }

    /// The kernel's command line, as the log has it.
    pub fn command_line(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            LogEventKind::CommandLine { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// The kernel's release, as the log has it: "6.1.0-28-amd64".
    pub fn release(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            LogEventKind::LinuxVersion { release } => Some(release.as_str()),
            _ => None,
        })
    }
}

/// The next line, cut to the longest that is looked at; false at the end.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>, read: &mut u64) -> io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let room = MAX_LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        *read += used as u64;
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests;
