//! Cells for a spreadsheet: one line a cell, empty where nothing was measured or claimed.

use nearfar_survey::{Matrix, MatrixCell};

use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::{ends, or_empty};

/// A part's cells: row and column, what they were visited with, figures.
pub(crate) fn cells<'m, T, const N: usize>(
    matrix: &'m Matrix<T>,
    names: &str,
    treatment: impl Fn(&MatrixCell<T>) -> [String; N] + 'm,
) -> CsvTable<'m> {
    let unit = matrix.unit.suffix();
    let figures =
        format!("q25_{unit},median_{unit},se,ci95_low_{unit},ci95_high_{unit},samples,dropped,why");
    let record = move |cell| {
        place_of(matrix, cell).into_iter().chain(treatment(cell)).chain(figures_of(cell))
    };
    let header = format!("row,column,cpus,node,{names},{figures}");
    CsvTable::new(header, matrix.cells.iter().map(record))
}

/// Row, column, CPUs and node of a cell.
pub(crate) fn place_of<T>(matrix: &Matrix<T>, cell: &MatrixCell<T>) -> [String; 4] {
    [
        or_empty(matrix.row_label(cell.row)),
        or_empty(matrix.column_label(cell.column)),
        cell.cpus.to_string(),
        or_empty(cell.node),
    ]
}

/// Its figures; empty where it has none.
pub(crate) fn figures_of<T>(cell: &MatrixCell<T>) -> [String; 8] {
    let [low, high] = ends(cell.ci95);
    [
        or_empty(cell.q25),
        or_empty(cell.median),
        or_empty(cell.se),
        low,
        high,
        cell.samples.to_string(),
        cell.dropped.values().copied().map(u64::from).sum::<u64>().to_string(),
        cell.why.clone().unwrap_or_default(),
    ]
}
