//! Text of documents on a page: always text, never endless, with its commands set as commands.

use std::borrow::Cow;

use maud::{Markup, html};
use nearfar_view::text::next_command;

/// Characters of one text that are shown; the document has all of it.
const MOST: usize = 2_000;

/// The text as it may be shown: nothing in it turns the reading order, and it ends.
pub(super) fn words(text: &str) -> Cow<'_, str> {
    let clean = nearfar_view::terminal::printable::line(text);
    match clean.char_indices().nth(MOST) {
        None => clean,
        Some((end, _)) => Cow::Owned(format!(
            "{}… ({} characters more)",
            &clean[..end],
            clean[end..].chars().count()
        )),
    }
}

/// A sentence in which 'nearfar ...' stands for a command.
pub(super) fn sentence(text: &str) -> Markup {
    let text = words(text);
    let mut rest: &str = &text;
    let mut pieces = Vec::new();
    while let Some((before, command, after)) = next_command(rest) {
        pieces.push((before, command));
        rest = after;
    }
    html! {
        @for (before, command) in pieces { (before) code { (command) } }
        (rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_set_as_code() {
        let markup = sentence(
            "Near <b>: 'nearfar run -N 0 <x>' keeps it, and 'nearfar links' shows; it's so.",
        );
        assert_eq!(
            markup.into_string(),
            "Near &lt;b&gt;: <code>nearfar run -N 0 &lt;x&gt;</code> keeps it, and <code>nearfar \
             links</code> shows; it's so."
        );
    }

    #[test]
    fn endless_text_ends() {
        let text = "é".repeat(5_000);
        assert_eq!(words(&text).chars().filter(|c| *c == 'é').count(), MOST);
        assert!(words(&text).ends_with("… (3000 characters more)"));
    }
}
