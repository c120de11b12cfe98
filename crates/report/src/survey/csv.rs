//! The cells of a survey for a spreadsheet: one line a cell, empty where nothing was measured or claimed.

use nearfar_survey::{Cell, Exchanging, Loading, Matrix, Paging, SpreadLoad, SpreadStream, Streaming, Survey};

use super::claimed::{Claimed, pair};
use super::load_records;
use crate::printable;

const COLUMNS: usize = 15;
const HEADER: [&str; COLUMNS] = [
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
    "claimed_distance",
    "claimed_read_latency_ns",
];

/// The latency matrix as CSV.
pub(super) fn latency_csv(survey: &Survey) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let claimed = Claimed::of(&survey.claims);
    // Writing to memory does not fail.
    let mut failed = writer.write_record(HEADER).is_err();
    for cell in &survey.latency.cells {
        failed |= writer.write_record(record(survey, &claimed, cell)).is_err();
    }
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    printable::lines(&String::from_utf8_lossy(&bytes))
}

/// Bandwidth as CSV, in bytes a second.
pub fn bandwidth_csv(survey: &Survey) -> String {
    let Some(bandwidth) = &survey.bandwidth else { return String::new() };
    let treatment = |cell: &Cell<Streaming>| [cell.treatment.kernel.clone(), cell.treatment.threads.to_string()];
    part(&bandwidth.part.matrix, ["kernel", "threads"], "bytes_per_s", treatment)
}

/// Pairs of CPUs as CSV, in nanoseconds one way.
pub fn core_to_core_csv(survey: &Survey) -> String {
    let Some(pairs) = &survey.core_to_core else { return String::new() };
    let treatment = |cell: &Cell<Exchanging>| [cell.treatment.state.clone(), cell.treatment.home.clone()];
    part(&pairs.part.matrix, ["state", "home"], "ns", treatment)
}

/// Sizes as CSV, in nanoseconds an access.
pub fn caches_csv(survey: &Survey) -> String {
    let Some(caches) = &survey.caches else { return String::new() };
    let treatment = |cell: &Cell<Paging>| {
        let bytes = caches.sizes_bytes.get(cell.column).map(u64::to_string).unwrap_or_default();
        [bytes, cell.treatment.pages.clone()]
    };
    part(&caches.part.matrix, ["bytes", "pages"], "ns", treatment)
}

/// Loaded latency as CSV: cells in nanoseconds, then what curves say and who shares a link, under headers of their own.
pub fn loaded_csv(survey: &Survey) -> String {
    let Some(loaded) = &survey.loaded else { return String::new() };
    let rows = &loaded.part.matrix.rows;
    let columns = &loaded.part.matrix.columns;
    let treatment = |cell: &Cell<Loading>| {
        let Loading { aggressors, aggressors_column, delay } = cell.treatment;
        let memory = aggressors.map(|_| aggressors_column.unwrap_or(cell.column));
        [
            aggressors.and_then(|row| rows.get(row)).map(|row| row.label.clone()).unwrap_or_default(),
            memory.and_then(|column| columns.get(column)).map(|column| column.label.clone()).unwrap_or_default(),
            delay.map(|delay| delay.to_string()).unwrap_or_default(),
            cell.traffic_bytes_per_s.map(|rate| rate.to_string()).unwrap_or_default(),
        ]
    };
    let names = ["aggressors", "aggressors_column", "delay", "traffic_bytes_per_s"];
    let cells = part(&loaded.part.matrix, names, "ns", treatment);
    cells + &table(&load_records::curves(loaded)) + &table(&load_records::links(loaded))
}

/// Records as they are.
fn table(records: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Writing to memory does not fail.
    let failed = records.iter().map(|record| writer.write_record(record).is_err()).fold(false, |a, b| a | b);
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    printable::lines(&String::from_utf8_lossy(&bytes))
}

/// Spread memory as CSV: streams in bytes a second, then loads in nanoseconds under a header of their own.
pub fn interleave_csv(survey: &Survey) -> String {
    let Some(spread) = &survey.interleave else { return String::new() };
    let stream = |cell: &Cell<SpreadStream>| [cell.treatment.weights.clone(), cell.treatment.kernel.clone()];
    let load = |cell: &Cell<SpreadLoad>| [cell.treatment.weights.clone(), cell.treatment.kernel.clone()];
    let names = ["weights", "kernel"];
    let streams = spread.bandwidth.as_ref().map(|streams| part(&streams.matrix, names, "bytes_per_s", stream));
    let loads = spread.latency.as_ref().map(|loads| part(&loads.matrix, names, "ns", load));
    streams.into_iter().chain(loads).collect()
}

/// Kinds of pages as CSV, in nanoseconds.
pub fn hidden_csv(survey: &Survey) -> String {
    let Some(hidden) = &survey.hidden else { return String::new() };
    let kind = |cell: &Cell| {
        let kind = hidden.pages.kinds.get(cell.column);
        let address = |end: usize| kind.and_then(|kind| kind.address_bytes).map(|bytes| bytes[end].to_string());
        [
            hidden.finding.clone(),
            kind.map(|kind| kind.share.to_string()).unwrap_or_default(),
            address(0).unwrap_or_default(),
            address(1).unwrap_or_default(),
        ]
    };
    part(&hidden.matrix, ["finding", "share", "lowest_address_bytes", "highest_address_bytes"], "ns", kind)
}

/// A part's cells: row and column, what they were visited with, figures in this unit.
fn part<T, const N: usize>(
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
        let place = [
            matrix.rows.get(cell.row).map(|row| row.label.clone()).unwrap_or_default(),
            matrix.columns.get(cell.column).map(|column| column.label.clone()).unwrap_or_default(),
            cell.cpus.to_string(),
            cell.node.map(|node| node.to_string()).unwrap_or_default(),
        ];
        let record = place.into_iter().chain(treatment(cell)).chain(figures_of(cell));
        failed |= writer.write_record(record).is_err();
    }
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    printable::lines(&String::from_utf8_lossy(&bytes))
}

fn figures_of<T>(cell: &Cell<T>) -> [String; 8] {
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

fn record(survey: &Survey, claimed: &Claimed<'_>, cell: &Cell) -> [String; COLUMNS] {
    let matrix = &survey.latency;
    let pair = pair(matrix, cell.row, cell.column);
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
        claimed.distance(pair).map(|distance| distance.to_string()).unwrap_or_default(),
        claimed.latency_ns(pair).map(|ns| ns.to_string()).unwrap_or_default(),
    ]
}
