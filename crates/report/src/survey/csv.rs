//! Cells for a spreadsheet: one line a cell, empty where nothing was measured or claimed.

use nearfar_survey::{Matrix, MatrixCell};
use nearfar_terminal::printable;

use crate::optional::or_empty;

/// Records under a header, which is written as it stands in the file.
pub(crate) fn under<R: IntoIterator<Item = String>>(
    header: &str,
    records: impl IntoIterator<Item = R>,
) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Writing to memory does not fail.
    let failed = records.into_iter().any(|record| writer.write_record(record).is_err());
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    format!("{header}\n{}", printable::lines(&String::from_utf8_lossy(&bytes)))
}

/// A part's cells: row and column, what they were visited with, figures.
pub(crate) fn cells<T, const N: usize>(
    matrix: &Matrix<T>,
    names: &str,
    treatment: impl Fn(&MatrixCell<T>) -> [String; N],
) -> String {
    let unit = matrix.unit.suffix();
    let figures =
        format!("q25_{unit},median_{unit},se,ci95_low_{unit},ci95_high_{unit},samples,dropped,why");
    let record =
        |cell| place_of(matrix, cell).into_iter().chain(treatment(cell)).chain(figures_of(cell));
    under(&format!("row,column,cpus,node,{names},{figures}"), matrix.cells.iter().map(record))
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

/// Both ends of an interval; empty where there is none.
pub(crate) fn ends(interval: Option<[impl ToString; 2]>) -> [String; 2] {
    interval.map_or_else(Default::default, |ends| ends.map(|end| end.to_string()))
}

/// The same lines with the part's name before each of them, "part" before headers.
pub(crate) fn with_part(part: &str, text: &str) -> String {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Reading what was just written does not fail, nor does writing to memory.
    let mut failed = false;
    for record in reader.records() {
        let Ok(record) = record else { return String::new() };
        let is_header = record.iter().take(2).eq(["row", "column"]);
        let name = if is_header { "part" } else { part };
        failed |= writer.write_record(std::iter::once(name).chain(&record)).is_err();
    }
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}
