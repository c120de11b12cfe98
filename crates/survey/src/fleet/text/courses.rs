//! Changes over time as pictures: a cell of each machine that changed, over its surveys.

use std::collections::BTreeSet;

use jiff::Timestamp;
use nearfar_view::draw::{CurvePoint, Curves, Heading, PlaceMark, Quantity, Series};

use crate::fleet::text::history::day;
use crate::fleet::{FleetChange, FleetChangeKind, FleetCourse, FleetHistory};

/// Changes with a picture; the document has all.
const MAX_COURSES: usize = 24;
const DAY_S: f64 = 86_400.0;

/// A picture for each of the first changes; of a common one, that of one machine.
pub fn courses(history: &FleetHistory) -> Vec<Curves> {
    let mut shown = BTreeSet::new();
    let is_first = |one: &&FleetChange| one.common.is_none_or(|common| shown.insert(common));
    let changes = history.changes.iter().filter(is_first);
    let with_course = changes.filter_map(|one| Some((one, one.course.as_ref()?)));
    with_course.take(MAX_COURSES).filter_map(|(change, course)| picture(change, course)).collect()
}

fn picture(change: &FleetChange, course: &FleetCourse) -> Option<Curves> {
    let unit = course.cell.unit;
    let first: Timestamp = course.points.first()?.started.parse().ok()?;
    let days = |time: &str| -> Option<f64> {
        let time: Timestamp = time.parse().ok()?;
        Some((time.as_second() - first.as_second()) as f64 / DAY_S)
    };
    let points = course.points.iter().filter_map(|point| {
        let interval = Some(point.ci95.map(|figure| unit.shown(figure)));
        Some(CurvePoint { x: days(&point.started)?, y: unit.shown(point.figure), interval })
    });
    let [before, after] = &change.between;
    let mark = PlaceMark {
        x: days(&change.since)?,
        interval: days(before).zip(days(after)).map(|(before, after)| [before, after]),
        label: match change.kind {
            FleetChangeKind::Step => format!("since {}", day(&change.since)),
            FleetChangeKind::Drift => format!("slowly up to {}", day(&change.since)),
        },
        claimed: false,
    };
    let what = format!("{}, {}", course.cell.instrument.replace('_', " "), unit.symbol());
    let from = day(&course.points.first()?.started);
    Some(Curves {
        heading: Heading::with_marks(
            format!("{}: {}", change.machine, course.cell),
            format!("The figure of each survey of {} since {from}", change.machine),
            ["Bars: 95 % intervals within a survey.", "The band is when it changed."],
        ),
        across: Quantity { label: format!("days since {from}"), ..Quantity::default() },
        up: Quantity { label: what, ..Quantity::default() },
        series: vec![Series {
            name: course.cell.to_string(),
            points: points.collect(),
            fit: Vec::new(),
        }],
        marks: vec![mark],
    })
}
