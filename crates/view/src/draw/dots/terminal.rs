//! Rows of dots in characters, a line a row.

use super::{DotRow, Dots};
use crate::draw::Screen;
use crate::draw::axis::Axis;
use crate::draw::characters::{fitted, left, widest};
use crate::draw::ruler::{Ruler, column};

/// The widest name and note, characters.
const NAME: usize = 24;
const NOTE: usize = 20;
/// The narrowest plot beside which notes are written, characters.
const PLOT: usize = 30;

/// A value, the middle half, a value in it, the median.
const MARKS: [char; 4] = ['·', '▒', '▓', '┃'];
const ASCII_MARKS: [char; 4] = ['.', '=', '#', '|'];

/// The rows in lines, and the axis below them.
pub(super) fn of(dots: &Dots, screen: &Screen) -> String {
    let width = screen.columns.clamp(24, 1000);
    let rows = dots.drawn();
    let names = widest(rows.iter().map(|row| &row.name), screen).min(NAME).min(width / 3);
    let notes = widest(rows.iter().map(|row| &row.note), screen).min(NOTE);
    let notes = if names + 2 + PLOT + notes <= width { notes } else { 0 };
    let wide = width - names - notes - 2;
    let ruler =
        Ruler::over(dots.on_axis(), &dots.across, (0.0, (wide - 1) as f64), wide.div_ceil(14));
    let mut text = String::new();
    for row in rows {
        let (name, marks) = (left(&row.name, names, screen), marks(row, &ruler.axis, wide, screen));
        text += format!("{name} {marks} {}", fitted(&row.note, notes, screen)).trim_end();
        text.push('\n');
    }
    text += &ruler.in_characters(names + 1, wide, 1.0, screen);
    let notes = dots.notes(dots.left_out(&ruler.axis));
    text.extend(notes.iter().map(|note| fitted(note, width, screen) + "\n"));
    text
}

fn marks(row: &DotRow, axis: &Axis, wide: usize, screen: &Screen) -> String {
    let [dot, half, both, median] = if screen.unicode { MARKS } else { ASCII_MARKS };
    let mut line = vec![' '; wide];
    let at = |value: f64| column(axis.place(value)).min(wide - 1);
    for [q1, _, q3] in row.boxes_on(axis) {
        line[at(q1)..=at(q3)].fill(half);
    }
    for value in row.values.iter().filter(|v| axis.holds(**v)) {
        let place = &mut line[at(*value)];
        *place = if *place == half || *place == both { both } else { dot };
    }
    for [_, middle, _] in row.boxes_on(axis) {
        line[at(middle)] = median;
    }
    line.into_iter().collect()
}
