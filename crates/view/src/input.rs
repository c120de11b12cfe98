//! Files from outside: what a user names, and what lies in folders of other machines.
//!
//! Such a path may lead to anything. [`open`] takes regular files and pipes, [`open_entry`] regular
//! files only: the user who names a folder did not choose what lies in it. Both look before they
//! open, since opening a device may already do something. Both refuse a file by its size before
//! they read, and count what they read, since pipes and files of the kernel have no size.
//!
//! A pipe that no program writes to is given up after some seconds. One that a program holds open
//! may stay silent: its program may be measuring.

mod opening;

use std::borrow::Cow;
use std::fs::FileType;
use std::io;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::time::Duration;

use nearfar_model::Bytes;
use thiserror::Error;

pub use opening::{Input, open, open_entry, read, read_entry};

/// What a path leads to instead of a file, or why there is no end to read up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    #[error("it is a folder, not a file")]
    Folder,
    #[error("it is a device, not a file")]
    Device,
    #[error("it is a socket, not a file")]
    Socket,
    #[error("it is a pipe, not a file")]
    Pipe,
    #[error("it is larger than {0}")]
    TooLarge(Bytes),
    #[error("it is a pipe, and no program wrote to it within {} s", .0.as_secs())]
    NoWriter(Duration),
    #[error("it has no more data yet, and no end")]
    NoEnd,
}

impl Refusal {
    /// Why a file of this type is not read; `None` for regular files, and for pipes if they are
    /// allowed.
    pub(crate) fn of_type(kind: FileType, allows_pipes: bool) -> Option<Self> {
        if kind.is_file() || (kind.is_fifo() && allows_pipes) {
            None
        } else if kind.is_fifo() {
            Some(Self::Pipe)
        } else if kind.is_dir() {
            Some(Self::Folder)
        } else if kind.is_socket() {
            Some(Self::Socket)
        } else {
            Some(Self::Device)
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal {
            Refusal::Folder => ErrorKind::IsADirectory,
            Refusal::TooLarge(_) => ErrorKind::FileTooLarge,
            Refusal::NoWriter(_) => ErrorKind::TimedOut,
            // WouldBlock would be tried again by some readers.
            Refusal::Device | Refusal::Socket | Refusal::Pipe | Refusal::NoEnd => {
                ErrorKind::InvalidInput
            }
        };
        Self::new(kind, refusal)
    }
}

/// Whether a file was refused because of its size.
pub fn is_too_large(error: &io::Error) -> bool {
    error.kind() == ErrorKind::FileTooLarge
}

/// The text without colours, marks of a quotation, and ends of lines of other systems.
///
/// Colours may have lost their escape character: `[4mGPU0[0m`. Marks are those of mail and Markdown
/// (`> `, `| `) at the start of a line.
pub fn unquoted(text: &str) -> String {
    let plain = without_colours(text).replace(['\r', '\u{feff}'], "").replace('\u{a0}', " ");
    let mut unquoted = String::with_capacity(plain.len());
    for line in plain.lines() {
        unquoted += without_marks(line);
        unquoted.push('\n');
    }
    unquoted
}

fn without_marks(line: &str) -> &str {
    let mut rest = line;
    while let Some(quoted) = rest.trim_start_matches(' ').strip_prefix(['>', '|']) {
        rest = quoted.strip_prefix(' ').unwrap_or(quoted);
    }
    rest
}

/// A text without colours and other sequences of a terminal. Colours may have lost their escape
/// character.
pub fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '[']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '[', '^']) {
        kept += &rest[..at];
        rest = &rest[at..];
        let length = escape_length(rest).max(1);
        if length == 1 && !rest.starts_with('\u{1b}') {
            kept += &rest[..1];
        }
        rest = &rest[length..];
    }
    Cow::Owned(kept + rest)
}

/// The length of the sequence at the start of a text; 0 for other text. Only colours may lack their
/// escape character.
fn escape_length(text: &str) -> usize {
    let is_whole = text.starts_with(['\u{1b}', '^']);
    let after = text.strip_prefix('\u{1b}').or_else(|| text.strip_prefix("^[")).unwrap_or(text);
    let Some(sequence) = after.strip_prefix('[') else { return 0 };
    let parameters =
        sequence.find(|c: char| !c.is_ascii_digit() && !";?:".contains(c)).unwrap_or_default();
    let last = sequence[parameters..].chars().next();
    // "[mem" and "[mlx5" are no colours.
    let is_sequence = match last {
        Some('m') => is_whole || parameters > 0,
        Some(last) => is_whole && last.is_ascii_alphabetic(),
        None => false,
    };
    let head = text.len() - sequence.len();
    if is_sequence { head + parameters + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_paste_adds_is_left_out() {
        for (pasted, expected) in [
            ("a\tb\r\nc", "a\tb\nc\n"),
            ("> \tGPU0\n>> x\n> > y\n", "\tGPU0\nx\ny\n"),
            ("| 5: 1\n|6: 2\n", "5: 1\n6: 2\n"),
            ("\u{1b}[4mGPU0\u{1b}[0m \u{1b}[2Kx", "GPU0 x\n"),
            ("\t[4mGPU0[0m", "\tGPU0\n"),
            ("^[[4mGPU0^[[0m", "GPU0\n"),
            ("\u{feff}a\u{a0}b\u{1b}", "a b\n"),
            ("a > b | c", "a > b | c\n"),
            ("[mem 0x0] [mlx5] [7m[0m", "[mem 0x0] [mlx5] \n"),
            ("ahci[0000:00:1f.2] x[3] x^[y", "ahci[0000:00:1f.2] x[3] x^[y\n"),
        ] {
            assert_eq!(unquoted(pasted), expected, "{pasted:?}");
        }
    }
}
