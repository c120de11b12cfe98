//! A timeline as SVG: small, for it is looked at where something else makes one doubt.

use maud::{Markup, html};

use super::Timeline;
use super::binned::{Binned, BinnedLane, binned};
use crate::draw::Drawing;
use crate::draw::canvas::{all, line, lines, rectangle, text, with_tooltip};
use crate::draw::label::{self, fitted, widest, width};

/// The whole picture's width, user units.
const WIDE: f64 = 640.0;
const BINS: usize = 120;
/// From lane to lane, user units.
const LANE: f64 = 22.0;
/// A full bar's height.
const BAR: f64 = 17.0;
/// The widest name of a lane.
const NAME: f64 = 240.0;
const TOTAL: f64 = 70.0;
/// Where the first lane begins: above it the totals' heading.
const TOP: f64 = label::LINE;

pub(crate) fn drawn(timeline: &Timeline) -> Drawing {
    let binned = binned(timeline, BINS);
    let left = widest(binned.rows.iter().map(|row| &row.lane.name)).clamp(40.0, NAME) + 12.0;
    let places = (left, WIDE - TOTAL);
    let bottom = TOP + binned.rows.len().max(1) as f64 * LANE;
    let lanes = binned.rows.iter().zip(1u32..).map(|(row, k)| (row, TOP + f64::from(k) * LANE));
    let ends = ["first", "last"].map(|end| format!("{end} {}", timeline.slot));
    let [first, last] = ends.map(|end| fitted(&end, (places.1 - places.0) / 2.0));
    let notes = notes(timeline, &binned);
    let notes = notes.iter().map(|note| fitted(note, WIDE));
    let (notes, height) = lines("q", (0.0, bottom + 1.4 * label::LINE), notes);
    let body = html! {
        (text("q e", WIDE, label::SIZE, "in all"))
        (all(lanes.map(|(row, y)| lane(timeline, &binned, row, places, y))))
        (text("q", places.0, bottom + label::LINE, &first))
        (text("q", places.1 - width(&last), bottom + label::LINE, &last))
        (notes)
    };
    Drawing { width: WIDE, height, body }
}

fn lane(
    timeline: &Timeline,
    binned: &Binned<'_>,
    row: &BinnedLane<'_>,
    (left, right): (f64, f64),
    y: f64,
) -> Markup {
    let edge = |bin: usize| left + bin as f64 / row.bins.len().max(1) as f64 * (right - left);
    let counted = row.bins.iter().enumerate().filter(|(_, count)| **count > 0);
    let bars = counted.map(|(bin, count)| {
        let (from, to) = (edge(bin), edge(bin + 1));
        let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
        let height = (BAR * (*count as f64 / binned.largest as f64)).max(2.0);
        let bar = rectangle("f0", (from + gap, y - height), (to - from - 2.0 * gap, height), 0.0);
        let (name, slots) = (fitted(&row.lane.name, 2.0 * NAME), slots_text(timeline, row, bin));
        with_tooltip(&format!("{name}: {slots}, {}", timeline.count(*count)), &bar)
    });
    let total_class = if row.total > 0 { "t e" } else { "q e" };
    let total = fitted(&row.total.to_string(), TOTAL - 8.0);
    html! {
        (line("g", (left, y), (right, y)))
        (text("t e", left - 8.0, y - 4.0, &fitted(&row.lane.name, left - 10.0)))
        (all(bars))
        (text(total_class, WIDE, y - 4.0, &total))
    }
}

/// "round 7", "rounds 5 to 9".
fn slots_text(timeline: &Timeline, row: &BinnedLane<'_>, bin: usize) -> String {
    match row.slots_of(bin) {
        (first, last) if first == last => format!("{} {first}", timeline.slot),
        (first, last) => format!("{}s {first} to {last}", timeline.slot),
    }
}

/// What a full bar means, and what is not drawn.
fn notes(timeline: &Timeline, binned: &Binned<'_>) -> Vec<String> {
    let (lanes, counted) = binned.left_out;
    let has_counts = binned.rows.iter().any(|row| row.total > 0);
    let tallest = format!("The tallest bar: {}.", timeline.count(binned.largest));
    let left_out = format!("and {lanes} more lanes with {counted} in all");
    [has_counts.then_some(tallest), (lanes > 0).then_some(left_out)].into_iter().flatten().collect()
}
