//! Untrusted text on a terminal: documents and captured machines come from anywhere, and may
//! contain control characters.
//!
//! Every table cleans its cells; text outside tables goes through [`line`] piece by piece,
//! or through [`lines`] as a whole where no colours are in it yet.

use std::borrow::Cow;

use nearfar_model::is_obeyed;

/// Replaces a control character.
const REPLACED: &str = "\u{fffd}";

/// The text in one line, without control characters.
pub fn line(text: &str) -> Cow<'_, str> {
    match text.contains(is_obeyed) {
        true => Cow::Owned(text.replace(is_obeyed, REPLACED)),
        false => Cow::Borrowed(text),
    }
}

/// The same for a text whose line feeds are wanted.
pub fn lines(text: &str) -> String {
    text.replace(|c| c != '\n' && is_obeyed(c), REPLACED)
}

/// The same for a text with colours, whose tabs are wanted, too. It is the last check of a text
/// whose pieces were cleaned: colours that a piece brings change nothing but colours.
pub fn coloured(text: &str) -> Cow<'_, str> {
    let is_replaced = |c: char| !matches!(c, '\n' | '\t') && is_obeyed(c);
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_replaced) {
        clean.push_str(&rest[..at]);
        let colour = colour_length(&rest[at..]);
        let length = colour.or_else(|| rest[at..].chars().next().map(char::len_utf8)).unwrap_or(1);
        clean.push_str(if colour.is_some() { &rest[at..at + length] } else { REPLACED });
        rest = &rest[at + length..];
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// Bytes of the sequence that sets colours (SGR), where the text begins with one.
fn colour_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters[end..].starts_with('m').then_some("\u{1b}[".len() + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(
            line("a\u{1b}[2J\r\nb\u{9b}\u{202e}c"),
            "a\u{fffd}[2J\u{fffd}\u{fffd}b\u{fffd}\u{fffd}c"
        );
        assert_eq!(lines("a\u{1b}\n\tb"), "a\u{fffd}\n\u{fffd}b");
        assert!(matches!(line("median ± 95 %"), Cow::Borrowed(_)));
    }

    #[test]
    fn only_colours_are_left_to_a_terminal() {
        let shown = "\u{1b}[1;31mred\u{1b}[0m\ta\n\u{1b}[m";
        assert_eq!(coloured(shown), shown);
        assert_eq!(
            coloured("\u{1b}[2J\u{1b}]0;x\u{7}\u{1b}[31\u{9b}mé\u{202e}\r\u{1b}"),
            "\u{fffd}[2J\u{fffd}]0;x\u{fffd}\u{fffd}[31\u{fffd}mé\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
