//! Latency under load, over the traffic of the loading CPUs.

use nearfar_survey::{LoadTreatment, Loaded, LoadingCurve, MatrixCell};
use nearfar_view::draw::{CurvePoint, Curves, Heading, PlaceMark, Quantity, Series};

use crate::pictures::figures::place_name;
use crate::pictures::survey_pictures::{SurveyPicture, SurveyPictures};
use crate::survey::cell::GB;

/// Curves in one picture; more hide each other.
const MAX_IN_ONE: usize = 8;
/// Pictures; a machine of many nodes has more curves, and its CSV has them all.
const MOST: usize = 64;
/// Knees that are marked, where curves are few.
const MAX_KNEES: usize = 3;

/// A picture for each few curves.
pub(crate) fn draw(loaded: &Loaded) -> SurveyPictures {
    let drawn = loaded.curves.chunks(MAX_IN_ONE).take(MOST).map(|chunk| picture(loaded, chunk));
    let more = loaded.curves.len().saturating_sub(MOST * MAX_IN_ONE);
    let note = (more > 0)
        .then(|| format!("{more} curves more: 'nearfar show FILE --part loaded --csv' has them."));
    SurveyPictures::new(
        drawn
            .filter(|one| one.series.iter().any(|series| !series.points.is_empty()))
            .map(SurveyPicture::Curves),
        note,
    )
}

fn picture(loaded: &Loaded, curves: &[LoadingCurve]) -> Curves {
    let knees = if loaded.curves.len() > MAX_KNEES { &[] } else { curves };
    let marks: Vec<PlaceMark> = knees.iter().filter_map(|curve| knee(loaded, curve)).collect();
    Curves {
        heading: Heading::with_marks(
            "Latency under load, ns",
            format!(
                "Median latency of one CPU's dependent accesses while other CPUs stream ({}, {}), \
                 over their traffic, GB/s",
                loaded.kernel, loaded.isa
            ),
            [
                "Bars: 95 % intervals.",
                if marks.is_empty() { "" } else { "A knee is where latency exceeds idle by 20 %." },
            ],
        ),
        across: Quantity {
            label: "traffic of the others, GB/s".to_owned(),
            from_zero: true,
            ..Quantity::default()
        },
        up: Quantity { label: "latency, ns".to_owned(), from_zero: true, ..Quantity::default() },
        series: curves.iter().map(|curve| series(loaded, curve)).collect(),
        marks,
    }
}

fn series(loaded: &Loaded, curve: &LoadingCurve) -> Series {
    let points = loaded.curve(curve.row, curve.column, curve.aggressors);
    Series {
        name: name(loaded, curve),
        points: points.into_iter().filter_map(point).collect(),
        fit: Vec::new(),
    }
}

fn point(cell: &MatrixCell<LoadTreatment>) -> Option<CurvePoint> {
    let traffic =
        cell.traffic_bytes_per_s.or((cell.treatment == LoadTreatment::IDLE).then_some(0.0))?;
    Some(CurvePoint { x: traffic / GB, y: cell.median?, interval: cell.ci95 })
}

fn knee(loaded: &Loaded, curve: &LoadingCurve) -> Option<PlaceMark> {
    let knee = curve.curve.knee_bytes_per_s.as_ref()?;
    let [low, high] = knee.ci95;
    let mut label = format!("knee {:.1} GB/s", knee.value / GB);
    if loaded.curves.len() > 1 {
        label += &format!(", {}", name(loaded, curve));
    }
    Some(PlaceMark {
        x: knee.value / GB,
        interval: Some([low / GB, high / GB]),
        label,
        claimed: false,
    })
}

/// "CPUs of node 0, memory of node 0, load from node 1".
fn name(loaded: &Loaded, curve: &LoadingCurve) -> String {
    let matrix = &loaded.part.matrix;
    let row = |row| matrix.row_label(row).unwrap_or("?");
    let load =
        (curve.aggressors != curve.row).then(|| format!(", load from {}", row(curve.aggressors)));
    let column = matrix.column_label(curve.column).unwrap_or("?");
    place_name(row(curve.row), column) + &load.unwrap_or_default()
}
