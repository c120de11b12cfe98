//! Standard output: text with colours where the terminal wants them. Standard error: a line on the side.

use std::io::Write;

use anyhow::Context;

/// Prints text; colours are stripped for pipes, dumb terminals and `NO_COLOR`.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Prints a line on stderr. It may quote what a guest wrote, so nothing in it commands the terminal, and it stays one line. Where
/// stderr cannot be written there is nobody left to tell.
pub(crate) fn aside(line: &str) {
    let mut clean = line.replace(char::is_control, "\u{fffd}");
    clean.push('\n');
    let _ = std::io::stderr().write_all(clean.as_bytes());
}
