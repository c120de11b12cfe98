//! Places across that have a name: lines from top to bottom, their names above the plane in as many
//! rows as they need.

use maud::{Markup, html};

use super::Plane;
use super::{Curves, PlaceMark};
use crate::draw::canvas::{all, line, rectangle, text, with_tooltip};
use crate::draw::label::{self, fitted, width};

/// Rows of names above the plane; further names are in tooltips only.
const ROWS: usize = 6;
/// The widest name, user units.
const NAME: f64 = 200.0;
/// Places that are drawn.
const MOST: usize = 200;

/// The places that can be drawn, from right to left, and the row of each name, lowest row first, so
/// that no line runs through a name; none where there is no room.
fn in_rows<'a>(curves: &'a Curves, plane: &Plane<'_>) -> Vec<(&'a PlaceMark, Option<usize>)> {
    let mut marks: Vec<&PlaceMark> =
        curves.marks.iter().filter(|m| curves.across.can_hold(m.x)).take(MOST).collect();
    marks.sort_by(|a, b| b.x.total_cmp(&a.x));
    let mut taken = [f64::INFINITY; ROWS];
    let mut row_of = |mark: &PlaceMark| {
        let x = plane.across.axis.place(mark.x);
        let end = x + 4.0 + width(&fitted(&mark.label, NAME));
        // A line comes down from its own row through all lower ones.
        let is_free = |row: &usize| taken[*row..].iter().all(|start| end + 6.0 < *start);
        let row = (0..ROWS).find(is_free)?;
        taken[row] = x;
        Some(row)
    };
    marks.into_iter().map(|mark| (mark, row_of(mark))).collect()
}

/// How much room the names need above the plane, and to its right.
pub(crate) fn room(curves: &Curves, plane: &Plane<'_>) -> (f64, f64) {
    let marks = in_rows(curves, plane);
    let rows = marks.iter().filter_map(|(_, row)| *row).max().map_or(0, |row| row + 1);
    let over = |m: &PlaceMark| {
        plane.across.axis.place(m.x) + 6.0 + width(&fitted(&m.label, NAME)) - crate::draw::WIDTH
    };
    let right = marks.iter().map(|(mark, _)| over(mark)).fold(0.0, f64::max);
    (rows as f64 * label::LINE + 6.0, (right * 1.3).min(NAME))
}

/// Places whose name has no room at its line, in words; none if all have.
pub(crate) fn unnamed(curves: &Curves, plane: &Plane<'_>) -> Option<String> {
    let marks = in_rows(curves, plane).into_iter().rev();
    let without = marks.filter(|(mark, row)| row.is_none() && !mark.label.is_empty());
    let texts: Vec<String> = without.map(|(mark, _)| curves.mark_text(mark)).collect();
    (!texts.is_empty()).then(|| format!("Marked too: {}", texts.join("; ")))
}

/// Bands and lines with their names.
pub(crate) fn drawn(curves: &Curves, plane: &Plane<'_>) -> Markup {
    all(in_rows(curves, plane).into_iter().map(|(mark, row)| one(curves, plane, mark, row)))
}

fn one(curves: &Curves, plane: &Plane<'_>, mark: &PlaceMark, row: Option<usize>) -> Markup {
    let (x, f) = (plane.across.axis.place(mark.x), plane.frame);
    let top = f.y - 4.0 - row.map_or(0.0, |row| row as f64 * label::LINE);
    let from = if row.is_some() { top - label::SIZE } else { f.y };
    let body = html! {
        @if let Some([a, b]) = mark.interval {
            @let (a, b) = (plane.across.axis.place(a), plane.across.axis.place(b));
            (rectangle("a", (a.min(b), f.y), ((b - a).abs(), f.height), 0.0))
        }
        (line(if mark.claimed { "c" } else { "l" }, (x, from), (x, f.bottom())))
        @if row.is_some() {
            (text("q", x + 4.0, top, &fitted(&mark.label, NAME.min(crate::draw::WIDTH - x - 4.0))))
        }
    };
    with_tooltip(&curves.mark_text(mark), &body)
}
