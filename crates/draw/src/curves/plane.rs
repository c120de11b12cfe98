//! Both axes: where a point stands, and the grid behind it.

use maud::Markup;

use super::{CurvePoint, Curves, Numbers, Quantity};
use crate::Spacing;
use crate::axis::{Axis, tick_label};
use crate::block::Frame;
use crate::canvas::{all, line, text, upright};
use crate::figures::{bytes, trimmed};
use crate::label::{self, fitted, width};

/// The plane that points stand on.
pub(crate) struct Plane {
    pub(crate) across: Axis,
    pub(crate) up: Axis,
    pub(crate) frame: Frame,
}

impl Plane {
    /// The plane of these curves in a frame.
    pub(crate) fn of(curves: &Curves, frame: Frame) -> Self {
        let points = || curves.series.iter().flat_map(|s| &s.points);
        let fits = || curves.series.iter().flat_map(|s| &s.fit);
        let xs = points().map(|p| p.x).chain(fits().map(|f| f[0])).chain(curves.marks.iter().map(|m| m.x));
        let ys = points()
            .flat_map(|p| [p.y].into_iter().chain(p.interval.into_iter().flatten()))
            .chain(fits().map(|f| f[1]));
        let axis = |values: &mut dyn Iterator<Item = f64>, q: &Quantity, places| {
            Axis::over(values, q.spacing, q.from_zero, places)
        };
        Self {
            across: axis(&mut xs.into_iter(), &curves.across, (frame.x, frame.right())),
            up: axis(&mut ys.into_iter(), &curves.up, (frame.bottom(), frame.y)),
            frame,
        }
    }

    /// Where values stand.
    pub(crate) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.across.place(x), self.up.place(y))
    }

    /// Every how many ticks across a figure can stand without touching the next one.
    fn every(&self, ticks: &[(f64, String)]) -> usize {
        let edges = |tick: &(f64, String)| {
            let (x, half) = (self.across.place(tick.0), width(&tick.1) / 2.0);
            (x - half, x + half)
        };
        let fits = |every: &usize| {
            let kept: Vec<(f64, f64)> = ticks.iter().step_by(*every).map(edges).collect();
            kept.windows(2).all(|pair| pair[0].1 + 3.0 <= pair[1].0)
        };
        (1..=ticks.len()).find(fits).unwrap_or(1)
    }

    /// The grid, the frame, the ticks' figures and what the axes show.
    pub(crate) fn drawn(&self, curves: &Curves) -> Markup {
        let f = self.frame;
        let mut parts = Vec::new();
        for (value, words) in ticks(&self.up, &curves.up, 6) {
            let y = self.up.place(value);
            parts.push(line("g", (f.x, y), (f.right(), y)));
            parts.push(text("q e", f.x - 7.0, y + 4.5, &fitted(&words, f.x - 30.0)));
        }
        let across = ticks(&self.across, &curves.across, 10);
        let every = self.every(&across);
        for (k, (value, words)) in across.iter().enumerate() {
            let (x, half) = (self.across.place(*value), width(words) / 2.0);
            parts.push(line("g", (x, f.y), (x, f.bottom())));
            if k % every == 0 && x - half >= 0.0 && x + half <= crate::WIDTH {
                parts.push(text("q d", x, f.bottom() + label::LINE, words));
            }
        }
        parts.push(line("l", (f.x, f.bottom()), (f.right(), f.bottom())));
        parts.push(line("l", (f.x, f.y), (f.x, f.bottom())));
        let named = fitted(&curves.across.label, f.width);
        parts.push(text("t d", f.x + f.width / 2.0, f.bottom() + 2.2 * label::LINE, &named));
        parts.push(upright("t d", label::SIZE, f.y + f.height / 2.0, &fitted(&curves.up.label, f.height)));
        all(parts)
    }
}

/// Round values of an axis and how they are written.
pub(crate) fn ticks(axis: &Axis, quantity: &Quantity, wanted: usize) -> Vec<(f64, String)> {
    if quantity.numbers == Numbers::Bytes {
        return axis.byte_ticks(wanted).into_iter().map(|v| (v, bytes(v))).collect();
    }
    let values = axis.ticks(wanted);
    let step = match values.as_slice() {
        [first, second, ..] => second - first,
        _ => 0.0,
    };
    let written = |value: f64| match quantity.spacing {
        Spacing::Logarithmic if (1e-6..1e7).contains(&value) => trimmed(&format!("{value:.9}")),
        _ => tick_label(value, step),
    };
    values.into_iter().map(|v| (v, written(v))).collect()
}

/// Whether a point can stand on the plane.
pub(crate) fn can_stand(curves: &Curves, point: &CurvePoint) -> bool {
    let can = |value: f64, q: &Quantity| value.abs() < 1e300 && (q.spacing == Spacing::Linear || value > 0.0);
    can(point.x, &curves.across) && can(point.y, &curves.up)
}
