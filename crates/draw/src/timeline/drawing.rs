//! A timeline as SVG.

use maud::{Markup, html};

use super::Timeline;
use super::binned::{Binned, Row, binned, slots_of};
use crate::canvas::{all, line, lines, rectangle, text, told};
use crate::label::{self, fitted, widest, width};
use crate::{Drawing, WIDTH};

/// Bins at most.
const BINS: usize = 400;
/// From lane to lane, user units.
const LANE: f64 = 34.0;
/// A full bar's height.
const BAR: f64 = 28.0;
/// The widest name of a lane.
const NAME: f64 = 240.0;
/// Room for totals.
const TOTAL: f64 = 90.0;
/// Where the first lane begins: above it the totals' heading.
const TOP: f64 = label::LINE + 4.0;

/// The whole picture.
pub(crate) fn drawn(timeline: &Timeline) -> Drawing {
    let binned = binned(timeline, BINS);
    let left = widest(binned.rows.iter().map(|row| &row.lane.name)).clamp(40.0, NAME) + 12.0;
    let places = (left, WIDTH - TOTAL);
    let bottom = TOP + binned.rows.len().max(1) as f64 * LANE;
    let starts = binned.starts.iter().map(|start| edge(&binned, places, *start));
    let lanes = binned.rows.iter().zip(1u32..).map(|(row, k)| (row, TOP + f64::from(k) * LANE));
    let (notes, height) = lines(
        "q",
        (0.0, bottom + 2.6 * label::LINE),
        notes(timeline, &binned).iter().map(|note| fitted(note, WIDTH)),
    );
    let body = html! {
        (text("q e", WIDTH, label::SIZE, "in all"))
        (all(starts.map(|x| line("c", (x, TOP - 6.0), (x, bottom)))))
        (all(lanes.map(|(row, y)| lane(timeline, &binned, row, places, y))))
        (axis(timeline, &binned, places, bottom))
        (notes)
    };
    Drawing { width: WIDTH, height, body }
}

/// Where a bin begins.
fn edge(binned: &Binned<'_>, (left, right): (f64, f64), bin: usize) -> f64 {
    let share = bin as f64 / binned.bins.max(1) as f64;
    left + share * (right - left)
}

fn lane(
    timeline: &Timeline,
    binned: &Binned<'_>,
    row: &Row<'_>,
    places: (f64, f64),
    y: f64,
) -> Markup {
    let counted = row.bins.iter().enumerate().filter(|(_, count)| **count > 0);
    let bars = counted.map(|(k, count)| {
        let (from, to) = (edge(binned, places, k), edge(binned, places, k + 1));
        let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
        let height = (BAR * (*count as f64 / binned.largest as f64)).max(2.0);
        let bar = rectangle("f0", (from + gap, y - height), (to - from - 2.0 * gap, height), 0.0);
        let (name, slots) = (fitted(&row.lane.name, 2.0 * NAME), slots_said(timeline, binned, k));
        told(&format!("{name}: {slots}, {count} {}", timeline.counted), &bar)
    });
    html! {
        (line("g", (places.0, y), (places.1, y)))
        (text("t e", places.0 - 8.0, y - 7.0, &fitted(&row.lane.name, places.0 - 10.0)))
        (all(bars))
        (text(if row.total > 0 { "t e" } else { "q e" }, WIDTH, y - 7.0, &fitted(&row.total.to_string(), TOTAL - 8.0)))
    }
}

/// "round 7", "rounds 5 to 9".
fn slots_said(timeline: &Timeline, binned: &Binned<'_>, bin: usize) -> String {
    let (first, last) = slots_of(binned, bin);
    if first == last {
        format!("{} {first}", timeline.slot)
    } else {
        format!("{}s {first} to {last}", timeline.slot)
    }
}

fn axis(timeline: &Timeline, binned: &Binned<'_>, places: (f64, f64), y: f64) -> Markup {
    let mut parts = vec![line("l", (places.0, y), (places.1, y))];
    let every = binned.bins.div_ceil(12).max(1);
    let mut free = 0.0;
    for bin in (0..binned.bins).step_by(every) {
        let x = (edge(binned, places, bin) + edge(binned, places, bin + 1)) / 2.0;
        let words = slots_of(binned, bin).0.to_string();
        let half = width(&words) / 2.0;
        if x - half > free && x + half < WIDTH {
            parts.push(line("l", (x, y), (x, y + 4.0)));
            parts.push(text("q d", x, y + label::LINE, &words));
            free = x + half + 8.0;
        }
    }
    let words = fitted(&timeline.slot, places.1 - places.0);
    parts.push(text("t d", (places.0 + places.1) / 2.0, y + 2.1 * label::LINE, &words));
    all(parts)
}

/// What a full bar means, what dashed lines mean, and what is not drawn.
fn notes(timeline: &Timeline, binned: &Binned<'_>) -> Vec<String> {
    let (lanes, counted) = binned.left_out;
    let per_bar = binned.slots.div_ceil(binned.bins.max(1));
    let notes = [
        binned
            .rows
            .iter()
            .any(|r| r.total > 0)
            .then(|| format!("The tallest bar: {} {}.", binned.largest, timeline.counted)),
        (!binned.starts.is_empty()).then(|| "Dashed lines: something began anew.".to_owned()),
        (binned.bins < binned.slots)
            .then(|| format!("A bar holds up to {per_bar} {}s.", timeline.slot)),
        (lanes > 0).then(|| format!("and {lanes} more lanes with {counted} in all")),
    ];
    notes.into_iter().flatten().collect()
}
