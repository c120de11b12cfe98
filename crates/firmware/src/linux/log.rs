//! The kernel's log: its messages about NUMA.
//!
//! Accepted formats: `dmesg` with any of its options, `journalctl -k`, syslog files, `/dev/kmsg`,
//! consoles, and quotes of these: `head` knows what may stand before a message. Each known message
//! becomes a [`LogEvent`] with its line number and values; other lines are counted. Of several
//! boots in a file the last one counts.
//!
//! Memory and time are bounded: lines are cut, and the number of events and bytes is limited.

mod binary_format;
mod builder;
mod event;
mod head;
mod kept;
mod line;
mod message;
mod node_kill;
mod recognise;
mod stamp;
#[cfg(test)]
mod tests;

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::{fmt, io};

use nearfar_view::text::count_of;
use serde::{Serialize, Serializer};

pub use binary_format::binary_format;
pub use builder::LogBuilder;
pub use event::{LogEvent, LogEventKind};
pub use kept::{kept_line, message_patterns};
pub use node_kill::{NodeBinding, NodeKill, node_kills};

/// Maximum size of a log. Relevant messages come in the first seconds of a boot.
const MAX_LOG_BYTES: u64 = 256 << 20;
/// Maximum length of a line; the kernel's have at most 1 KiB, and command lines 4 KiB.
const MAX_LINE_BYTES: usize = 8 << 10;

/// The decoded messages of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KernelLog {
    /// Path of the log; `None` without one.
    pub origin: Option<String>,
    /// The events in order; of several boots, the last.
    pub events: Vec<LogEvent>,
    /// Number of lines.
    pub lines: usize,
    /// Number of boots whose first line is in the log.
    pub boots: usize,
    /// Line number of the last boot's first line; 0 without one.
    pub last_boot_line: usize,
    /// Number of lines that are of the kernel.
    pub kernel_lines: usize,
    /// Line number of the kernel's last message that is whole: a cut log ends within one.
    #[serde(skip)]
    pub last_whole_line: usize,
    /// The different models that its boots name, at most two.
    pub machines: Vec<String>,
    /// What could not be read.
    pub missing: Vec<LogGap>,
}

impl KernelLog {
    /// Parses a text. Never fails: unknown lines are skipped.
    ///
    /// # References
    ///
    /// dmesg(1), Documentation/ABI/testing/dev-kmsg
    pub fn parse(text: &[u8]) -> Self {
        let mut log = LogBuilder::default();
        let text = &text[..text.len().min(MAX_LOG_BYTES as usize)];
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        if !text.is_empty() {
            text.split(|&byte| byte == b'\n').for_each(|line| log.add_line(line));
        }
        log.build()
    }

    /// Reads a log from a file or pipe, at most 256 MiB.
    ///
    /// # Errors
    ///
    /// Only those of `reader`; no content is an error.
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
            log.missing.push(LogGap::End { read_mib: MAX_LOG_BYTES >> 20 });
        }
        Ok(log)
    }

    /// Reads a log that the user named.
    ///
    /// # Errors
    ///
    /// Those of `file`, and `InvalidData` with a description if the file is no log.
    pub fn read_named(mut file: impl Read) -> io::Result<Self> {
        let mut head = Vec::new();
        file.by_ref().take(binary_format::HEAD_BYTES as u64).read_to_end(&mut head)?;
        let refused = |what: &str| Err(io::Error::new(ErrorKind::InvalidData, what));
        if let Some(what) = binary_format(&head) {
            return refused(what);
        }
        let log = Self::read_from(head.as_slice().chain(file))?;
        match () {
            () if log.machines.len() > 1 => refused(&format!(
                "it has boots of several machines ({}): give the log of one",
                log.machines.join("; ")
            )),
            () if !log.events.is_empty() || log.lines == 0 => Ok(log),
            () if binary_format::is_binary(&head) => {
                refused("it is binary data without a kernel message")
            }
            () if log.kernel_lines > 0 => refused(&format!(
                "it is a kernel log, and none of its {} lines is about memory or nodes: give the \
                 whole log, from the boot on",
                log.lines
            )),
            () => refused(&format!(
                "none of its {} lines is a message of the kernel that nearfar knows. Forms that \
                 are read: dmesg (any option), journalctl -k (any output), syslog, /dev/kmsg, a \
                 console, quotes of these",
                log.lines
            )),
        }
    }

    /// Whether the log has the beginning of a boot, so that a missing message means that the kernel
    /// did not print it.
    pub fn has_boot(&self) -> bool {
        self.boots > 0
    }

    /// Whether the kernel created a single node for all memory.
    pub fn faked(&self) -> bool {
        use LogEventKind::{Faking, NothingFound, TurnedOff};
        self.events
            .iter()
            .any(|event| matches!(event.kind, Faking { .. } | NothingFound | TurnedOff))
    }

    /// The kernel's command line in the log.
    pub fn command_line(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            LogEventKind::CommandLine { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// The machine's model in the log: "Dell Inc. PowerEdge R740/0ABC, BIOS 2.1 01/01/2020".
    pub fn hardware(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            LogEventKind::Hardware { name } => Some(name.as_str()),
            _ => None,
        })
    }

    /// The kernel's release in the log: "6.1.0-28-amd64".
    pub fn release(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            LogEventKind::LinuxVersion { release } => Some(release.as_str()),
            _ => None,
        })
    }
}

/// Reads the next line, cut to the maximum length. Returns false at the end.
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

/// A log, or a part of one, that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogGap {
    /// There is no log.
    NoLog,
    /// There may be one, and it was not sent.
    NotSent,
    /// A file that this user may not read, or that cannot be read.
    Unreadable {
        /// The file.
        path: String,
        /// The reason.
        why: String,
    },
    /// A file that is no text.
    NotText {
        /// The file.
        path: String,
        /// What it is instead.
        format: &'static str,
    },
    /// A file without a line.
    Empty {
        /// The file.
        path: String,
    },
    /// The end of a large file.
    End {
        /// What was read, MiB.
        read_mib: u64,
    },
    /// Lines that are not the kernel's.
    OtherLines {
        /// Their number.
        lines: usize,
        /// The number of all lines.
        of: usize,
    },
    /// All boots but the last.
    Boots {
        /// Number of boots.
        boots: usize,
        /// The first line of the last one.
        line: usize,
    },
}

impl LogGap {
    /// The file and the reason, if the file exists and cannot be read.
    pub fn unreadable(&self) -> Option<(&str, String)> {
        match self {
            Self::Unreadable { path, why } => Some((path, format!("unreadable: {why}"))),
            _ => None,
        }
    }
}

/// One line: "/dev/kmsg: unreadable: not root".
impl fmt::Display for LogGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLog => write!(f, "no kernel log was read"),
            Self::NotSent => write!(f, "the kernel's log was not sent"),
            Self::Unreadable { path, why } => write!(f, "{path}: unreadable: {why}"),
            Self::NotText { path, format } => write!(f, "{path}: {format}"),
            Self::Empty { path } => write!(f, "{path}: empty"),
            Self::End { read_mib } => {
                write!(f, "only the first {read_mib} MiB of the log were read")
            }
            Self::OtherLines { lines, of } => {
                write!(f, "{} not of the kernel", count_of(*lines, *of, "log line", "are"))
            }
            Self::Boots { boots, line } => {
                write!(f, "{boots} boots are in the log: the last counts, from line {line} on")
            }
        }
    }
}

impl Serialize for LogGap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
