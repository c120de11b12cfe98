//! The mark-up of sentences: a command stands in quotes, as in "'nearfar links' lists them". Pages
//! set it as a command, and on a screen it can be pasted.
//!
//! One rule for all commands on a screen: a command moves to the next line as a whole. One that is
//! longer than a line breaks only at blanks outside its own quotes, behind a backslash: the shell
//! reads its lines as one.

use std::ops::Range;

/// What begins a command.
const OPEN: &str = "'nearfar";
const CLOSE: char = '\'';
/// Programs that sentences quote with their arguments.
const PROGRAMS: [&str; 8] =
    ["nearfar", "sudo", "nvidia-smi", "lstopo", "journalctl", "dmidecode", "systemd-run", "sysctl"];
/// What continues a line of a shell.
const CONTINUED: &str = " \\";
/// How much further to the right a command continues.
const FURTHER: &str = "  ";
/// Quoted words that are no command stay together up to this length.
const MAX_TOGETHER: usize = 50;
const PUNCTUATION: [char; 7] = ['.', ',', ';', ':', '?', ')', '"'];

/// What stands before the first command of a sentence, the command, and what stands after it.
pub fn next_command(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(&format!("{OPEN} "))?;
    let end = start + 1 + text[start + 1..].find(CLOSE)?;
    Some((&text[..start], &text[start + 1..end], &text[end + 1..]))
}

/// A command in lines of at most this many columns. A longer word stays whole.
pub(crate) fn folded(command: &str, columns: usize, indent: &str) -> Vec<String> {
    let width = |text: &str| text.chars().count();
    if width(indent) + width(command) <= columns {
        return vec![format!("{indent}{command}")];
    }
    let (mut lines, mut line, mut is_empty) = (Vec::new(), indent.to_owned(), true);
    let mut words = shell_words(command).into_iter().peekable();
    while let Some(word) = words.next() {
        let mark = if words.peek().is_some() { CONTINUED.len() } else { 0 };
        if !is_empty && width(&line) + 1 + width(word) + mark > columns {
            lines.push(line + CONTINUED);
            line = format!("{indent}{FURTHER}");
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += word;
        is_empty = false;
    }
    lines.push(line);
    lines
}

/// Words of a text, and quoted words together: what no line break divides. A command that is longer
/// than a line is in several, each a line.
pub(crate) fn unbroken(text: &str, columns: usize) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let length = quoted_words(&words[at..]);
        let joined = words[at..at + length].join(" ");
        match length {
            1 => all.push(joined),
            _ => all.extend(folded_in_quotes(&joined, columns)),
        }
        at += length;
    }
    all
}

/// "'nearfar run ... \" and "  PROGRAM'.".
fn folded_in_quotes(phrase: &str, columns: usize) -> Vec<String> {
    let open = phrase.find(CLOSE).map_or(0, |at| at + 1);
    let close = phrase.rfind(CLOSE).unwrap_or(phrase.len()).max(open);
    let around = phrase.chars().count() - phrase[open..close].chars().count();
    let mut lines = folded(&phrase[open..close], columns.saturating_sub(around).max(1), "");
    lines[0].insert_str(0, &phrase[..open]);
    if let Some(last) = lines.last_mut() {
        *last += &phrase[close..];
    }
    lines
}

/// How many of these words the quotes around the first hold together; 1 without quotes.
fn quoted_words(words: &[&str]) -> usize {
    let closes = |word: &str| word.trim_end_matches(PUNCTUATION).ends_with(CLOSE);
    let Some(first) = words[0].trim_start_matches('(').strip_prefix(CLOSE) else { return 1 };
    if closes(first) {
        return 1;
    }
    let Some(last) = words.iter().skip(1).position(|word| closes(word)) else { return 1 };
    let length = last + 2;
    let is_short = words[..length].iter().map(|word| word.len() + 1).sum::<usize>() < MAX_TOGETHER;
    if is_short || PROGRAMS.contains(&first) { length } else { 1 }
}

/// Where the quoted commands of a line are.
pub(super) fn ranges(line: &str) -> Vec<Range<usize>> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(open) = line[from..].find(CLOSE).map(|at| from + at) {
        let inner = &line[open + 1..];
        let program = inner.split(' ').next().unwrap_or_default();
        match inner.find(CLOSE).filter(|_| PROGRAMS.contains(&program)) {
            Some(length) => {
                all.push(open..open + length + 2);
                from = open + length + 2;
            }
            None => from = open + 1,
        }
    }
    all
}

/// Words of a shell: blanks within quotes do not end them.
fn shell_words(command: &str) -> Vec<&str> {
    let (mut words, mut start, mut quote) = (Vec::new(), None, None);
    for (at, c) in command.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                start.get_or_insert(at);
            }
            (None, ' ') => words.extend(start.take().map(|start: usize| &command[start..at])),
            _ => {
                start.get_or_insert(at);
            }
        }
    }
    words.extend(start.map(|start| &command[start..]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_folded_command_as_one() {
        let command = "scontrol update nodename=n1,n2 state=drain reason='slower (nearfar)' -f";
        let lines = folded(command, 30, "  ");
        assert_eq!(
            lines,
            [
                "  scontrol update \\",
                "    nodename=n1,n2 \\",
                "    state=drain \\",
                "    reason='slower (nearfar)' \\",
                "    -f"
            ]
        );
        assert_eq!(folded("nearfar show 3", 40, "  "), ["  nearfar show 3"]);
        let long = "x".repeat(50);
        assert_eq!(
            folded(&format!("cat {long}"), 20, ""),
            ["cat \\".to_owned(), format!("  {long}")]
        );
    }

    #[test]
    fn quoted_words_are_one() {
        let text = "use ('nearfar run -N 0 PROGRAM'), not 'taskset' or it's CPUs' own.";
        let words = unbroken(text, 80);
        assert_eq!(words[1], "('nearfar run -N 0 PROGRAM'),");
        assert_eq!(words.len(), 8, "{words:?}");
        assert_eq!(
            unbroken("'nearfar run -N 0 -m 0 PROGRAM'.", 20),
            ["'nearfar run -N \\", "  0 -m 0 PROGRAM'."]
        );
        let open = unbroken("'nearfar run is open", 80);
        assert_eq!(open.len(), 4, "{open:?}");
    }

    #[test]
    fn commands_of_a_line_are_found() {
        let line = "it's 'nearfar links' and 'sudo x y', 'other words'";
        let found: Vec<&str> = ranges(line).into_iter().map(|range| &line[range]).collect();
        assert_eq!(found, ["'nearfar links'", "'sudo x y'"]);
    }
}
