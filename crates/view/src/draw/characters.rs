//! Text on a terminal: how many columns it takes, and what of it is shown.
//!
//! Nothing that a terminal would obey comes through, and nothing beyond ASCII where a terminal
//! shows no more.

use crate::draw::Screen;
use crate::draw::label::clean;
use crate::terminal::charset;

/// Columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(wide).sum()
}

/// Columns that the widest of these texts takes on the screen.
pub(crate) fn widest<'a>(texts: impl IntoIterator<Item = &'a String>, screen: &Screen) -> usize {
    texts.into_iter().map(|text| columns(&shown(text, screen))).max().unwrap_or(0)
}

fn wide(c: char) -> usize {
    let twice = matches!(u32::from(c),
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60
        | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3ffff);
    if twice { 2 } else { 1 }
}

/// The text in characters that the screen has.
pub(crate) fn shown(text: &str, screen: &Screen) -> String {
    let text = clean(text);
    if screen.unicode {
        return text.into_owned();
    }
    text.replace(" · ", ", ").chars().map(plain).collect()
}

fn plain(c: char) -> char {
    match c {
        c if c.is_ascii() => c,
        c => charset::sign(c).unwrap_or('?'),
    }
}

/// The text as the screen shows it, cut where it takes more columns than there are.
pub(crate) fn fitted(text: &str, room: usize, screen: &Screen) -> String {
    let text = shown(text, screen);
    if columns(&text) <= room {
        return text;
    }
    let mut cut = String::new();
    let mut taken = 1;
    for c in text.chars() {
        taken += wide(c);
        if taken > room {
            break;
        }
        cut.push(c);
    }
    if room > 0 {
        cut.push(if screen.unicode { '…' } else { '~' });
    }
    cut
}

/// The text in lines of at most `room` columns, each with its line feed; a word that is longer is
/// cut.
pub(crate) fn wrapped(text: &str, room: usize, screen: &Screen) -> Vec<String> {
    let text = shown(text, screen);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| fitted(line, room, screen) + "\n").collect()
}

/// The text at the left of a field of `room` columns.
pub(crate) fn left(text: &str, room: usize, screen: &Screen) -> String {
    let text = fitted(text, room, screen);
    let free = " ".repeat(room.saturating_sub(columns(&text)));
    text + &free
}

/// The text at the right of a field of `room` columns.
pub(crate) fn right(text: &str, room: usize, screen: &Screen) -> String {
    let text = fitted(text, room, screen);
    " ".repeat(room.saturating_sub(columns(&text))) + &text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_takes_the_room_it_has_and_no_more() {
        let ascii = Screen { unicode: false, ..Screen::PLAIN };
        assert_eq!(left("node 0", 8, &Screen::PLAIN), "node 0  ");
        assert_eq!(right("node 10", 5, &Screen::PLAIN), "node…");
        assert_eq!(left("µs – x", 4, &ascii), "us ~");
        assert_eq!(columns(&left("内存内存", 6, &Screen::PLAIN)), 6);
        assert_eq!(fitted("\u{1b}[31mred", 20, &ascii), "?[31mred");
        assert_eq!(fitted("ab", 0, &ascii), "");
    }
}
