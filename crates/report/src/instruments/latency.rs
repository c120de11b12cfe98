//! Latency: the matrix of costs, or what its probe shows in place of one.

mod core_walk;
mod cost_matrix;
mod picture;
mod store_sweep;

use nearfar_survey::{Cell, Survey};

use super::InstrumentView;
use crate::printable;
use crate::survey::claimed::{Claimed, pair};

pub(super) const VIEW: InstrumentView = InstrumentView {
    text,
    in_short: text,
    // Its answer is the verdict.
    answer: |_| None,
    csv,
    title: "What an access costs",
    draw: picture::draw,
};

fn text(survey: &Survey) -> String {
    match survey.latency.probe.as_str() {
        "core-walk" => core_walk::text(&survey.latency),
        "store-sweep" => matrix(survey) + &store_sweep::seconds(survey),
        _ => matrix(survey),
    }
}

fn matrix(survey: &Survey) -> String {
    cost_matrix::text(&survey.latency, &Claimed::of(&survey.claims))
}

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
fn csv(survey: &Survey) -> String {
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
