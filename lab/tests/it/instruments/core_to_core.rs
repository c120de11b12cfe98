//! What a line costs that another CPU holds, and what its home adds.

use std::collections::BTreeSet;

use serde_json::Value;

use super::document::{cells, index, is_near, measured, median};
use super::truth::Truth;
use crate::lab::{is_ready, undisturbed};

pub(crate) const MACHINE: &str = "epyc-7451-2p";
const NODES: usize = 8;
/// A hand-over takes a third of a millisecond, beside which it is little that the host is late.
pub(crate) const SLOWDOWN: f64 = 1500.0;

/// The nodes at which a cell's line may be at home. Each CPU is a node's only one; a row's CPU
/// reads, a column's has written.
fn homes(cell: &Value, reader: usize, writer: usize) -> Vec<usize> {
    match cell["home"].as_str().unwrap() {
        "reader" => vec![reader],
        "writer" => vec![writer],
        "third" => (0..NODES).filter(|&node| node != reader && node != writer).collect(),
        other => panic!("no home is called {other}"),
    }
}

/// Adds the exchanges between these CPUs, from every home, that were found within 5 % of what was
/// put in; an error when any of them never was.
fn exchanges_as_put_in(cpus: &str, near: &mut BTreeSet<String>) -> Result<(), String> {
    let document = measured(
        MACHINE,
        SLOWDOWN,
        &format!("nearfar core-to-core --quick --cpus {cpus} --no-samples --json"),
    );
    let truth = Truth::of(MACHINE);
    let part = &document["core_to_core"];
    let node = |axis: &str, at: usize| number_in(part[axis][at]["label"].as_str().unwrap());
    let mut off = Vec::new();
    for cell in cells(part) {
        let (row, column) = (index(&cell["row"]), index(&cell["column"]));
        let (reader, writer) = (node("rows", row), node("columns", column));
        let what = format!(
            "{} of CPUs {reader} and {writer}, at home with {}, ns",
            cell["state"], cell["home"]
        );
        match is_as_put_in(&what, cell, reader, writer, &truth) {
            Ok(()) => drop(near.insert(what)),
            Err(_) if near.contains(&what) => {}
            Err(why) => off.push(why),
        }
    }
    if off.is_empty() { Ok(()) } else { Err(off.join("; ")) }
}

/// Whether an exchange costs what is modelled for the nearest of the homes that it may have.
fn is_as_put_in(
    what: &str,
    cell: &Value,
    reader: usize,
    writer: usize,
    truth: &Truth,
) -> Result<(), String> {
    let cost = |home: usize| match cell["state"].as_str().unwrap() {
        "handoff" => truth.one_way(reader, writer, home),
        "modified" => truth.modified(reader, writer, home),
        // Memory has it as well.
        _ => truth.latency(reader, home),
    };
    let costs: Vec<f64> = homes(cell, reader, writer).into_iter().map(cost).collect();
    let (least, most) =
        (costs.iter().copied().fold(f64::MAX, f64::min), costs.iter().copied().fold(0.0, f64::max));
    let found = median(cell)? / SLOWDOWN;
    is_near(what, found, found.clamp(least, most), 0.05)
}

/// The number at the end of a label such as "CPU 4".
pub(crate) fn number_in(label: &str) -> usize {
    label.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Three exchanges and three homes, each way.
const OF_A_PAIR: usize = 2 * 3 * 3;

/// Every exchange of the pair as it was put in, in one of some attempts each.
fn all_are_as_put_in(cpus: &str) {
    let mut near = BTreeSet::new();
    undisturbed(|| exchanges_as_put_in(cpus, &mut near));
    assert_eq!(near.len(), OF_A_PAIR, "{near:?}");
}

#[test]
#[ignore = "long: figures to the percent"]
fn lines_cost_what_their_state_and_their_home_make_them_cost() {
    if !is_ready("x86_64") {
        return;
    }
    all_are_as_put_in("0,4");
}

#[test]
#[ignore = "long: minutes"]
fn within_a_package_as_well() {
    if !is_ready("x86_64") {
        return;
    }
    all_are_as_put_in("0-1");
}
