//! Rows of dots as SVG.

use std::fmt::Write;

use maud::{Markup, html};

use super::{DotRow, Dots, MAX_DOTS};
use crate::draw::Drawing;
use crate::draw::axis::Axis;
use crate::draw::canvas::{all, line, lines, n, rectangle, text, with_tooltip};
use crate::draw::figure::precise;
use crate::draw::label::{SIZE, fitted, widest};
use crate::draw::ruler::{BELOW, Ruler};
use crate::draw::svg::WIDTH;
use crate::draw::thinned::thinned;

/// The most room for a name and for a note, user units.
const NAME_ROOM: f64 = 200.0;
const NOTE_ROOM: f64 = 200.0;
/// The height of a row and of its box, user units.
const ROW: f64 = 36.0;
const BOX: f64 = 22.0;
/// The width of a dot and of the line at the median, user units.
const DOT: f64 = 5.0;
const MEDIAN: f64 = 3.0;

pub(super) fn of(dots: &Dots) -> Drawing {
    let rows = dots.drawn();
    let left = widest(rows.iter().map(|row| &row.name)).min(NAME_ROOM) + 12.0;
    let right = WIDTH - widest(rows.iter().map(|row| &row.note)).min(NOTE_ROOM) - 12.0;
    let ruler = Ruler::over(dots.on_axis(), &dots.across, (left, right), 8);
    let bottom = rows.len() as f64 * ROW + 4.0;
    let drawn = rows
        .iter()
        .zip(0u32..)
        .map(|(row, k)| one(row, &ruler.axis, (f64::from(k) + 0.5) * ROW, (left, right)));
    let notes = dots.notes(dots.left_out(&ruler.axis));
    let (notes, end) =
        lines("q", (0.0, bottom + BELOW), notes.iter().map(|note| fitted(note, WIDTH)));
    let body = html! { (ruler.below((left, right), (0.0, bottom))) (all(drawn)) (notes) };
    Drawing { width: WIDTH, height: end + 4.0, body }
}

/// Name, box, dots and note of one row, its middle at `y`.
fn one(row: &DotRow, axis: &Axis, y: f64, (left, right): (f64, f64)) -> Markup {
    let boxes: Vec<[f64; 3]> =
        row.boxes_on(axis).map(|quartiles| quartiles.map(|v| axis.place(v))).collect();
    let body = html! {
        (text("t e", left - 12.0, y + SIZE * 0.35, &fitted(&row.name, NAME_ROOM)))
        (line("g", (left, y), (right, y)))
        @for &[from, _, to] in &boxes {
            (rectangle("p", (from, y - BOX / 2.0), (to - from, BOX), 2.0))
        }
        (cloud(row, axis, y))
        @for &[_, median, _] in &boxes {
            (rectangle("k", (median - MEDIAN / 2.0, y - BOX / 2.0 - 2.0), (MEDIAN, BOX + 4.0), 0.0))
        }
        (text("q", right + 12.0, y + SIZE * 0.35, &fitted(&row.note, NOTE_ROOM)))
    };
    with_tooltip(&row_text(row), &body)
}

/// The values as dots: lines of no length with round ends, in one element. Later runs are lower, so
/// that a drift is seen.
fn cloud(row: &DotRow, axis: &Axis, y: f64) -> Markup {
    let dots: Vec<f64> = thinned(&row.values, MAX_DOTS).copied().collect();
    let mut path = String::new();
    for (k, value) in dots.iter().enumerate().filter(|(_, value)| axis.holds(**value)) {
        let late = if dots.len() > 1 { k as f64 / (dots.len() - 1) as f64 - 0.5 } else { 0.0 };
        let _ = write!(path, "M{} {}h0", n(axis.place(*value)), n(y + late * (BOX - DOT)));
    }
    if path.is_empty() {
        return html! {};
    }
    html! {
        path class="s0" stroke-width=(n(DOT)) stroke-linecap="round" stroke-opacity="0.75"
            d=(path) {}
    }
}

/// A row in a sentence.
fn row_text(row: &DotRow) -> String {
    let mut words = format!("{}: {} values", fitted(&row.name, NAME_ROOM), row.values.len());
    if let Some([low, high]) = row.extremes() {
        let _ = write!(words, " from {} to {}", precise(low), precise(high));
    }
    for [q1, median, q3] in row.sound_boxes() {
        let _ = write!(
            words,
            ", median {}, middle half {} to {}",
            precise(median),
            precise(q1),
            precise(q3)
        );
    }
    if !row.note.is_empty() {
        let _ = write!(words, "; {}", fitted(&row.note, NOTE_ROOM));
    }
    words
}
