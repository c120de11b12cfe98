//! Cells for a spreadsheet: one line a cell, empty where nothing was measured or claimed.

use nearfar_survey::{Cell, Matrix};
use nearfar_terminal::printable;

/// A part's cells: row and column, what they were visited with, figures in this unit.
pub(crate) fn cells<T, const N: usize>(
    matrix: &Matrix<T>,
    names: [&str; N],
    unit: &str,
    treatment: impl Fn(&Cell<T>) -> [String; N],
) -> String {
    let figures = ["q25_{}", "median_{}", "se", "ci95_low_{}", "ci95_high_{}", "samples", "dropped", "why"];
    let head = ["row", "column", "cpus", "node"].into_iter().chain(names).map(str::to_owned);
    let header: Vec<String> = head.chain(figures.iter().map(|name| name.replace("{}", unit))).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let mut failed = writer.write_record(header).is_err();
    for cell in &matrix.cells {
        let record = place_of(matrix, cell).into_iter().chain(treatment(cell)).chain(figures_of(cell));
        failed |= writer.write_record(record).is_err();
    }
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    printable::lines(&String::from_utf8_lossy(&bytes))
}

/// Row, column, CPUs and node of a cell.
pub(crate) fn place_of<T>(matrix: &Matrix<T>, cell: &Cell<T>) -> [String; 4] {
    [
        matrix.rows.get(cell.row).map(|row| row.label.clone()).unwrap_or_default(),
        matrix.columns.get(cell.column).map(|column| column.label.clone()).unwrap_or_default(),
        cell.cpus.to_string(),
        cell.node.map(|node| node.to_string()).unwrap_or_default(),
    ]
}

/// Its figures; empty where it has none.
pub(crate) fn figures_of<T>(cell: &Cell<T>) -> [String; 8] {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        number(cell.q25),
        number(cell.median),
        number(cell.se),
        number(cell.ci95.map(|interval| interval[0])),
        number(cell.ci95.map(|interval| interval[1])),
        cell.samples.to_string(),
        cell.dropped.values().copied().map(u64::from).sum::<u64>().to_string(),
        cell.why.clone().unwrap_or_default(),
    ]
}

/// Records as they are.
pub(crate) fn table(records: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Writing to memory does not fail.
    let failed = records.iter().map(|record| writer.write_record(record).is_err()).fold(false, |a, b| a | b);
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    printable::lines(&String::from_utf8_lossy(&bytes))
}

/// The same lines with the part's name before each of them, "part" before headers.
pub(crate) fn with_part(part: &str, text: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
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
