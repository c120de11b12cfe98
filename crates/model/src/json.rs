//! JSON that shows a terminal nothing to obey.
//!
//! Names in documents come from other programs, archives and other users. JSON escapes control
//! characters below U+0020 alone: the others are escaped here, so that `--json` and a file on a
//! screen are harmless, and every reader of JSON has the same text back.

use std::io::{self, Write};

use serde::Serialize;

use crate::is_obeyed;

/// Writes a document in one line, without a line break behind it.
pub fn write_json(out: impl Write, document: &impl Serialize) -> serde_json::Result<()> {
    serde_json::to_writer(EscapingWriter(out), document)
}

/// Writes a document with a line for each of its values.
pub fn write_indented_json(out: impl Write, document: &impl Serialize) -> serde_json::Result<()> {
    serde_json::to_writer_pretty(EscapingWriter(out), document)
}

/// A document as a line, with its line break.
pub fn json_line(document: &impl Serialize) -> serde_json::Result<String> {
    let mut line = Vec::new();
    write_json(&mut line, document)?;
    line.push(b'\n');
    String::from_utf8(line).map_err(|error| serde_json::Error::io(io::Error::other(error)))
}

/// Escapes what is obeyed. All other than ASCII is within strings, which come in whole pieces.
struct EscapingWriter<W>(W);

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if piece.iter().all(|byte| *byte < 0x7f) {
            self.0.write_all(piece)?;
            return Ok(piece.len());
        }
        let text = std::str::from_utf8(piece).map_err(io::Error::other)?;
        for part in text.split_inclusive(is_escaped) {
            let last = part.chars().next_back().filter(|c| is_escaped(*c));
            self.0.write_all(part.strip_suffix(is_escaped).unwrap_or(part).as_bytes())?;
            for unit in last.into_iter().flat_map(|c| c.encode_utf16(&mut [0; 2]).to_vec()) {
                write!(self.0, "\\u{unit:04x}")?;
            }
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What is below U+007F is escaped already within strings, and a line break between values.
fn is_escaped(c: char) -> bool {
    c >= '\u{7f}' && is_obeyed(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_is_escaped_and_comes_back() {
        let name = "é\u{1b}\u{7f}a\u{9b}2J\u{202e}b\u{61c}\u{2069}\u{e0041}\n";
        let line = json_line(&[name]).unwrap();
        assert_eq!(
            line,
            "[\"é\\u001b\\u007fa\\u009b2J\\u202eb\\u061c\\u2069\\udb40\\udc41\\n\"]\n"
        );
        assert_eq!(serde_json::from_str::<[String; 1]>(&line).unwrap(), [name]);
        let mut indented = Vec::new();
        write_indented_json(&mut indented, &[name]).unwrap();
        assert_eq!(serde_json::from_slice::<[String; 1]>(&indented).unwrap(), [name]);
        assert_eq!(indented.iter().filter(|byte| **byte == b'\n').count(), 2);
    }
}
