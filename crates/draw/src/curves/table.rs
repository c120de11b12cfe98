//! Curves as rows of text.

use super::place_marks::said;
use super::{CurvePoint, Curves, POINTS};
use crate::Table;
use crate::figure::written;
use crate::thinned::thinned;

/// A row a point; then a row a place that has a name.
pub(crate) fn told(curves: &Curves) -> Table {
    let mut rows = Vec::new();
    for series in &curves.series {
        for point in thinned(&series.points, POINTS) {
            let interval = point.interval.map(|i| interval(curves, i)).unwrap_or_default();
            let (x, y) = (written(point.x, curves.across.numbers), written(point.y, curves.up.numbers));
            rows.push(vec![series.name.clone(), x, y, interval]);
        }
    }
    for mark in &curves.marks {
        rows.push(vec![said(curves, mark), written(mark.x, curves.across.numbers), String::new(), String::new()]);
    }
    let columns = ["series", &curves.across.label, &curves.up.label, "interval"].map(str::to_owned).to_vec();
    Table { columns, rows }
}

/// A point in words: "2.5, 97.3 (96.8 to 97.9)".
pub(crate) fn point_said(curves: &Curves, point: &CurvePoint) -> String {
    let interval = point.interval.map(|i| format!(" ({})", interval(curves, i))).unwrap_or_default();
    format!("{}, {}{interval}", written(point.x, curves.across.numbers), written(point.y, curves.up.numbers))
}

fn interval(curves: &Curves, [low, high]: [f64; 2]) -> String {
    format!("{} to {}", written(low, curves.up.numbers), written(high, curves.up.numbers))
}
