//! Sentences in lines that fit the terminal.

use crate::terminal::{printable, width};
use crate::text::quoted_command;

/// Longer lines are hard to read, however wide the terminal is.
const LONGEST: usize = 100;
/// Units stay on the line of their number.
const UNITS: [&str; 13] =
    ["%", "ns", "µs", "ms", "s", "MB/s", "GB/s", "B", "KiB", "MiB", "GiB", "TiB", "GHz"];

/// Columns of a line of text.
pub fn line_width() -> usize {
    width::current().min(LONGEST)
}

/// A text cut to one line, with columns left for its label.
pub fn short(text: &str) -> String {
    const LABEL: usize = 20;
    match text.char_indices().nth(line_width() - LABEL) {
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A clause as a sentence: with a capital and a full stop.
pub fn sentence(clause: &str) -> String {
    capitalised(clause) + "."
}

/// A clause with a capital, as the beginning of a sentence. Options and paths stay as they are.
pub fn capitalised(clause: &str) -> String {
    if clause.split(' ').next().is_some_and(|word| word.contains(['=', '/', '_'])) {
        return clause.to_owned();
    }
    let mut letters = clause.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().to_string());
    first + letters.as_str()
}

/// A text in lines, the first after `head`, the others after `indent`.
pub fn of(text: &str, head: &str, indent: &str) -> String {
    let columns = line_width();
    let phrases = phrases(&printable::line(text), columns.saturating_sub(indent.chars().count()));
    let lines = filled(phrases, columns, head, indent);
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A text after a bold head.
pub fn with_bold_head(head: &str, text: &str, indent: &str) -> String {
    let bold = anstyle::Style::new().bold();
    let lines = of(text, head, indent);
    let rest = lines.strip_prefix(head.trim_end()).unwrap_or_default();
    format!("{bold}{}{bold:#}{rest}", head.trim_end())
}

/// A bold paragraph.
pub fn bold(text: &str) -> String {
    let bold = anstyle::Style::new().bold();
    of(text, "", "").lines().map(|line| format!("{bold}{line}{bold:#}\n")).collect()
}

/// Facts on as few lines as hold them, a dot between two; no fact is broken.
pub fn facts(facts: &[String], head: &str, indent: &str) -> String {
    let mut words: Vec<String> =
        facts.iter().map(|fact| format!("{} ·", printable::line(fact))).collect();
    if let Some(last) = words.last_mut() {
        last.truncate(last.trim_end_matches(" ·").len());
    }
    let lines = filled(words, line_width(), head, indent);
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A command on lines of its own, to be pasted.
pub fn command(command: &str, indent: &str) -> String {
    let lines = quoted_command::folded(&printable::line(command), line_width(), indent);
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A remark, in a list of them.
pub fn remark(text: &str) -> String {
    of(text, "-  ", "   ")
}

/// Words in lines of this width.
pub fn filled(
    words: impl IntoIterator<Item = String>,
    width: usize,
    head: &str,
    indent: &str,
) -> Vec<String> {
    let (mut lines, mut line, mut is_empty) = (Vec::new(), head.to_owned(), true);
    for word in words {
        // A long head has a line for itself.
        let has_text = !is_empty || line.chars().count() > indent.chars().count();
        let gap = usize::from(!is_empty);
        if has_text && line.chars().count() + gap + word.chars().count() > width {
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

/// The parts that no line break divides: a word, a number with its unit, a command.
pub(crate) fn phrases(text: &str, columns: usize) -> Vec<String> {
    let mut phrases = Vec::<String>::new();
    for word in quoted_command::unbroken(text, columns) {
        let is_unit = UNITS.contains(&word.trim_end_matches([',', '.', ';', ':', ')']));
        let follows_number = |last: &String| last.ends_with(|end: char| end.is_ascii_digit());
        match phrases.last_mut().filter(|last| is_unit && follows_number(last)) {
            Some(last) => *last += &format!(" {word}"),
            None => phrases.push(word),
        }
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_continue_under_their_head() {
        let text = of(&"words ".repeat(40), "head  ", "      ");
        assert!(text.lines().all(|line| line.chars().count() <= line_width()));
        assert!(text.starts_with("head  words"), "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("      words"), "{text}");
    }

    #[test]
    fn text_wraps_to_the_terminal_up_to_100_columns() {
        let longest = |columns| {
            let text = width::with(columns, || of(&"words ".repeat(60), "", ""));
            text.lines().map(|line| line.chars().count()).max().unwrap()
        };
        assert!((54..=60).contains(&longest(60)));
        assert!((94..=100).contains(&longest(300)));
    }

    #[test]
    fn a_number_keeps_its_unit() {
        let text = of(&format!("{} 5 %), and", "x".repeat(line_width() - 2)), "", "");
        assert!(text.ends_with("x\n5 %), and\n"), "{text}");
    }

    #[test]
    fn a_short_command_stays_on_one_line() {
        let text = of(&format!("{} 'nearfar run -N 0 PROGRAM'.", "x".repeat(90)), "", "");
        assert!(text.ends_with("x\n'nearfar run -N 0 PROGRAM'.\n"), "{text}");
    }

    #[test]
    fn a_long_command_is_folded_as_a_shell_reads_it() {
        let text =
            width::with(40, || of("Use 'nearfar run -N 0-3 -m 0-3 -- PROGRAM --all'.", "", " "));
        let expected = "Use 'nearfar run -N 0-3 -m 0-3 -- \\\n   PROGRAM --all'.\n";
        assert_eq!(text, expected);
        let alone = width::with(40, || command("nearfar run -N 0-3 -m 0-3 -- PROGRAM", "  "));
        assert_eq!(alone, "  nearfar run -N 0-3 -m 0-3 -- PROGRAM\n");
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(of("a\u{1b}[2Jb\nc", "", ""), "a\u{fffd}[2Jb\u{fffd}c\n");
    }

    #[test]
    fn no_fact_is_broken() {
        let text = facts(&vec!["x y".repeat(17); 3], "", "");
        assert_eq!(
            text.lines().map(|line| line.matches('y').count()).collect::<Vec<_>>(),
            [17, 17, 17]
        );
        assert_eq!(facts(&["a".to_owned(), "b c".to_owned()], "", ""), "a · b c\n");
    }
}
