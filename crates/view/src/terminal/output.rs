//! Standard output: text with colours where the terminal has them, JSON, bytes. Standard error:
//! lines of status.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use nearfar_model::json_line;
use serde::Serialize;
use thiserror::Error;

use crate::terminal::{charset, printable};

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

/// What moves a terminal's cursor to its corner and clears it.
const CLEARED: &[u8] = b"\x1b[H\x1b[2J";

/// Prints text for people, in signs of the locale; colours are stripped for pipes, dumb terminals
/// and `NO_COLOR`. What else a terminal obeys is replaced.
pub fn text(text: &str) -> Result<(), OutputError> {
    data(&charset::shown(text))
}

/// The same for text that programs read: CSV, HTML, metrics. It is the same in any locale.
pub fn data(text: &str) -> Result<(), OutputError> {
    write(&mut anstream::stdout().lock(), printable::coloured(text).as_bytes())
}

/// Prints text on a cleared terminal. Elsewhere, and where `NO_COLOR` removes escape sequences, it
/// follows what is there.
pub fn text_on_clear(text: &str) -> Result<(), OutputError> {
    let mut out = anstream::stdout().lock();
    if io::stdout().is_terminal() {
        write(&mut out, CLEARED)?;
    }
    write(&mut out, printable::coloured(&charset::shown(text)).as_bytes())
}

/// Writes bytes as they are.
pub fn bytes(bytes: &[u8]) -> Result<(), OutputError> {
    write(&mut io::stdout().lock(), bytes)
}

/// Prints a document as one line of JSON a human can still pipe through jq.
pub fn json(document: &impl Serialize) -> Result<(), OutputError> {
    bytes(json_line(document)?.as_bytes())
}

/// Prints a line on stderr. It may quote untrusted text, so what a terminal obeys is replaced,
/// and it stays one line. An error of writing stderr is ignored.
pub fn aside(line: &str) {
    let clean = charset::shown(&printable::line(line)).into_owned() + "\n";
    let _ = io::stderr().write_all(clean.as_bytes());
}

/// Progress and notes of success end here where the user wants quiet.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Prints no [`status`] from now on.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether [`be_quiet`] was called.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints a line on stderr about what is done or will be done: no warning, no error.
pub fn status(line: &str) {
    if !is_quiet() {
        aside(line);
    }
}

fn write(out: &mut impl Write, bytes: &[u8]) -> Result<(), OutputError> {
    out.write_all(bytes).and_then(|()| out.flush()).map_err(OutputError::Write)
}
