//! Text that passed through a terminal, a mail or a web page before it was saved.

use std::borrow::Cow;

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
