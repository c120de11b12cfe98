//! Latency over the traffic beside it.

use nearfar_draw::{CurvePoint, Curves, Heading, PlaceMark, Quantity, Series, Spacing};
use nearfar_survey::{Cell, Loaded, Loading, LoadingCurve, Survey};

use crate::pictures::figures::GB;
use crate::pictures::shown::{Drawn, Shown};

/// Curves in one picture; more hide each other.
const MOST_IN_ONE: usize = 8;
/// Pictures; a machine of many nodes has more curves, and its CSV has them all.
const MOST: usize = 64;
/// Knees that are marked, where curves are few.
const MOST_KNEES: usize = 3;

/// A picture for each few curves.
pub(super) fn draw(survey: &Survey) -> Shown {
    let Some(loaded) = &survey.loaded else { return Shown::default() };
    let drawn = loaded.curves.chunks(MOST_IN_ONE).take(MOST).map(|chunk| picture(loaded, chunk));
    let is_there = |one: &Curves| one.series.iter().any(|series| !series.points.is_empty());
    let shown = Shown { pictures: drawn.filter(is_there).map(Drawn::Curves).collect(), remarks: Vec::new() };
    match loaded.curves.len().saturating_sub(MOST * MOST_IN_ONE) {
        0 => shown,
        more => shown.remark(format!("{more} curves more: nearfar show FILE --part loaded --csv has them.")),
    }
}

fn picture(loaded: &Loaded, curves: &[LoadingCurve]) -> Curves {
    let knees = if loaded.curves.len() > MOST_KNEES { &[] } else { curves };
    Curves {
        heading: Heading::new(
            "Latency beside traffic, ns",
            format!(
                "Median latency of one CPU's dependent accesses while other CPUs stream ({}, {}), over what these move, GB/s. Bars and bands: 95 % intervals. {}",
                loaded.kernel,
                loaded.isa,
                if knees.is_empty() { "" } else { "A knee is where latency exceeds idle by 20 %." }
            ),
        ),
        across: Quantity { label: "traffic of the others, GB/s".to_owned(), from_zero: true, ..Quantity::default() },
        up: Quantity {
            label: "latency, ns".to_owned(),
            spacing: Spacing::Linear,
            from_zero: true,
            ..Quantity::default()
        },
        series: curves.iter().map(|curve| series(loaded, curve)).collect(),
        marks: knees.iter().filter_map(|curve| knee(loaded, curve)).collect(),
    }
}

fn series(loaded: &Loaded, curve: &LoadingCurve) -> Series {
    let points = loaded.curve(curve.row, curve.column, curve.aggressors);
    Series { name: name(loaded, curve), points: points.into_iter().filter_map(point).collect(), fit: Vec::new() }
}

fn point(cell: &Cell<Loading>) -> Option<CurvePoint> {
    let traffic = cell.traffic_bytes_per_s.or((cell.treatment == Loading::IDLE).then_some(0.0))?;
    Some(CurvePoint { x: traffic / GB, y: cell.median?, interval: cell.ci95 })
}

fn knee(loaded: &Loaded, curve: &LoadingCurve) -> Option<PlaceMark> {
    let knee = curve.curve.knee_bytes_per_s.as_ref()?;
    let [low, high] = knee.ci95;
    let label = format!("knee {:.1} GB/s, {}", knee.value / GB, name(loaded, curve));
    Some(PlaceMark { x: knee.value / GB, interval: Some([low / GB, high / GB]), label, claimed: false })
}

/// "node 0 in node 1", "node 0 in node 0, beside node 1".
fn name(loaded: &Loaded, curve: &LoadingCurve) -> String {
    let matrix = &loaded.part.matrix;
    let row = |row: usize| matrix.rows.get(row).map_or("?", |row| row.label.as_str());
    let column = matrix.columns.get(curve.column).map_or("?", |column| column.label.as_str());
    let beside =
        if curve.aggressors == curve.row { String::new() } else { format!(", beside {}", row(curve.aggressors)) };
    format!("{} in {column}{beside}", row(curve.row))
}
