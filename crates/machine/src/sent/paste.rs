//! The parts of a paste, by lines that begin a form.

use nearfar_view::input::without_colours;

use super::forms::{FORMS, Form, KERNEL_LOG};
use super::json_depth::JsonDepth;

/// A part of a text.
pub(super) struct Piece<'t> {
    pub(super) form: &'static Form,
    /// Its first line in the file.
    pub(super) line: usize,
    pub(super) text: &'t str,
}

/// A text without colours, ends of lines of other systems, and marks of a quotation.
///
/// Marks of tables stay: trees of `lspci` are drawn with them.
pub(super) fn cleaned(text: &str) -> String {
    let plain = without_colours(text);
    let mut cleaned = String::with_capacity(plain.len());
    for line in plain.lines() {
        let mut rest = line.trim_end_matches('\r').trim_start_matches('\u{feff}');
        while let Some(quoted) = rest.trim_start_matches(' ').strip_prefix('>') {
            rest = quoted.strip_prefix(' ').unwrap_or(quoted);
        }
        if rest.contains('\u{a0}') {
            cleaned += &rest.replace('\u{a0}', " ");
        } else {
            cleaned += rest;
        }
        cleaned.push('\n');
    }
    cleaned
}

/// The parts, in order. What stands before the first known line may be a log.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut open = Open::new(KERNEL_LOG, 1, 0, "");
    let mut at = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let end = at + line.len();
        let trimmed = line.trim();
        if let Some(form) = begun_by(trimmed, &open) {
            open.close(text, at, &mut pieces);
            open = Open::new(form, number, at, key(trimmed));
        }
        if open.ends_with(trimmed) {
            open.close(text, end, &mut pieces);
            open = Open::new(KERNEL_LOG, number + 1, end, "");
        }
        at = end;
    }
    open.close(text, text.len(), &mut pieces);
    pieces
}

/// The form that a line begins, unless it belongs to the part that is open.
fn begun_by(line: &str, open: &Open<'_>) -> Option<&'static Form> {
    // Text of a topology file is its own.
    if line.is_empty() || open.form.end().is_some() || open.is_inside_json(line) {
        return None;
    }
    let form = FORMS.iter().find(|form| (form.begins)(line))?;
    // The same output once more begins with the same line; each line of a log may begin one.
    let is_same = form.name == open.form.name;
    let goes_on = is_same && (form.goes_on || open.first != key(line));
    (!goes_on).then_some(form)
}

/// What the first line of an output has each time: the name of its value.
fn key(line: &str) -> &str {
    line.split(':').next().unwrap_or(line)
}

struct Open<'t> {
    form: &'static Form,
    line: usize,
    start: usize,
    /// The key of its first line.
    first: &'t str,
    json: Option<JsonDepth>,
}

impl<'l> Open<'l> {
    fn new(form: &'static Form, line: usize, start: usize, first: &'l str) -> Self {
        Self { form, line, start, first, json: None }
    }

    /// Whether a line belongs to a JSON value that is open.
    fn is_inside_json(&self, line: &str) -> bool {
        self.json.is_some() && JsonDepth::may_have(line)
    }

    /// Whether the part ends with this line.
    fn ends_with(&mut self, line: &str) -> bool {
        if self.form.is_json {
            return !self.json.get_or_insert_with(JsonDepth::default).add(line);
        }
        self.form.end().is_some_and(|mark| line.contains(mark))
    }

    fn close<'t>(&self, text: &'t str, end: usize, pieces: &mut Vec<Piece<'t>>) {
        let text = &text[self.start..end];
        if !text.trim().is_empty() {
            pieces.push(Piece { form: self.form.of_text(text), line: self.line, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(&'static str, usize)> {
        let text = cleaned(text);
        pieces(&text).iter().map(|piece| (piece.form.name, piece.line)).collect()
    }

    #[test]
    fn a_paste_is_split_where_outputs_begin() {
        let paste = "Hello,\n\n```\n$ lscpu\nArchitecture:   x86_64\nCPU(s): 2\n$ numactl -H\n\
                     available: 1 nodes (0)\nnode 0 cpus: 0 1\n<topology version='2.0'>\n\
                     available: 9 nodes\n</topology>\n[    0.000000] Linux version 6.1\n\
                     [    0.000000] NUMA turned off\n";
        assert_eq!(
            names(paste),
            [
                ("kernel log", 1),
                ("lscpu", 5),
                ("numactl -H", 8),
                ("XML of hwloc", 10),
                ("kernel log", 13),
            ]
        );
        let quoted = paste.replace('\n', "\r\n> ");
        assert_eq!(names(&quoted), names(paste));
    }
}
