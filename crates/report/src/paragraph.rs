//! Sentences in lines that fit a terminal.

use nearfar_terminal::printable;

/// Characters of a line.
const WIDTH: usize = 110;
/// What is not parted from its number.
const UNITS: [&str; 7] = ["%", "ns", "s", "GB/s", "KiB", "MiB", "GiB"];

/// A text that takes one line at most.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = WIDTH - 20;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A clause as a sentence: with a capital and a full stop.
pub(crate) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().to_string());
    format!("{first}{}{}", letters.as_str(), if clause.ends_with('.') { "" } else { "." })
}

/// A text in lines, the first after `head`, the others after `indent`.
pub(crate) fn of(text: &str, head: &str, indent: &str) -> String {
    let lines = filled(phrases(&printable::line(text)), WIDTH, head, indent);
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A remark, in a list of them.
pub(crate) fn remark(text: &str) -> String {
    of(text, "-  ", "   ")
}

/// Words in lines of this width.
pub(crate) fn filled(
    words: impl IntoIterator<Item = String>,
    width: usize,
    head: &str,
    indent: &str,
) -> Vec<String> {
    let (mut lines, mut line, mut is_empty) = (Vec::new(), head.to_owned(), true);
    for word in words {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += &word;
        is_empty = false;
    }
    lines.push(line);
    lines
}

/// What stands together on a line: a word, or a number with its unit.
fn phrases(text: &str) -> Vec<String> {
    let mut phrases = Vec::<String>::new();
    for word in text.split_whitespace() {
        let is_unit = UNITS.contains(&word.trim_end_matches([',', '.', ';', ':', ')']));
        let follows_number = |last: &String| last.ends_with(|end: char| end.is_ascii_digit());
        match phrases.last_mut().filter(|last| is_unit && follows_number(last)) {
            Some(last) => *last += &format!(" {word}"),
            None => phrases.push(word.to_owned()),
        }
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_go_on_below_their_beginning() {
        let text = of(&"words ".repeat(40), "head  ", "      ");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(
            text.starts_with("head  words")
                && text.lines().nth(1).unwrap().starts_with("      words"),
            "{text}"
        );
        let parted = of(&format!("{} 5 %), and", "x".repeat(WIDTH - 2)), "", "");
        assert!(parted.ends_with("x\n5 %), and\n"), "{parted}");
        assert_eq!(of("a\u{1b}[2Jb\nc", "", ""), "a\u{fffd}[2Jb\u{fffd}c\n");
    }
}
