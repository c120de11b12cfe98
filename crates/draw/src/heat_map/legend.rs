//! What the colours of a map mean.

use maud::{Markup, html};

use super::grid::Grid;
use super::scale::Scale;
use crate::canvas::{all, lines, n, text};
use crate::figure::with_unit;
use crate::label::{LINE, fitted, widest, width};
use crate::ramp::css;
use crate::svg::WIDTH;

/// The bar's steps, and its size, user units.
const STEPS: u32 = 24;
const BAR: (f64, f64) = (192.0, 12.0);
/// The most room for an end of the scale, user units.
const END_ROOM: f64 = 160.0;

/// A bar of the colours between its two ends, what is good, and what else is to be said; with its
/// width and height.
pub(super) fn of(scale: Option<Scale>, unit: &str, grid: &Grid, y: f64) -> (Markup, f64, f64) {
    let bar = scale.map(|scale| bar(&scale, unit, y));
    let marked = grid.figures().any(|cell| cell.marked).then(|| match grid.tile {
        Some(_) => "With a corner: holds a cell that stands out.".to_owned(),
        None => "Framed, with a corner: stands out.".to_owned(),
    });
    let notes: Vec<String> =
        marked.into_iter().chain(grid.remark()).map(|note| fitted(&note, WIDTH)).collect();
    let (wide, beneath) = bar.as_ref().map_or((0.0, y), |(_, wide)| (*wide, y + LINE));
    let wide = widest(&notes).max(wide);
    let (notes, end) = lines("q", (0.0, beneath), notes);
    (html! { @if let Some((bar, _)) = bar { (bar) } (notes) }, wide, end - y)
}

fn bar(scale: &Scale, unit: &str, y: f64) -> (Markup, f64) {
    let [low, high] = [scale.low, scale.high].map(|end| fitted(&with_unit(end, unit), END_ROOM));
    let from = width(&low) + 8.0;
    let step = BAR.0 / f64::from(STEPS);
    let steps = (0..STEPS).map(|k| {
        let colour = scale.colour(scale.at((f64::from(k) + 0.5) / f64::from(STEPS)));
        html! { rect x=(n(from + f64::from(k) * step)) y=(n(y + 3.0)) width=(n(step)) height=(n(BAR.1)) fill=(css(colour)) {} }
    });
    let after = from + BAR.0 + 8.0;
    let last = after + width(&high) + 16.0;
    let words = html! {
        (text("t", 0.0, y + 13.0, &low))
        (text("t", after, y + 13.0, &high))
        (text("q", last, y + 13.0, scale.words()))
    };
    (html! { (all(steps)) (words) }, last + width(scale.words()))
}
