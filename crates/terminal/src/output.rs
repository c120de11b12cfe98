//! Standard output: text with colours where the terminal has them, JSON, bytes. Standard error:
//! lines of status.

use std::io::{self, Write};

use serde::Serialize;
use thiserror::Error;

/// Why standard output was not written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// A full disk, a closed pipe.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
    /// A document that is no JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Prints text; colours are stripped for pipes, dumb terminals and `NO_COLOR`.
pub fn text(text: &str) -> Result<(), OutputError> {
    write(&mut anstream::stdout().lock(), text.as_bytes())
}

/// Writes bytes as they are.
pub fn bytes(bytes: &[u8]) -> Result<(), OutputError> {
    write(&mut io::stdout().lock(), bytes)
}

/// Prints a document as one line of JSON a human can still pipe through jq.
pub fn json(document: &impl Serialize) -> Result<(), OutputError> {
    text(&(serde_json::to_string(document)? + "\n"))
}

/// Prints a line on stderr. It may quote untrusted text, so control characters are replaced,
/// and it stays one line. An error of writing stderr is ignored.
pub fn aside(line: &str) {
    let mut clean = line.replace(char::is_control, "\u{fffd}");
    clean.push('\n');
    let _ = io::stderr().write_all(clean.as_bytes());
}

fn write(out: &mut impl Write, bytes: &[u8]) -> Result<(), OutputError> {
    out.write_all(bytes).and_then(|()| out.flush()).map_err(OutputError::Write)
}
