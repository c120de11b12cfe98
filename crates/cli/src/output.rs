//! Standard output: text with colours where the terminal wants them, JSON, CSV. Standard error: a line on the side.

use std::io::{self, Write};

use anyhow::Context;
use serde::Serialize;

/// Prints text; colours are stripped for pipes, dumb terminals and `NO_COLOR`.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Writes bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Writes a file that is of no use unless it is whole.
pub(crate) fn file(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(unfinished_file)
}

/// Prints a document as one line of JSON a human can still pipe through jq.
pub(crate) fn json(document: &impl Serialize) -> anyhow::Result<()> {
    let mut json = serde_json::to_string(document)?;
    json.push('\n');
    text(&json)
}

/// Prints a line on stderr. It may quote what strangers wrote, so nothing in it commands the terminal, and it stays one line. Where
/// stderr cannot be written there is nobody left to tell.
pub(crate) fn aside(line: &str) {
    let mut clean = line.replace(char::is_control, "\u{fffd}");
    clean.push('\n');
    let _ = std::io::stderr().write_all(clean.as_bytes());
}

/// Why a file was not written to standard output whole. Half an archive is a failure even where the
/// reader wanted no more.
pub(crate) fn unfinished_file(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => anyhow::anyhow!("the reader of standard output stopped before the file's end"),
        _ => anyhow::Error::new(error).context("cannot write to standard output"),
    }
}
