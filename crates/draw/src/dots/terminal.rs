//! Rows of dots in characters, a line a row.

use super::{DotRow, Dots};
use crate::Screen;
use crate::axis::Axis;
use crate::characters::{columns, fitted, left, shown};
use crate::ruler::{Ruler, column};

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
    let widest =
        |words: fn(&DotRow) -> &str| rows.iter().map(|row| columns(&shown(words(row), screen))).max().unwrap_or(0);
    let names = widest(|row| &row.name).min(NAME).min(width / 3);
    let notes = widest(|row| &row.note).min(NOTE);
    let notes = if names + 2 + PLOT + notes <= width { notes } else { 0 };
    let wide = width - names - notes - 2;
    #[allow(clippy::cast_precision_loss)]
    let ruler = Ruler::over(dots.on_axis(), &dots.across, (0.0, (wide - 1) as f64), wide.div_ceil(14));
    let left_out = rows.iter().flat_map(|row| &row.values).filter(|v| !ruler.axis.holds(**v)).count();
    let mut text = String::new();
    for row in rows {
        let line = format!(
            "{} {} {}",
            left(&row.name, names, screen),
            marks(row, &ruler.axis, wide, screen),
            fitted(&row.note, notes, screen)
        );
        text += line.trim_end();
        text.push('\n');
    }
    text += &ruler.in_characters(names + 1, wide, 1.0, screen);
    for remark in dots.remarks(left_out) {
        text += &fitted(&remark, width, screen);
        text.push('\n');
    }
    text
}

fn marks(row: &DotRow, axis: &Axis, wide: usize, screen: &Screen) -> String {
    let [dot, half, both, median] = if screen.unicode { MARKS } else { ASCII_MARKS };
    let mut line = vec![' '; wide];
    let at = |value: f64| column(axis.place(value)).min(wide - 1);
    let quartiles = row.box_of().filter(|q| q.iter().all(|v| axis.holds(*v)));
    if let Some([q1, _, q3]) = quartiles {
        line[at(q1)..=at(q3)].fill(half);
    }
    for value in row.values.iter().filter(|v| axis.holds(**v)) {
        let place = &mut line[at(*value)];
        *place = if *place == half || *place == both { both } else { dot };
    }
    if let Some([_, middle, _]) = quartiles {
        line[at(middle)] = median;
    }
    line.into_iter().collect()
}
