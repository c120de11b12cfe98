//! What a line costs that another CPU holds, and what its home adds.

use serde_json::Value;

use crate::document::{cells, index, is_near, measured, median};
use crate::lab::{is_ready, undisturbed};
use crate::truth::Truth;

const MACHINE: &str = "epyc-7451-2p";
const NODES: usize = 8;
/// A hand-over takes a third of a millisecond, beside which it is little that the host is late.
const SLOWDOWN: f64 = 1500.0;

/// The nodes at which a cell's line may be at home. Each CPU is a node's only one; a row's CPU reads, a column's has written.
fn homes(cell: &Value, reader: usize, writer: usize) -> Vec<usize> {
    match cell["home"].as_str().unwrap() {
        "reader" => vec![reader],
        "writer" => vec![writer],
        "third" => (0..NODES).filter(|&node| node != reader && node != writer).collect(),
        other => panic!("no home is called {other}"),
    }
}

/// Every exchange between these CPUs, from every home, within 5 %; how many were looked at.
fn exchanges_as_put_in(cpus: &str) -> Result<usize, String> {
    let document =
        measured(MACHINE, SLOWDOWN, &format!("nearfar core-to-core --quick --cpus {cpus} --no-samples --json"));
    let truth = Truth::of(MACHINE);
    let part = &document["core_to_core"];
    let node = |axis: &str, at: usize| number_in(part[axis][at]["label"].as_str().unwrap());
    let mut looked_at = 0;
    for cell in cells(part) {
        let (row, column) = (index(&cell["row"]), index(&cell["column"]));
        let (reader, writer) = (node("rows", row), node("columns", column));
        let cost = |home: usize| match cell["state"].as_str().unwrap() {
            "handoff" => truth.one_way(reader, writer, home),
            "modified" => truth.modified(reader, writer, home),
            // Memory has it as well.
            _ => truth.latency(reader, home),
        };
        let costs: Vec<f64> = homes(cell, reader, writer).into_iter().map(cost).collect();
        let nearest = |found: f64| {
            found.clamp(costs.iter().copied().fold(f64::MAX, f64::min), costs.iter().copied().fold(0.0, f64::max))
        };
        let found = median(cell)? / SLOWDOWN;
        let what = format!("{} of CPUs {reader} and {writer}, at home with {}, ns", cell["state"], cell["home"]);
        is_near(&what, found, nearest(found), 0.05)?;
        looked_at += 1;
    }
    Ok(looked_at)
}

/// The number at the end of a label such as "CPU 4".
fn number_in(label: &str) -> usize {
    label.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Three exchanges and three homes, each way.
const OF_A_PAIR: usize = 2 * 3 * 3;

#[test]
fn lines_cost_what_their_state_and_their_home_make_them_cost() {
    if !is_ready("x86_64") {
        return;
    }
    assert_eq!(undisturbed(|| exchanges_as_put_in("0,4")), OF_A_PAIR);
}

#[test]
#[ignore = "long"]
fn within_a_package_as_well() {
    if !is_ready("x86_64") {
        return;
    }
    assert_eq!(undisturbed(|| exchanges_as_put_in("0-1")), OF_A_PAIR);
}
