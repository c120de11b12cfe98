//! Figures as pictures write them: few digits in a cell, all that is known in its tooltip.

use nearfar_model::Unit;
use nearfar_survey::{LevelPair, Matrix, MatrixCell, MatrixRow};
use nearfar_view::draw::{Heading, HeatCell, HeatLevel, HeatMap, HeatNote};
use nearfar_view::text::count;
use nearfar_view::text::{IN_A_TABLE, short_list};

use crate::survey::cell::{UNDETERMINED, larger_half};

/// What [`heat_cell`] writes beneath a figure.
pub(crate) const BENEATH_NOTE: &str = "half of the 95 % interval";

/// The unit of a picture's figures.
#[derive(Clone, Copy)]
pub(crate) struct PictureUnit {
    unit: Unit,
    /// Figures of `unit` in one of the picture's.
    scale: f64,
    pub(crate) symbol: &'static str,
}

impl PictureUnit {
    /// For times of disks.
    pub(crate) const MICROSECONDS: Self =
        Self { unit: Unit::Nanoseconds, scale: 1000.0, symbol: "µs" };

    fn shown(self, figure: f64) -> f64 {
        self.unit.shown(figure) / self.scale
    }
}

impl From<Unit> for PictureUnit {
    fn from(unit: Unit) -> Self {
        Self { unit, scale: 1.0, symbol: unit.symbol() }
    }
}

/// Whether the margin of error (95 %) exceeds the median.
pub(crate) fn is_undetermined<T>(cell: &MatrixCell<T>) -> bool {
    let margin = cell.median.zip(cell.ci95);
    margin.is_some_and(|(median, interval)| larger_half(median, interval) > median)
}

/// A cell of a map, with half its interval beneath, or with its two typical values; none where
/// nothing was measured. An undetermined cell has no colour.
pub(crate) fn heat_cell<T>(
    cell: &MatrixCell<T>,
    unit: impl Into<PictureUnit>,
    pair: Option<&LevelPair>,
) -> Option<HeatCell> {
    let unit = unit.into();
    let median = cell.median?;
    // Equal samples differ by what arithmetic loses.
    let half = |interval| Some(larger_half(median, interval)).filter(|half| *half > 1e-9 * median);
    let spread = cell.ci95.map(|interval| {
        format!("±{}", half(interval).map_or("0".into(), |half| short(unit.shown(half))))
    });
    let value = unit.shown(median);
    if is_undetermined(cell) {
        return Some(HeatCell {
            value: f64::NAN,
            shown: UNDETERMINED.to_owned(),
            tooltip: format!("{UNDETERMINED}: {}", tooltip(cell, unit, pair)),
            ..HeatCell::default()
        });
    }
    let shown = short(value);
    let interval = spread.as_ref().map(|spread| format!("{shown} {spread}"));
    Some(HeatCell {
        value,
        exact: pair.map(|pair| levels_text(pair, unit)).or(interval),
        shown,
        beneath: spread
            .map(|text| HeatNote { text, is_in_exact: pair.is_none() })
            .into_iter()
            .collect(),
        levels: pair.map(|pair| pair.values.map(|value| heat_level(unit.shown(value)))),
        tooltip: tooltip(cell, unit, pair),
        marked: false,
    })
}

fn heat_level(value: f64) -> HeatLevel {
    HeatLevel { value, shown: short(value) }
}

/// "22.5 in 14 samples, 43.0 in 6".
fn levels_text(pair: &LevelPair, unit: PictureUnit) -> String {
    let [low, high] = pair.values.map(|value| short(unit.shown(value)));
    let [at_low, at_high] = pair.samples;
    format!("{low} in {}, {high} in {at_high}", count(at_low, "sample"))
}

/// A matrix as a map of its rows (CPUs) and columns (memory), without a scale of its own.
pub(crate) fn map_of<T>(
    matrix: &Matrix<T>,
    heading: Heading,
    cell: impl Fn(usize, usize) -> Option<HeatCell>,
) -> HeatMap {
    let cell = &cell;
    let row = |row| (0..matrix.columns.len()).map(move |column| cell(row, column)).collect();
    HeatMap {
        heading,
        unit: matrix.unit.symbol().to_owned(),
        more_is_better: matrix.unit.more_is_better(),
        row_axis: "CPUs".to_owned(),
        column_axis: "memory".to_owned(),
        rows: matrix.rows.iter().map(row_name).collect(),
        columns: matrix.columns.iter().map(|column| column.label.clone()).collect(),
        cells: (0..matrix.rows.len()).map(row).collect(),
        beneath_note: BENEATH_NOTE.to_owned(),
        ..HeatMap::default()
    }
}

/// Cells of a map at most; a machine of 2,048 CPUs has as many pairs.
const MAX_CELLS: usize = 1 << 22;

/// Why a matrix is not drawn: one that is larger than any machine's would take all memory.
pub(crate) fn too_large<T>(matrix: &Matrix<T>) -> Option<String> {
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    let cells = rows.saturating_mul(columns);
    (cells > MAX_CELLS).then(|| {
        format!(
            "{rows} × {columns} cells are not drawn: 'nearfar show FILE --csv' lists those that \
             have figures."
        )
    })
}

/// "CPUs of node 0, memory of node 1".
pub(crate) fn place_name(row: &str, column: &str) -> String {
    format!("CPUs of {row}, memory of {column}")
}

/// "node 0 · CPUs 0-5,48-53".
fn row_name(row: &MatrixRow) -> String {
    let cpus = short_list(&row.cpus, IN_A_TABLE);
    let noun = if row.cpus.len() == 1 { "CPU" } else { "CPUs" };
    format!("{} · {noun} {cpus}", row.label)
}

/// Three digits or so: "97.3", "167", "1.72".
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e6.. => format!("{value:.2e}"),
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        0.0995.. => format!("{value:.2}"),
        0.001.. => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

/// "97.3 ns, 95 % interval 96.9 to 97.8, 45 samples".
fn tooltip<T>(cell: &MatrixCell<T>, unit: PictureUnit, pair: Option<&LevelPair>) -> String {
    let Some(median) = cell.median else {
        return cell.why.clone().unwrap_or_else(|| "not measured".to_owned());
    };
    let interval = cell.ci95.map_or_else(String::new, |[low, high]| {
        format!(", 95 % interval {} to {}", exact(unit.shown(low)), exact(unit.shown(high)))
    });
    let samples = (cell.samples > 0).then(|| format!(", {}", count(cell.samples, "sample")));
    let samples = samples.unwrap_or_default();
    let levels = pair.map(|pair| format!("; two typical values: {}", levels_text(pair, unit)));
    let levels = levels.unwrap_or_default();
    format!("{} {}{interval}{samples}{levels}", exact(unit.shown(median)), unit.symbol)
}

/// A digit more than [`short`].
pub(crate) fn exact(value: f64) -> String {
    match value.abs() {
        1e6.. => format!("{value:.3e}"),
        999.5.. => format!("{value:.0}"),
        99.95.. => format!("{value:.1}"),
        9.995.. => format!("{value:.2}"),
        0.0995.. => format!("{value:.3}"),
        0.001.. => format!("{value:.5}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undetermined_cells_have_no_colour() {
        let cell = |ci95| MatrixCell::<()> {
            median: Some(96.9),
            ci95: Some(ci95),
            samples: 1,
            ..MatrixCell::default()
        };
        let shown = heat_cell(&cell([11.9, 791.1]), Unit::Nanoseconds, None).unwrap();
        assert!(shown.value.is_nan());
        assert_eq!(shown.shown, "undetermined");
        assert_eq!(shown.tooltip, "undetermined: 96.90 ns, 95 % interval 11.90 to 791.1, 1 sample");
        let known = heat_cell(&cell([96.0, 98.0]), Unit::Nanoseconds, None).unwrap();
        assert_eq!((known.value, known.shown.as_str()), (96.9, "96.9"));
    }

    #[test]
    fn figures_have_about_three_digits() {
        let shown: Vec<String> =
            [97.34, 167.2, 1.7213, 0.0, 1234.5, 3e7].into_iter().map(short).collect();
        assert_eq!(shown, ["97.3", "167", "1.72", "0", "1234", "3.00e7"]);
    }
}
