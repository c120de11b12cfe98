//! Latency over the size of what is accessed: the ladder of caches, with what the machine claims
//! about them.

use nearfar_survey::{Caches, FoundCaches, Paging};
use nearfar_view::draw::{
    AxisScale, CurvePoint, Curves, Heading, Numbers, PlaceMark, Quantity, Series,
};

use crate::pictures::survey_pictures::{SurveyPicture, SurveyPictures};

/// Rows that have a picture of their own; a machine of many CPUs has more, and its CSV has them
/// all.
const MAX_ROWS: usize = 16;

/// A picture for each row.
pub(crate) fn draw(caches: &Caches) -> SurveyPictures {
    let rows = caches.part.matrix.rows.len();
    let more = rows.saturating_sub(MAX_ROWS);
    let note = (more > 0)
        .then(|| format!("{more} rows more: 'nearfar show FILE --part caches --csv' has them."));
    let pictures = (0..rows.min(MAX_ROWS)).filter_map(|row| picture(caches, row));
    SurveyPictures::new(pictures.map(SurveyPicture::Curves), note)
}

fn picture(caches: &Caches, row: usize) -> Option<Curves> {
    let series: Vec<Series> =
        caches.part.treatments.iter().map(|paging| ladder(caches, row, paging)).collect();
    if series.iter().all(|one| one.points.is_empty()) {
        return None;
    }
    let label = caches.part.matrix.row_label(row).unwrap_or("?");
    let found = caches.found.iter().find(|found| found.row == row);
    let marks = found.map(marks).unwrap_or_default();
    Some(Curves {
        heading: Heading::with_marks(
            format!("Latency by size, {label}, ns"),
            "Median cost of a dependent access over the size of the buffer it walks",
            meanings(&series, &marks),
        ),
        across: Quantity {
            label: "size of the buffer".to_owned(),
            spacing: AxisScale::Logarithmic,
            numbers: Numbers::Bytes,
            ..Quantity::default()
        },
        up: Quantity {
            label: "latency, ns".to_owned(),
            spacing: AxisScale::Logarithmic,
            ..Quantity::default()
        },
        series,
        marks,
    })
}

/// What the curves and marks are, of those that are drawn.
fn meanings(series: &[Series], marks: &[PlaceMark]) -> Vec<&'static str> {
    let mut meanings = Vec::new();
    if marks.iter().any(|mark| !mark.claimed) {
        meanings.push("Solid marks: capacities as they were found, with 95 % intervals.");
    }
    if marks.iter().any(|mark| mark.claimed) {
        meanings.push("Dashed marks: what the machine claims.");
    }
    if series.iter().filter(|one| !one.points.is_empty()).count() > 1 {
        meanings.push("The difference between the curves is the cost of translating addresses.");
    }
    meanings
}

fn ladder(caches: &Caches, row: usize, paging: &Paging) -> Series {
    let cells =
        caches.part.matrix.cells.iter().filter(|cell| cell.row == row && cell.treatment == *paging);
    let mut points: Vec<CurvePoint> = cells
        .filter_map(|cell| {
            let size = *caches.sizes_bytes.get(cell.column)?;
            Some(CurvePoint { x: size as f64, y: cell.median?, interval: cell.ci95 })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Series { name: format!("{} pages", paging.pages), points, fit: Vec::new() }
}

fn marks(found: &FoundCaches) -> Vec<PlaceMark> {
    let levels = found.levels.levels.iter().enumerate().map(|(at, level)| PlaceMark {
        x: level.capacity_bytes,
        interval: Some(level.capacity_bytes_ci95),
        label: format!("level {} ends", at + 1),
        claimed: false,
    });
    let claims = found.claims.iter().map(|claim| PlaceMark {
        x: claim.claim.bytes as f64,
        interval: None,
        label: format!("{} claimed", claim.claim.name),
        claimed: true,
    });
    levels.chain(claims).collect()
}
