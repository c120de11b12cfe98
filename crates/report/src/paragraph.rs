//! Sentences in lines that fit a terminal.

use crate::printable;

/// Characters of a line.
const WIDTH: usize = 110;

/// A text that takes one line at most.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = WIDTH - 20;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A text in lines, the first after `head`, the others after `indent`.
pub(crate) fn of(text: &str, head: &str, indent: &str) -> String {
    let clean = printable::line(text);
    let mut lines = String::new();
    let mut line = head.to_owned();
    let mut is_empty = true;
    for word in clean.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += line.trim_end();
            lines.push('\n');
            indent.clone_into(&mut line);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    lines + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_go_on_below_their_beginning() {
        let text = of(&"words ".repeat(40), "head  ", "      ");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.starts_with("head  words") && text.lines().nth(1).unwrap().starts_with("      words"), "{text}");
        assert_eq!(of("a\u{1b}[2Jb\nc", "", ""), "a\u{fffd}[2Jb\u{fffd}c\n");
    }
}
