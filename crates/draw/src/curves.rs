//! Lines over an axis: latency over load, latency over size, run time over jobs.

mod drawing;
mod names;
mod place_marks;
mod plane;
mod table;
mod terminal;

use crate::{Drawing, Heading, Picture, Quantity, Screen, Table};

/// More points in a series are thinned out, evenly and with both ends.
const POINTS: usize = 2000;
/// More series than this have no colours of their own, and only so many are named.
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
    /// Its name.
    pub label: String,
    /// Whether somebody claims it, rather than that it was measured: dashed.
    pub claimed: bool,
}

impl Curves {
    /// Gives all of these the same axes: each reaches over what stands on any of them.
    pub fn share_axes(curves: &mut [&mut Self]) {
        let across = ends(curves.iter().flat_map(|one| plane::xs(one)));
        let up = ends(curves.iter().flat_map(|one| plane::ys(one)));
        for one in curves {
            (one.across.reach, one.up.reach) = (across, up);
        }
    }
}

/// The least and the greatest finite value.
fn ends(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values
        .filter(|value| value.is_finite())
        .map(|value| [value; 2])
        .reduce(|[low, high], [value, _]| [low.min(value), high.max(value)])
}

impl Picture for Curves {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::drawn(self)
    }

    fn table(&self) -> Table {
        table::told(self)
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        terminal::shown(self, screen)
    }
}
