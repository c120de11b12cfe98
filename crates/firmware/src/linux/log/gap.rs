//! What a log lacks.

use std::fmt;

use serde::{Serialize, Serializer};

/// A log, or a part of one, that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogGap {
    /// There is no log.
    NoLog,
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
            Self::NoLog => write!(f, "the kernel's log: there is none"),
            Self::Unreadable { path, why } => write!(f, "{path}: unreadable: {why}"),
            Self::NotText { path, format } => write!(f, "{path}: {format}"),
            Self::Empty { path } => write!(f, "{path}: empty"),
            Self::End { read_mib } => {
                write!(f, "only the first {read_mib} MiB of the log were read")
            }
            Self::OtherLines { lines, of } => {
                write!(f, "{lines} of {of} lines are not of the kernel")
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
