//! An axis with its ticks written: below a plot, at its left, or under characters.

use maud::{Markup, html};

use crate::draw::axis::{Axis, tick_label};
use crate::draw::canvas::{line, text, upright};
use crate::draw::characters::{columns, fitted as fitted_columns};
use crate::draw::figure::{bytes, trimmed};
use crate::draw::label::{LINE, SIZE, fitted, widest, width};
use crate::draw::{AxisScale, Numbers, Quantity, Screen, WIDTH};

/// Height that [`Ruler::below`] takes under the plot: ticks and the axis' name, user units.
pub(crate) const BELOW: f64 = 2.0 * LINE + 4.0;

/// The widest tick at the left of a plot, user units.
const TICK_ROOM: f64 = 110.0;

/// An axis and what is written at it.
pub(crate) struct Ruler<'a> {
    pub(crate) axis: Axis,
    quantity: &'a Quantity,
    /// Place and words of each tick.
    pub(crate) ticks: Vec<(f64, String)>,
}

impl<'a> Ruler<'a> {
    /// Over these values, between two places, with about `wanted` ticks.
    pub(crate) fn over(
        values: impl IntoIterator<Item = f64>,
        quantity: &'a Quantity,
        places: (f64, f64),
        wanted: usize,
    ) -> Self {
        let axis = Axis::over(values, quantity, places);
        let mut values = axis.ticks(quantity.numbers, wanted);
        values.retain(|tick| quantity.numbers != Numbers::Whole || tick.fract() == 0.0);
        let step = values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let ticks = values.iter().map(|v| (axis.place(*v), words(*v, step, quantity))).collect();
        Self { axis, quantity, ticks }
    }

    /// The room that [`Ruler::beside`] takes left of the plot, user units.
    pub(crate) fn room(&self) -> f64 {
        widest(self.ticks.iter().map(|(_, words)| words)).min(TICK_ROOM) + LINE + 14.0
    }

    /// Grid lines, ticks and the axis' name below a plot that reaches from left to right and from
    /// top to bottom.
    pub(crate) fn below(&self, (left, right): (f64, f64), (top, bottom): (f64, f64)) -> Markup {
        let label = fitted(&self.quantity.label, right - left);
        html! {
            @for (x, _) in &self.ticks { (line("g", (*x, top), (*x, bottom))) }
            @for (x, words) in self.ticks.iter().step_by(self.every()) {
                @let middle = middle(*x, words);
                (text("q d", middle, bottom + LINE, words))
            }
            (line("l", (left, bottom), (right, bottom)))
            (text("t d", (left + right) / 2.0, bottom + LINE + SIZE + 3.0, &label))
        }
    }

    /// Every how many ticks one can be written below a plot without touching the next one.
    fn every(&self) -> usize {
        let edges = |(x, words): &(f64, String)| {
            let half = width(words) / 2.0;
            (middle(*x, words) - half, middle(*x, words) + half)
        };
        let fits = |every: &usize| {
            let kept: Vec<(f64, f64)> = self.ticks.iter().step_by(*every).map(edges).collect();
            kept.windows(2).all(|pair| pair[0].1 + 6.0 <= pair[1].0)
        };
        (1..=self.ticks.len()).find(fits).unwrap_or(1)
    }

    /// Grid lines, ticks and the axis' name at the left of a plot.
    pub(crate) fn beside(&self, (left, right): (f64, f64), (top, bottom): (f64, f64)) -> Markup {
        let mut last = f64::INFINITY;
        let apart = move |(y, _): &&(f64, String)| {
            let kept = (y - last).abs() >= LINE;
            last = if kept { *y } else { last };
            kept
        };
        let label = fitted(&self.quantity.label, bottom - top);
        html! {
            @for (y, words) in self.ticks.iter().filter(apart) {
                (line("g", (left, *y), (right, *y)))
                (text("q e", left - 6.0, y + SIZE * 0.35, &fitted(words, TICK_ROOM)))
            }
            (line("l", (left, top), (left, bottom)))
            (upright("t d", SIZE, (top + bottom) / 2.0, &label))
        }
    }

    /// The axis in characters: a line, its ticks, its name, after `indent`. A character is `dots`
    /// places wide.
    pub(crate) fn in_characters(
        &self,
        indent: usize,
        wide: usize,
        dots: f64,
        screen: &Screen,
    ) -> String {
        let (stroke, tick) = if screen.unicode { ('─', '┬') } else { ('-', '+') };
        let mut bar = vec![stroke; wide];
        let mut words = String::new();
        for (place, label) in &self.ticks {
            let column = column((*place / dots).floor()).min(wide.saturating_sub(1));
            let start =
                column.saturating_sub(columns(label) / 2).min(wide.saturating_sub(columns(label)));
            if (words.is_empty() || start > columns(&words)) && start + columns(label) <= wide {
                bar[column] = tick;
                words += &" ".repeat(start - columns(&words));
                words += label;
            }
        }
        let indent = " ".repeat(indent);
        let name = fitted_columns(&self.quantity.label, wide, screen);
        let lines = [bar.into_iter().collect(), words, name]
            .map(|line| format!("{indent}{line}").trim_end().to_owned());
        lines.join("\n") + "\n"
    }
}

/// A place on an axis of characters as a column.
pub(crate) fn column(place: f64) -> usize {
    place.round().clamp(0.0, 1e4) as usize
}

/// The middle of a tick's words below a plot: at the tick, but within the drawing.
fn middle(x: f64, words: &str) -> f64 {
    let half = width(words) / 2.0;
    x.min(WIDTH - half).max(half)
}

fn words(value: f64, step: f64, quantity: &Quantity) -> String {
    match (quantity.numbers, quantity.spacing) {
        (Numbers::Bytes, _) => bytes(value),
        // Powers of two and ten are written in full.
        (_, AxisScale::Logarithmic) if (1e-6..1e7).contains(&value) => {
            trimmed(&format!("{value:.9}"))
        }
        _ => tick_label(value, if step.is_finite() { step } else { value.abs() }),
    }
}
