//! Background shades by cost relative to the row's nearest memory: the eye finds far memory before
//! it reads a number.

use anstyle::{Ansi256Color, Color, Style};
use nearfar_view::terminal::table::Entry;

/// Ratio from which a shade holds, and its colour in the 256-colour cube: green, yellow, orange,
/// red, all light enough for black text.
const SHADES: [(f64, u8); 5] = [(2.5, 174), (1.6, 216), (1.25, 222), (1.05, 229), (0.0, 157)];

/// A cell's text on the shade of its ratio to local.
pub(crate) fn shaded(text: &str, ratio: Option<f64>) -> Entry {
    let Some(ratio) = ratio else { return text.into() };
    let colour = SHADES.iter().find(|(from, _)| ratio >= *from).map_or(157, |(_, colour)| *colour);
    let black = Color::Ansi256(Ansi256Color(16));
    let style =
        Style::new().bg_color(Some(Color::Ansi256(Ansi256Color(colour)))).fg_color(Some(black));
    Entry::styled(text, style)
}
