//! What the colours of a map mean.

use maud::{Markup, html};

use super::Shading;
use super::grid::HeatGrid;
use super::{ColourScale, HeatMap};
use crate::draw::canvas::{all, line, lines, n, text};
use crate::draw::figure::{figure, with_unit};
use crate::draw::label::{LINE, fitted, widest, width, wrapped};
use crate::draw::svg::WIDTH;

/// The bar's steps, and its size, user units.
const STEPS: u32 = 24;
const BAR: (f64, f64) = (240.0, 12.0);
/// The most room for an end of the scale, user units.
const END_ROOM: f64 = 160.0;
/// The least room for notes, user units, and lines that one may take.
const LEAST_ROOM: f64 = WIDTH / 2.0;
const NOTE_LINES: usize = 4;
/// Between two figures beneath the bar, user units.
const APART: f64 = 8.0;

/// A bar of the colours between its two ends, which values are good, and notes; with its width and
/// height. `shows_beneath`: whether any second line is drawn. Notes take the map's room, if that is
/// wide enough to be read.
pub(super) fn of(
    map: &HeatMap,
    shading: &Shading,
    grid: &HeatGrid,
    shows_beneath: bool,
    (room, y): (f64, f64),
) -> (Markup, f64, f64) {
    let bar = ends(map, shading).map(|ends| bar(shading, ends, y));
    let room = room.clamp(LEAST_ROOM, WIDTH);
    let notes = notes(map, grid, shows_beneath);
    let notes: Vec<String> =
        notes.iter().flat_map(|note| wrapped(note, room, NOTE_LINES)).collect();
    let (wide, beneath) = bar.as_ref().map_or((0.0, y), |(_, (wide, high))| (*wide, y + high));
    let wide = widest(&notes).max(wide);
    let (notes, end) = lines("q", (0.0, beneath), notes);
    (html! { @if let Some((bar, _)) = bar { (bar) } (notes) }, wide, end - y)
}

/// The words at the bar's ends.
fn ends(map: &HeatMap, shading: &Shading) -> Option<[String; 2]> {
    let whole = || {
        let [low, high] = shading.whole()?.ends();
        Some([figure(low), with_unit(high, &map.unit)].map(|end| fitted(&end, END_ROOM)))
    };
    shading.relative_ends().or_else(whole)
}

/// What second lines, halves, marks and tiles mean, as far as the map has them.
fn notes(map: &HeatMap, grid: &HeatGrid, shows_beneath: bool) -> Vec<String> {
    let is_marked = grid.figures().any(|cell| cell.marked);
    let note = match map.mark_note.as_str() {
        "" => "marked",
        note => note,
    };
    let notes = [
        (shows_beneath && !map.beneath_note.is_empty())
            .then(|| format!("Beneath: {}.", map.beneath_note)),
        grid.figures()
            .any(|cell| cell.levels.is_some())
            .then(|| "In two halves: samples have two typical values.".to_owned()),
        is_marked.then(|| match grid.tile {
            Some(_) => format!("With a corner: in one or more of its cells, {note}."),
            None => format!("Framed, with a corner: {note}."),
        }),
        grid.tile_note(),
    ];
    notes.into_iter().flatten().collect()
}

/// The bar, with figures beneath it where values are known to differ; its width and height.
fn bar(shading: &Shading, [low, high]: [String; 2], y: f64) -> (Markup, (f64, f64)) {
    let from = width(&low) + 8.0;
    let step = BAR.0 / f64::from(STEPS);
    let steps = (0..STEPS).map(|k| {
        let place = (f64::from(k) + 0.5) / f64::from(STEPS);
        let paint = shading.paint_of(shading.badness_at(place));
        let x = n(from + f64::from(k) * step);
        html! {
            rect class=[paint.class()] x=(x) y=(n(y + 3.0)) width=(n(step)) height=(n(BAR.1))
                fill=[paint.fill()] fill-opacity=[paint.opacity()] {}
        }
    });
    let figures = figures(shading, from, y + 3.0 + BAR.1);
    let height = LINE + if figures.is_empty() { 0.0 } else { LINE };
    let after = from + BAR.0 + 8.0;
    let last = after + width(&high) + 16.0;
    let words = html! {
        (text("t", 0.0, y + 13.0, &low))
        (text("t", after, y + 13.0, &high))
        (text("q", last, y + 13.0, shading.direction()))
        (all(figures))
    };
    (html! { (all(steps)) (words) }, (last + width(shading.direction()), height))
}

/// The steps of the scale beneath the bar, as many as there is room for.
fn figures(shading: &Shading, from: f64, y: f64) -> Vec<Markup> {
    let mut drawn = Vec::new();
    let mut free = from - BAR.0;
    for (value, place) in shading.whole().map(ColourScale::steps).unwrap_or_default() {
        let (x, words) = (from + place * BAR.0, figure(*value));
        let half = width(&words) / 2.0;
        if x - half >= free {
            let tick = line("l", (x, y), (x, y + 3.0));
            drawn.push(html! { (tick) (text("t d", x, y + LINE - 3.0, &words)) });
            free = x + half + APART;
        }
    }
    drawn
}
