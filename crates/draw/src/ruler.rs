//! An axis with its ticks written: below a plot, at its left, or under characters.

use maud::{Markup, html};

use crate::axis::{Axis, Spacing, tick_label};
use crate::canvas::{line, text, upright};
use crate::characters::{columns, fitted as fitted_columns};
use crate::figure::figure;
use crate::label::{LINE, SIZE, fitted, width};
use crate::{Numbers, Quantity, Screen};

/// Height that [`Ruler::below`] takes under the plot: ticks and the axis' name, user units.
pub(crate) const BELOW: f64 = 2.0 * LINE + 4.0;

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
        let axis = Axis::over(values, quantity.spacing, quantity.from_zero, places);
        let values = axis.ticks(wanted);
        let step = values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let ticks = values.iter().map(|v| (axis.place(*v), written(*v, step, quantity))).collect();
        Self { axis, quantity, ticks }
    }

    /// The width of the widest tick, user units.
    pub(crate) fn widest(&self) -> f64 {
        self.ticks.iter().map(|(_, words)| width(words)).fold(0.0, f64::max)
    }

    /// Grid lines, ticks and the axis' name below a plot that reaches from left to right and from top to bottom.
    pub(crate) fn below(&self, (left, right): (f64, f64), (top, bottom): (f64, f64)) -> Markup {
        let mut free = f64::NEG_INFINITY;
        let kept: Vec<(f64, f64, &str)> = self
            .ticks
            .iter()
            .filter_map(|(x, words)| {
                let half = width(words) / 2.0;
                let middle = x.min(right - half).max(left + half);
                (middle - half >= free).then(|| {
                    free = middle + half + 6.0;
                    (*x, middle, words.as_str())
                })
            })
            .collect();
        html! {
            @for (x, middle, words) in kept {
                (line("g", (x, top), (x, bottom)))
                (text("q d", middle, bottom + SIZE + 3.0, words))
            }
            (line("l", (left, bottom), (right, bottom)))
            (text("t d", (left + right) / 2.0, bottom + LINE + SIZE + 3.0, &fitted(&self.quantity.label, right - left)))
        }
    }

    /// Grid lines, ticks and the axis' name at the left of a plot.
    pub(crate) fn beside(&self, (left, right): (f64, f64), (top, bottom): (f64, f64)) -> Markup {
        let mut last = f64::INFINITY;
        let apart = move |(y, _): &&(f64, String)| {
            let kept = (y - last).abs() >= LINE;
            last = if kept { *y } else { last };
            kept
        };
        html! {
            @for (y, words) in self.ticks.iter().filter(apart) {
                (line("g", (left, *y), (right, *y)))
                (text("q e", left - 6.0, y + SIZE * 0.35, words))
            }
            (line("l", (left, top), (left, bottom)))
            (upright("t d", SIZE, (top + bottom) / 2.0, &fitted(&self.quantity.label, bottom - top)))
        }
    }

    /// The axis in characters: a line, its ticks, its name. Places are columns after `indent`.
    pub(crate) fn in_characters(&self, indent: usize, wide: usize, screen: &Screen) -> String {
        let (stroke, tick) = if screen.unicode { ('─', '┬') } else { ('-', '+') };
        let mut bar = vec![stroke; wide];
        let mut words = String::new();
        for (place, label) in &self.ticks {
            let column = column(*place).min(wide.saturating_sub(1));
            let start = column.saturating_sub(columns(label) / 2).min(wide.saturating_sub(columns(label)));
            if (words.is_empty() || start > columns(&words)) && start + columns(label) <= wide {
                bar[column] = tick;
                words += &" ".repeat(start - columns(&words));
                words += label;
            }
        }
        let indent = " ".repeat(indent);
        let name = fitted_columns(&self.quantity.label, wide, screen);
        format!("{indent}{}\n{indent}{words}\n{indent}{name}\n", bar.into_iter().collect::<String>())
    }
}

/// A place on an axis of characters as a column.
pub(crate) fn column(place: f64) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let column = place.round().clamp(0.0, 1e4) as usize;
    column
}

fn written(value: f64, step: f64, quantity: &Quantity) -> String {
    match (quantity.numbers, quantity.spacing) {
        (Numbers::Bytes, _) => size(value),
        (Numbers::Plain, Spacing::Logarithmic) => figure(value),
        (Numbers::Plain, Spacing::Linear) => tick_label(value, if step.is_finite() { step } else { value.abs() }),
    }
}

/// A size in the largest unit that leaves at least one of it.
fn size(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes, 0);
    while value.abs() >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", figure(value), units[unit])
}
