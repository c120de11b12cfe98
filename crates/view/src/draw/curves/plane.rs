//! Where points stand: both axes and the frame between them.

use maud::{Markup, html};

use super::{CurvePoint, Curves};
use crate::draw::block::Frame;
use crate::draw::ruler::Ruler;

/// The plane that points stand on.
pub(crate) struct Plane<'a> {
    pub(crate) across: Ruler<'a>,
    pub(crate) up: Ruler<'a>,
    pub(crate) frame: Frame,
}

impl<'a> Plane<'a> {
    /// The plane of these curves in a frame, with about this many ticks across and up.
    pub(crate) fn new(curves: &'a Curves, frame: Frame, wanted: (usize, usize)) -> Self {
        let across = Ruler::over(xs(curves), &curves.across, (frame.x, frame.right()), wanted.0);
        Self { across, up: up(curves, (frame.bottom(), frame.y), wanted.1), frame }
    }

    /// Where a point stands.
    pub(crate) fn place(&self, point: &CurvePoint) -> (f64, f64) {
        (self.across.axis.place(point.x), self.up.axis.place(point.y))
    }

    /// The grid, the frame, the ticks' figures and what the axes show.
    pub(crate) fn drawn(&self) -> Markup {
        let (across, up) =
            ((self.frame.x, self.frame.right()), (self.frame.y, self.frame.bottom()));
        html! { (self.up.beside(across, up)) (self.across.below(across, up)) }
    }
}

/// The axis that goes up, from its lower place to its upper one.
pub(crate) fn up(curves: &Curves, places: (f64, f64), wanted: usize) -> Ruler<'_> {
    Ruler::over(ys(curves), &curves.up, places, wanted)
}

/// Where something stands across.
pub(super) fn xs(curves: &Curves) -> impl Iterator<Item = f64> {
    let points = curves.series.iter().flat_map(|s| &s.points).map(|p| p.x);
    let fits = curves.series.iter().flat_map(|s| &s.fit).map(|f| f[0]);
    points.chain(fits).chain(curves.marks.iter().map(|m| m.x))
}

/// Where something stands up, intervals included.
pub(super) fn ys(curves: &Curves) -> impl Iterator<Item = f64> {
    let points = curves.series.iter().flat_map(|s| &s.points);
    let fits = curves.series.iter().flat_map(|s| &s.fit).map(|f| f[1]);
    points.flat_map(|p| [p.y].into_iter().chain(p.interval.into_iter().flatten())).chain(fits)
}
