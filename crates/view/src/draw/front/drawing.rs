//! The plane as SVG.

use maud::{Markup, html};

use super::LabelSpace;
use super::{Front, FrontPoint, MOST};
use crate::draw::Drawing;
use crate::draw::axis::Axis;
use crate::draw::block::Frame;
use crate::draw::canvas::{all, circle, line, n, polyline, text, with_tooltip};
use crate::draw::figure::precise;
use crate::draw::label::{LINE, SIZE, fitted, width};
use crate::draw::ruler::{BELOW, Ruler};
use crate::draw::svg::WIDTH;
use crate::draw::thinned::thinned;

/// The height of the plane, user units.
const HEIGHT: f64 = 380.0;
/// Radius of a point on the front, and of another, user units.
const ON_FRONT: f64 = 5.5;
const OFF: f64 = 4.0;
/// The most room for a name beside its point, and the height it takes, user units.
const NAME_ROOM: f64 = 280.0;
const NAME_HIGH: f64 = 16.0;
/// Points that are named, and that the key may hold.
const NAMED: usize = 100;
const KEYED: usize = 40;

/// A point and where it stands.
struct PlacedPoint<'a> {
    point: &'a FrontPoint,
    at: (f64, f64),
    /// Where its interval begins and ends.
    whisker: Option<(f64, f64)>,
}

pub(super) fn of(front: &Front) -> Drawing {
    let (across, up) = front.on_axes();
    let up = Ruler::over(up, &front.up, (HEIGHT, 0.0), 6);
    let (left, right) = (up.room(), WIDTH - 8.0);
    let across = Ruler::over(across, &front.across, (left, right), 8);
    let (on, off, placing_notes) = placed(front, &across.axis, &up.axis);
    let stairs = stairs(&on, front.more_is_better);
    let room = Frame { x: left + 2.0, y: 2.0, width: right - left - 2.0, height: HEIGHT - 4.0 };
    let mut labels = LabelSpace::new(room, front.more_is_better);
    occupy(&mut labels, &on, &off, &stairs);
    let (names, mut notes) = named(&on, &off, &mut labels);
    notes.extend(placing_notes);
    let base = HEIGHT + LINE + BELOW + SIZE;
    let (notes, notes_height) = in_columns(&notes, base);
    let body = html! {
        (up.beside((left, right), (0.0, HEIGHT)))
        (across.below((left, right), (0.0, HEIGHT)))
        (corner(front, (left, right), HEIGHT + BELOW + SIZE))
        (polyline("s0", &stairs))
        (all(off.iter().chain(&on).map(drawn)))
        (names)
        (notes)
    };
    Drawing { width: WIDTH, height: base + notes_height, body }
}

/// The points on the front and off it that the axes hold, and notes about others.
fn placed<'a>(
    front: &'a Front,
    across: &Axis,
    up: &Axis,
) -> (Vec<PlacedPoint<'a>>, Vec<PlacedPoint<'a>>, Vec<String>) {
    let (on, off): (Vec<&FrontPoint>, Vec<&FrontPoint>) = front
        .points
        .iter()
        .filter(|point| across.holds(point.x) && up.holds(point.y))
        .partition(|point| point.on_front);
    let notes =
        front.notes(front.points.len() - on.len() - off.len(), on.len() > MOST || off.len() > MOST);
    let place = |point: &&'a FrontPoint| {
        let whisker = point.interval.filter(|ends| ends.iter().all(|end| across.holds(*end)));
        let whisker = whisker.map(|[from, to]| (across.place(from), across.place(to)));
        PlacedPoint { point, at: (across.place(point.x), up.place(point.y)), whisker }
    };
    (thinned(&on, MOST).map(place).collect(), thinned(&off, MOST).map(place).collect(), notes)
}

/// From the best across to the best up: behind these steps, everything is beaten by a point on
/// them.
fn stairs(on: &[PlacedPoint<'_>], more_is_better: bool) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = on.iter().map(|placed| placed.at).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    if more_is_better {
        points.reverse();
    }
    let mut stairs: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        stairs.extend(stairs.last().map(|(_, last)| (x, *last)));
        stairs.push((x, y));
    }
    stairs
}

/// Points, whiskers and steps: no name stands on them.
fn occupy(
    labels: &mut LabelSpace,
    on: &[PlacedPoint<'_>],
    off: &[PlacedPoint<'_>],
    stairs: &[(f64, f64)],
) {
    for placed in on.iter().chain(off) {
        labels.take(Frame::between(placed.at, placed.at, OFF + 1.0));
        if let Some((from, to)) = placed.whisker {
            labels.take(Frame::between((from, placed.at.1), (to, placed.at.1), 2.0));
        }
    }
    for step in stairs.windows(2) {
        labels.take(Frame::between(step[0], step[1], 1.0));
    }
}

/// Bold on the front, hollow and quiet off it.
fn drawn(placed: &PlacedPoint<'_>) -> Markup {
    let (point, (x, y)) = (placed.point, placed.at);
    let mut words = format!(
        "{}: {}, {}",
        fitted(&point.called(), 2.0 * NAME_ROOM),
        precise(point.x),
        precise(point.y)
    );
    if let Some([from, to]) = point.interval {
        words += &format!(", interval {} to {}", precise(from), precise(to));
    }
    let body = html! {
        @if let Some((from, to)) = placed.whisker { (line("l", (from, y), (to, y))) }
        @if point.on_front {
            (circle("f0", (x, y), ON_FRONT))
        } @else {
            circle class="p" cx=(n(x)) cy=(n(y)) r=(n(OFF)) {}
        }
    };
    with_tooltip(&words, &body)
}

/// Names beside points, those of the front first, or numbers there and the names in lines of a key.
fn named(
    on: &[PlacedPoint<'_>],
    off: &[PlacedPoint<'_>],
    labels: &mut LabelSpace,
) -> (Markup, Vec<String>) {
    let (mut names, mut key, mut number) = (Vec::new(), Vec::new(), 0);
    let mut order: Vec<&PlacedPoint<'_>> = on.iter().chain(off).collect();
    order.sort_by_key(|placed| placed.point.note.is_empty());
    for placed in order.into_iter().take(NAMED) {
        let class = if placed.point.on_front { "t d" } else { "q d" };
        let name = fitted(&placed.point.called(), NAME_ROOM);
        let mut write = |words: &str| {
            let place = labels.place(placed.at, (width(words), NAME_HIGH))?;
            names.push(text(class, place.x + place.width / 2.0, place.bottom() - 4.0, words));
            Some(())
        };
        if write(&name).is_none() {
            let shown = write(&(number + 1).to_string()).map(|()| number += 1);
            let at = format!("at {}, {}", precise(placed.point.x), precise(placed.point.y));
            key.push(
                shown.map_or_else(
                    || format!("{name}, {at}"),
                    |()| format!("{number}  {name}, {at}"),
                ),
            );
        }
    }
    let further = key.len().saturating_sub(KEYED) + (on.len() + off.len()).saturating_sub(NAMED);
    key.truncate(KEYED);
    if further > 0 {
        key.push(format!("{further} further names are in the table only."));
    }
    (all(names), key)
}

/// Lines in two columns, and the height they take.
fn in_columns(lines: &[String], y: f64) -> (Markup, f64) {
    let column = WIDTH / 2.0;
    let cells = lines.iter().enumerate().map(|(k, words)| {
        let (x, y) = (column * (k % 2) as f64, y + LINE * (k / 2) as f64);
        text("q", x, y + SIZE, &fitted(words, column - 10.0))
    });
    (all(cells), LINE * lines.len().div_ceil(2) as f64 + 4.0)
}

/// Which corner is best, in words below it.
fn corner(front: &Front, (left, right): (f64, f64), y: f64) -> Markup {
    let (class, x) = if front.more_is_better { ("h e", right) } else { ("h", left) };
    text(class, x, y, front.corner())
}
