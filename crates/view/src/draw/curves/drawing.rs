//! Curves as SVG.

use maud::{Markup, html};

use super::{CurvePoint, Curves, POINTS, SERIES, Series, names, place_marks};
use super::{Plane, up};
use crate::draw::block::Frame;
use crate::draw::canvas::{all, dash, line, lines, marker, polyline, with_tooltip};
use crate::draw::label::{fitted, wrapped};
use crate::draw::ruler::BELOW;
use crate::draw::thinned::thinned;
use crate::draw::{Drawing, WIDTH};

/// Height of the plane.
const HEIGHT: f64 = 300.0;
/// About how many ticks are across and up.
const TICKS: (usize, usize) = (10, 6);
/// Room right of it where nothing is written there.
const RIGHT: f64 = 24.0;
/// Points of all series together; where there are many series each has its share.
const ALL_POINTS: usize = 20_000;
/// The most marks on a line; more points are thinned out evenly.
const MARKED: usize = 48;
/// Lines that a note may take.
const NOTE_LINES: usize = 3;
/// The most room for a name in a point's tooltip, user units.
const NAME_ROOM: f64 = 600.0;

pub(crate) fn drawn(curves: &Curves) -> Drawing {
    let direct = names::room_beside(curves).and_then(|room| {
        let plane = laid_out(curves, room.max(RIGHT));
        names::beside(curves, &plane).map(|names| (plane, names, 0.0))
    });
    let (plane, names, height) = direct.unwrap_or_else(|| {
        let plane = laid_out(curves, RIGHT);
        let corner = (plane.frame.x, plane.frame.bottom() + BELOW + 8.0);
        let (key, height) = names::key(curves, corner, WIDTH - plane.frame.x);
        (plane, key, height + 8.0)
    });
    let below = (plane.frame.x, plane.frame.bottom() + BELOW + height);
    let unnamed = place_marks::unnamed(curves, &plane).into_iter();
    let (notes, height) =
        lines("q", below, unnamed.flat_map(|words| wrapped(&words, WIDTH - below.0, NOTE_LINES)));
    let body = html! {
        (plane.drawn())
        (place_marks::drawn(curves, &plane))
        (all(curves.series.iter().enumerate().map(|(k, series)| one(curves, &plane, k, series))))
        (names)
        (notes)
    };
    Drawing { width: WIDTH, height, body }
}

/// A plane with room for the names of places above it and at its right.
fn laid_out(curves: &Curves, right: f64) -> Plane<'_> {
    let left = up(curves, (HEIGHT, 0.0), TICKS.1).room();
    let plane = |top: f64, right: f64| {
        Plane::new(
            curves,
            Frame { x: left, y: top, width: WIDTH - left - right, height: HEIGHT },
            TICKS,
        )
    };
    let (_, over) = place_marks::room(curves, &plane(0.0, right));
    let (top, _) = place_marks::room(curves, &plane(0.0, right + over));
    plane(top, right + over)
}

fn one(curves: &Curves, plane: &Plane<'_>, k: usize, series: &Series) -> Markup {
    let quiet = curves.series.len() > SERIES;
    let most = (ALL_POINTS / curves.series.len().max(1)).clamp(8, POINTS);
    let points: Vec<CurvePoint> = thinned(&series.points, most).copied().collect();
    let class =
        if quiet { "l".to_owned() } else { format!("s{}", k % crate::draw::palette::SERIES) };
    let places =
        |run: &[CurvePoint]| -> Vec<(f64, f64)> { run.iter().map(|p| plane.place(p)).collect() };
    let runs = points.split(|p| !curves.can_hold(p)).map(|run| polyline(&class, &places(run)));
    let (wide, dash) = if quiet { ("0.7", None) } else { ("2", dash(k)) };
    let lines = html! {
        g stroke-width=(wide) stroke-dasharray=[dash] { (all(runs)) }
        (fit(curves, plane, series, &class))
    };
    if quiet {
        return with_tooltip(&series.name, &lines);
    }
    let every = points.len().div_ceil(MARKED).max(1);
    let marks = points.iter().step_by(every).filter(|p| curves.can_hold(p));
    html! { (lines) (all(marks.map(|p| point(curves, plane, k, series, p)))) }
}

/// A mark with its interval.
fn point(
    curves: &Curves,
    plane: &Plane<'_>,
    k: usize,
    series: &Series,
    point: &CurvePoint,
) -> Markup {
    let (x, y) = plane.place(point);
    let class = format!("s{}", k % crate::draw::palette::SERIES);
    let body = html! {
        @if let Some([a, b]) = point.interval.filter(|i| i.iter().all(|v| v.is_finite())) {
            @let (a, b) = (plane.up.axis.place(a), plane.up.axis.place(b));
            (line(&class, (x, a), (x, b)))
            (line(&class, (x - 3.0, a), (x + 3.0, a)))
            (line(&class, (x - 3.0, b), (x + 3.0, b)))
        }
        (marker(k, (x, y), 4.0))
    };
    with_tooltip(
        &format!("{}: {}", fitted(&series.name, NAME_ROOM), curves.point_text(point)),
        &body,
    )
}

fn fit(curves: &Curves, plane: &Plane<'_>, series: &Series, class: &str) -> Markup {
    let points = thinned(&series.fit, POINTS).map(|&[x, y]| CurvePoint { x, y, interval: None });
    let places: Vec<(f64, f64)> =
        points.filter(|p| curves.can_hold(p)).map(|p| plane.place(&p)).collect();
    html! { g stroke-width="1" { (polyline(class, &places)) } }
}
