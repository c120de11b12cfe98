//! The mark-up of sentences: a command of nearfar stands in quotes, as in "'nearfar links' lists
//! them". Pages set it as a command, and no line break divides a short one.

/// What begins a command.
const OPEN: &str = "'nearfar";
const CLOSE: char = '\'';

/// What stands before the first command of a sentence, the command, and what stands after it.
pub fn next_command(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(&format!("{OPEN} "))?;
    let end = start + 1 + text[start + 1..].find(CLOSE)?;
    Some((&text[..start], &text[start + 1..end], &text[end + 1..]))
}

/// Whether words are the start of a command, without its end.
pub(super) fn is_open(words: &str) -> bool {
    words.starts_with(OPEN) && !words[1..].contains(CLOSE)
}
