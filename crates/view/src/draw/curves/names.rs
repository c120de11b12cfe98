//! What the lines are called: beside their right ends where that fits, else in a key beneath.

use maud::{Markup, html};

use super::Plane;
use super::{Curves, SERIES};
use crate::draw::canvas::{all, dash, line, lines, marker, text};
use crate::draw::label::{self, fitted, widest};

/// More series than these stand in a key.
const BESIDE: usize = 8;
/// Wider names stand in a key.
const WIDE: f64 = 170.0;
/// A name that had to move farther from its line's end than this would not be found, user units.
const FAR: f64 = 3.0 * label::LINE;

/// How much room names at the lines' ends would need to the right of the plane; none if they are
/// too many or too wide.
pub(crate) fn room_beside(curves: &Curves) -> Option<f64> {
    let widest = widest(curves.series.iter().map(|s| &s.name));
    let named = curves.series.len() <= BESIDE
        && widest <= WIDE
        && curves.series.iter().all(|s| !s.name.is_empty());
    (named && !curves.series.is_empty()).then_some(widest + 38.0)
}

/// Names at the lines' right ends; none if one would stand far from its line.
pub(crate) fn beside(curves: &Curves, plane: &Plane<'_>) -> Option<Markup> {
    let f = plane.frame;
    let mut ends = Vec::new();
    for (k, series) in curves.series.iter().enumerate() {
        let last = series
            .points
            .iter()
            .filter(|p| curves.can_hold(p))
            .max_by(|a, b| a.x.total_cmp(&b.x))?;
        let (x, y) = plane.place(last);
        if x < f.x + f.width * 0.8 {
            return None;
        }
        ends.push((k, (x, y)));
    }
    ends.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let wanted: Vec<f64> = ends.iter().map(|end| end.1.1).collect();
    let places = pushed(&wanted, f.y, f.bottom());
    if wanted.iter().zip(&places).any(|(a, b)| (a - b).abs() > FAR) {
        return None;
    }
    let x = f.right() + 14.0;
    Some(all(ends.iter().zip(&places).map(|((k, end), y)| {
        html! {
            (line("g", (end.0 + 5.0, end.1), (x, *y)))
            (marker(*k, (x + 6.0, *y), 4.0))
            (text("t", x + 16.0, y + 4.5, &curves.series[*k].name))
        }
    })))
}

/// Places a line of text apart, as near to the wanted ones (in rising order) as the bounds allow.
fn pushed(wanted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut places: Vec<f64> = Vec::new();
    for y in wanted {
        let least = places.last().map_or(low, |last| last + label::LINE);
        places.push(y.max(least));
    }
    let mut most = high;
    for y in places.iter_mut().rev() {
        *y = y.min(most);
        most = *y - label::LINE;
    }
    places
}

/// A key in columns whose upper left corner is here, and its height.
pub(crate) fn key(curves: &Curves, (x, y): (f64, f64), room: f64) -> (Markup, f64) {
    let count = curves.series.len();
    if count == 0 || (count == 1 && curves.series[0].name.is_empty()) {
        return (html! {}, 0.0);
    }
    let shown = &curves.series[..count.min(SERIES)];
    let widest = widest(shown.iter().map(|s| fitted(&s.name, room / 2.0)));
    let column = (widest + 60.0).min(room);
    let columns = ((room / column) as usize).clamp(1, shown.len());
    let rows = shown.len().div_ceil(columns);
    let place = |k: usize| (x + (k / rows) as f64 * column, y + (k % rows) as f64 * label::LINE);
    let names = shown.iter().enumerate().map(|(k, series)| {
        let (x, y) = place(k);
        html! {
            @if count <= SERIES {
                (sample(k, (x, y + 9.0)))
                (marker(k, (x + 14.0, y + 9.0), 4.0))
            }
            (text("t", x + 34.0, y + label::SIZE, &fitted(&series.name, column - 40.0)))
        }
    });
    let more = (count > SERIES).then(|| format!("and {} more", count - SERIES));
    let (more, end) = lines("q", (x, y + rows as f64 * label::LINE), more);
    (html! { (all(names)) (more) }, end - y)
}

/// A piece of a series' line.
fn sample(series: usize, (x, y): (f64, f64)) -> Markup {
    let class = format!("s{}", series % crate::draw::palette::SERIES);
    html! {
        g stroke-dasharray=[dash(series)] stroke-width="2" {
            (line(&class, (x, y), (x + 28.0, y)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_pushed_apart_and_stay_in_the_frame() {
        let places = pushed(&[10.0, 12.0, 99.0, 100.0], 0.0, 100.0);
        assert_eq!(places, [10.0, 28.0, 82.0, 100.0]);
    }
}
