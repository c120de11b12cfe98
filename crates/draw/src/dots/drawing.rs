//! Rows of dots as SVG.

use std::fmt::Write;

use maud::{Markup, html};

use super::{DotRow, Dots, MOST_DOTS};
use crate::Drawing;
use crate::axis::Axis;
use crate::canvas::{all, line, n, rectangle, text, told};
use crate::figure::precise;
use crate::label::{LINE, SIZE, fitted, width};
use crate::ruler::{BELOW, Ruler};
use crate::svg::WIDTH;
use crate::thinned::thinned;

/// The most room for a name and for a note, user units.
const NAME_ROOM: f64 = 200.0;
const NOTE_ROOM: f64 = 200.0;
/// The height of a row and of its box, user units.
const ROW: f64 = 36.0;
const BOX: f64 = 22.0;
/// The width of a dot and of the line at the median, user units.
const DOT: f64 = 5.0;
const MEDIAN: f64 = 3.0;

/// The rows, drawn.
pub(super) fn of(dots: &Dots) -> Drawing {
    let rows = dots.drawn();
    let room =
        |words: fn(&DotRow) -> &str, most: f64| rows.iter().map(|row| width(words(row))).fold(0.0, f64::max).min(most);
    let left = room(|row| &row.name, NAME_ROOM) + 12.0;
    let right = WIDTH - room(|row| &row.note, NOTE_ROOM) - 12.0;
    let ruler = Ruler::over(dots.on_axis(), &dots.across, (left, right), 8);
    #[allow(clippy::cast_precision_loss)]
    let bottom = rows.len() as f64 * ROW + 4.0;
    let mut y = -ROW / 2.0;
    let mut left_out = 0;
    let lines: Vec<Markup> = rows
        .iter()
        .map(|row| {
            y += ROW;
            left_out += row.values.iter().filter(|v| !ruler.axis.holds(**v)).count();
            one(row, &ruler.axis, y, (left, right))
        })
        .collect();
    let remarks = dots.remarks(left_out);
    let mut base = bottom + BELOW + SIZE;
    let remarks: Vec<Markup> = remarks
        .iter()
        .map(|remark| {
            base += LINE;
            text("q", 0.0, base - LINE, &fitted(remark, WIDTH))
        })
        .collect();
    let body = html! { (ruler.below((left, right), (0.0, bottom))) (all(lines)) (all(remarks)) };
    Drawing { width: WIDTH, height: base - SIZE + 4.0, body }
}

/// Name, box, dots and note of one row, its middle at `y`.
fn one(row: &DotRow, axis: &Axis, y: f64, (left, right): (f64, f64)) -> Markup {
    let body = html! {
        (text("t e", left - 12.0, y + SIZE * 0.35, &fitted(&row.name, NAME_ROOM)))
        (line("g", (left, y), (right, y)))
        @if let Some([q1, median, q3]) = row.box_of().filter(|q| q.iter().all(|v| axis.holds(*v))) {
            @let (from, to) = (axis.place(q1), axis.place(q3));
            (rectangle("p", (from, y - BOX / 2.0), (to - from, BOX), 2.0))
            (cloud(row, axis, y))
            (rectangle("k", (axis.place(median) - MEDIAN / 2.0, y - BOX / 2.0 - 2.0), (MEDIAN, BOX + 4.0), 0.0))
        } @else {
            (cloud(row, axis, y))
        }
        (text("q", right + 12.0, y + SIZE * 0.35, &fitted(&row.note, NOTE_ROOM)))
    };
    told(&said(row), &body)
}

/// The values as dots: lines of no length with round ends, in one element. Later runs are lower, so that a drift is seen.
fn cloud(row: &DotRow, axis: &Axis, y: f64) -> Markup {
    let dots: Vec<f64> = thinned(&row.values, MOST_DOTS).copied().collect();
    let mut path = String::new();
    for (k, value) in dots.iter().enumerate().filter(|(_, value)| axis.holds(**value)) {
        #[allow(clippy::cast_precision_loss)]
        let late = if dots.len() > 1 { k as f64 / (dots.len() - 1) as f64 - 0.5 } else { 0.0 };
        let _ = write!(path, "M{} {}h0", n(axis.place(*value)), n(y + late * (BOX - DOT)));
    }
    html! { @if !path.is_empty() { path class="s0" stroke-width=(n(DOT)) stroke-linecap="round" stroke-opacity="0.75" d=(path) {} } }
}

/// A row in a sentence.
fn said(row: &DotRow) -> String {
    let mut words = format!("{}: {} values", fitted(&row.name, NAME_ROOM), row.values.len());
    if let Some([low, high]) = row.extremes() {
        let _ = write!(words, " from {} to {}", precise(low), precise(high));
    }
    if let Some([q1, median, q3]) = row.box_of() {
        let _ = write!(words, ", median {}, middle half {} to {}", precise(median), precise(q1), precise(q3));
    }
    if !row.note.is_empty() {
        let _ = write!(words, "; {}", fitted(&row.note, NOTE_ROOM));
    }
    words
}
