//! Lines over an axis: latency over load, latency over size, run time over jobs.

mod drawing;
mod names;
mod place_marks;
mod terminal;

use maud::{Markup, html};

use crate::draw::axis::extremes;
use crate::draw::block::Frame;
use crate::draw::ruler::Ruler;
use crate::draw::thinned::thinned;
use crate::draw::{Drawing, FigureTable, Heading, Picture, Quantity, Screen};

/// More points in a series are thinned out, evenly and with both ends.
const POINTS: usize = 2000;
/// Series with a colour and a name of their own.
const SERIES: usize = 40;

/// Series of points over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curves {
    /// Title and description.
    pub heading: Heading,
    /// What goes across.
    pub across: Quantity,
    /// What goes up.
    pub up: Quantity,
    /// The lines, each with its own colour, mark and dash.
    pub series: Vec<Series>,
    /// Places across that have a name: capacities of caches, knees.
    pub marks: Vec<PlaceMark>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name, written beside it or in the key.
    pub name: String,
    /// Its points in order.
    pub points: Vec<CurvePoint>,
    /// A fitted curve, drawn thin and without marks; empty where there is none.
    pub fit: Vec<[f64; 2]>,
}

/// A measured point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CurvePoint {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// The interval of y, where there is one.
    pub interval: Option<[f64; 2]>,
}

/// A place across with a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceMark {
    /// Where.
    pub x: f64,
    /// Its interval, drawn as a band.
    pub interval: Option<[f64; 2]>,
    /// Its name, with "claimed" where it is.
    pub label: String,
    /// Whether it is claimed, not measured: dashed.
    pub claimed: bool,
}

impl Curves {
    /// Gives all of these the same axes: each reaches over what stands on any of them.
    pub fn share_axes(curves: &mut [&mut Self]) {
        let across = extremes(curves.iter().flat_map(|curve| xs(curve)));
        let up = extremes(curves.iter().flat_map(|curve| ys(curve)));
        for curve in curves {
            (curve.across.reach, curve.up.reach) = (across, up);
        }
    }

    /// A point in words: "2.5, 97.3 (96.8 to 97.9)".
    fn point_text(&self, point: &CurvePoint) -> String {
        let interval =
            point.interval.map(|ends| format!(" ({})", self.up.interval(ends))).unwrap_or_default();
        format!("{}, {}{interval}", self.across.written(point.x), self.up.written(point.y))
    }

    /// A place in words: "level 2 ends: 512 KiB (480 KiB to 560 KiB)", "L2 claimed: 512 KiB".
    fn mark_text(&self, mark: &PlaceMark) -> String {
        let interval = mark
            .interval
            .map(|ends| format!(" ({})", self.across.interval(ends)))
            .unwrap_or_default();
        format!("{}: {}{interval}", mark.label, self.across.written(mark.x))
    }

    /// Whether a point can stand on the plane.
    fn can_hold(&self, point: &CurvePoint) -> bool {
        self.across.can_hold(point.x) && self.up.can_hold(point.y)
    }
}

impl Picture for Curves {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::drawn(self)
    }

    /// A row a point; then a row a place that has a name.
    fn table(&self) -> FigureTable {
        let points = self
            .series
            .iter()
            .flat_map(|series| thinned(&series.points, POINTS).map(move |p| (&series.name, p)));
        let points = points.map(|(name, point)| {
            let interval = point.interval.map(|ends| self.up.interval(ends)).unwrap_or_default();
            vec![name.clone(), self.across.written(point.x), self.up.written(point.y), interval]
        });
        let marks = self.marks.iter();
        let marks = marks.map(|mark| {
            vec![self.mark_text(mark), self.across.written(mark.x), String::new(), String::new()]
        });
        let rows = points.chain(marks).collect();
        FigureTable::new(&["series", &self.across.label, &self.up.label, "interval"], rows)
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        terminal::shown(self, screen)
    }
}

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
fn xs(curves: &Curves) -> impl Iterator<Item = f64> {
    let points = curves.series.iter().flat_map(|s| &s.points).map(|p| p.x);
    let fits = curves.series.iter().flat_map(|s| &s.fit).map(|f| f[0]);
    points.chain(fits).chain(curves.marks.iter().map(|m| m.x))
}

/// Where something stands up, intervals included.
fn ys(curves: &Curves) -> impl Iterator<Item = f64> {
    let points = curves.series.iter().flat_map(|s| &s.points);
    let fits = curves.series.iter().flat_map(|s| &s.fit).map(|f| f[1]);
    points.flat_map(|p| [p.y].into_iter().chain(p.interval.into_iter().flatten())).chain(fits)
}
