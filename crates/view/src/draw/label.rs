//! Text in pictures: how wide it is, and what of it is shown.
//!
//! Fonts differ, so widths are bounds and not measurements: a label that fits here fits in any of
//! the named fonts.

use std::borrow::Cow;

use nearfar_model::is_obeyed;

/// Size of a drawing's text, user units.
pub(crate) const SIZE: f64 = 13.0;
/// From one line of text to the next, user units.
pub(crate) const LINE: f64 = 18.0;

/// An upper bound of a text's width, user units, at [`SIZE`].
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(wide).sum::<f64>() * SIZE
}

/// The width of the widest of these texts.
pub(crate) fn widest(texts: impl IntoIterator<Item = impl AsRef<str>>) -> f64 {
    texts.into_iter().map(|text| width(text.as_ref())).fold(0.0, f64::max)
}

/// A character's width over the size of the text.
fn wide(c: char) -> f64 {
    match c {
        c if is_refused(c) => 1.05, // a replacement character
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.36,
        ' ' | 'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.45,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 1.0,
        'Æ' | 'æ' | 'Œ' | 'œ' | 'Ŵ' | '¼' | '½' | '¾' => 1.0,
        'A'..='Z' | '&' | '©' | '®' | 'ď' | 'ŉ' | 'ŵ' => 0.75,
        'À'..='ž' if c.is_uppercase() => 0.78,
        '\u{0}'..='\u{2ff}' => 0.64,
        _ => 1.05,
    }
}

/// The text without what XML cannot hold or what changes how its neighbours are read (control and
/// bidirectional characters).
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    match text.contains(is_refused) {
        true => Cow::Owned(text.replace(is_refused, "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

fn is_refused(c: char) -> bool {
    is_obeyed(c) || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// The text, clean, cut with an ellipsis where it is wider than the room (user units).
pub(crate) fn fitted(text: &str, room: f64) -> String {
    let text = clean(text);
    if width(&text) <= room {
        return text.into_owned();
    }
    let mut shown = String::new();
    let mut left = room - SIZE;
    for c in text.chars() {
        left -= wide(c) * SIZE;
        if left < 0.0 {
            break;
        }
        shown.push(c);
    }
    shown.push('…');
    shown
}

/// The text in lines that fit the room, at most `most` of them; the last one is cut where there is
/// more.
pub(crate) fn wrapped(text: &str, room: f64, most: usize) -> Vec<String> {
    let text = clean(text);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let full = lines.len() == most;
        match lines.last_mut() {
            Some(line) if full || width(line) + width(" ") + width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| fitted(line, room)).collect()
}
