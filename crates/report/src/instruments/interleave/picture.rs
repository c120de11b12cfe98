//! What interleaved memory gives, by its weights.

use std::collections::BTreeMap;

use nearfar_survey::{BestSpread, Interleave, Matrix, MatrixCell, SpreadLoad, SpreadStream};
use nearfar_view::draw::{Heading, HeatCell, HeatMap};

use crate::pictures::figures::{BENEATH_NOTE, heat_cell};
use crate::pictures::survey_pictures::{Shades, SurveyPicture, SurveyPictures};

/// Weights in a map, the best first.
const MAX_WEIGHTS: usize = 24;

/// A map for streams and one for loads; rows are weights.
pub(crate) fn draw(spread: &Interleave) -> SurveyPictures {
    let streams = spread.bandwidth.as_ref().and_then(|part| {
        let column =
            |row, kernel: &str| format!("{}, {kernel}", part.matrix.row_label(row).unwrap_or("?"));
        let place = |cell: &MatrixCell<SpreadStream>| {
            (cell.treatment.weights.clone(), column(cell.row, &cell.treatment.kernel))
        };
        let mut map = map(&part.matrix, place)?;
        spread.best.iter().for_each(|best| frame(&mut map, &column(best.row, &best.kernel), best));
        let own = spread.kernel_weights.as_ref();
        let own = own.map(|own| format!("The kernel's own weights are {own}."));
        Some(titled(map, "Bandwidth of interleaved memory, GB/s", STREAMS, own.as_deref()))
    });
    let loads = spread.latency.as_ref().and_then(|part| {
        let column = |row| part.matrix.row_label(row).unwrap_or("?").to_owned();
        let place =
            |cell: &MatrixCell<SpreadLoad>| (cell.treatment.weights.clone(), column(cell.row));
        let map = map(&part.matrix, place)?;
        Some(titled(map, "Latency of interleaved memory, ns", LOADS, None))
    });
    let streams = streams.map(|map| {
        let shades = if map.columns.len() > 1 { Shades::Columns } else { Shades::Even };
        SurveyPicture::Map(map, shades)
    });
    let loads = loads.map(|map| SurveyPicture::Map(map, Shades::Even));
    SurveyPictures::new(streams.into_iter().chain(loads), spread.why.clone())
}

const LOADS: &str = "Median cost of a dependent load of memory whose pages are interleaved over \
                     nodes by the weights of each row, from each group of CPUs; the fastest first";

const STREAMS: &str = "Bytes a second of all CPUs of a column together, in memory whose pages are \
                       interleaved over nodes by the weights of each row; by the first column, the \
                       best first";

/// Cells by weights and by who reads them: the best weights first, by the first column that has
/// them.
fn map<T>(
    matrix: &Matrix<T>,
    place: impl Fn(&MatrixCell<T>) -> (String, String),
) -> Option<HeatMap> {
    let (mut weights, mut columns, mut shown) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (cell, figure) in
        matrix.cells.iter().filter_map(|cell| Some((cell, heat_cell(cell, matrix.unit, None)?)))
    {
        let place = place(cell);
        for (names, name) in [(&mut weights, &place.0), (&mut columns, &place.1)] {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        shown.insert(place, figure);
    }
    let cells_of = |weights: &String| -> Vec<Option<HeatCell>> {
        columns
            .iter()
            .map(|column| shown.get(&(weights.clone(), column.clone())).cloned())
            .collect()
    };
    let sign = if matrix.unit.more_is_better() { -1.0 } else { 1.0 };
    let first = |row: &(String, Vec<Option<HeatCell>>)| {
        row.1.iter().flatten().next().map_or(f64::INFINITY, |cell| sign * cell.value)
    };
    let mut rows: Vec<_> =
        weights.into_iter().map(|weights| (weights.clone(), cells_of(&weights))).collect();
    rows.sort_by(|a, b| first(a).total_cmp(&first(b)));
    let (rows, cells): (Vec<String>, Vec<_>) = rows.into_iter().unzip();
    (!rows.is_empty()).then(|| HeatMap {
        unit: matrix.unit.symbol().to_owned(),
        more_is_better: matrix.unit.more_is_better(),
        row_axis: "weights".to_owned(),
        column_axis: "CPUs".to_owned(),
        rows,
        columns,
        cells,
        beneath_note: BENEATH_NOTE.to_owned(),
        mark_note: "these weights move most; some others may be as good".to_owned(),
        ..HeatMap::default()
    })
}

/// Frames what the document calls best; tooltips name the weights that may be as good.
fn frame(map: &mut HeatMap, column: &str, best: &BestSpread) {
    let Some(at) = map.columns.iter().position(|name| name == column) else { return };
    for (weights, cells) in map.rows.iter().zip(&mut map.cells) {
        let Some(cell) = &mut cells[at] else { continue };
        if *weights == best.weights {
            cell.marked = true;
            cell.tooltip += "; moves most";
        } else if best.as_good.contains(weights) {
            cell.tooltip += "; ties with the best";
        }
    }
}

fn titled(mut map: HeatMap, title: &str, shows: &str, own: Option<&str>) -> HeatMap {
    let more = map.rows.len().saturating_sub(MAX_WEIGHTS);
    map.rows.truncate(MAX_WEIGHTS);
    map.cells.truncate(MAX_WEIGHTS);
    let rest = (more > 0).then(|| format!("{more} more are in the document."));
    map.heading = Heading::with_marks(title, shows, own.into_iter().chain(rest.as_deref()));
    map
}
