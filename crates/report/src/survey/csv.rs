//! The cells of a survey for a spreadsheet: one line a cell, empty where nothing was measured.

use nearfar_survey::{Cell, Survey};

use crate::printable;

const HEADER: [&str; 13] = [
    "row",
    "column",
    "cpus",
    "node",
    "q25_ns",
    "median_ns",
    "se",
    "ci95_low_ns",
    "ci95_high_ns",
    "samples",
    "dropped",
    "why",
    "probe",
];

/// The latency matrix as CSV (RFC 4180), rows and columns by label.
pub fn csv(survey: &Survey) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let mut failed = writer.write_record(HEADER).is_err();
    for cell in &survey.latency.cells {
        failed |= writer.write_record(record(survey, cell)).is_err();
    }
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    printable::lines(&String::from_utf8_lossy(&bytes))
}

fn record(survey: &Survey, cell: &Cell) -> [String; 13] {
    let matrix = &survey.latency;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        matrix.rows.get(cell.row).map(|row| row.label.clone()).unwrap_or_default(),
        matrix.columns.get(cell.column).map(|column| column.label.clone()).unwrap_or_default(),
        cell.cpus.to_string(),
        cell.node.map(|node| node.to_string()).unwrap_or_default(),
        number(cell.q25),
        number(cell.median),
        number(cell.se),
        number(cell.ci95.map(|interval| interval[0])),
        number(cell.ci95.map(|interval| interval[1])),
        cell.samples.to_string(),
        cell.dropped.values().copied().map(u64::from).sum::<u64>().to_string(),
        cell.why.clone().unwrap_or_default(),
        matrix.probe.clone(),
    ]
}
