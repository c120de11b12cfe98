//! Latency: the matrix of costs, or what its probe shows in place of one.

mod core_walk;
mod cost_matrix;
mod picture;
mod store_sweep;

use nearfar_survey::{Cell, Survey};
use nearfar_terminal::printable;

use super::InstrumentView;
use crate::survey::claimed::{Claimed, pair};
use crate::survey::csv::{figures_of, place_of};

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

const HEADER: [&str; 15] = [
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

fn record(survey: &Survey, claimed: &Claimed<'_>, cell: &Cell) -> Vec<String> {
    let matrix = &survey.latency;
    let pair = pair(matrix, cell.row, cell.column);
    let claims = [
        matrix.probe.clone(),
        claimed.distance(pair).map(|distance| distance.to_string()).unwrap_or_default(),
        claimed.latency_ns(pair).map(|ns| ns.to_string()).unwrap_or_default(),
    ];
    place_of(matrix, cell).into_iter().chain(figures_of(cell)).chain(claims).collect()
}
