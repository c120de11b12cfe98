//! Untrusted text on a terminal: documents and captured machines come from anywhere, and may
//! contain control characters.
//!
//! Every table cleans its cells; text outside tables goes through [`line`] piece by piece,
//! or through [`lines`] as a whole where no colours are in it yet.

use std::borrow::Cow;

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

/// Control characters, and those that turn the order of what is read or break lines (Unicode's
/// bidirectional controls and separators).
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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
}
