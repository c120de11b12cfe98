//! Latency while others use the memory.

use std::fs;
use std::path::Path;

use crate::document::{is_near, measured};
use crate::lab::{is_ready, undisturbed};
use crate::queue::Node;
use crate::truth::Truth;

const MACHINE: &str = "xeon-2s";
const SLOWDOWN: f64 = 3000.0;
/// The victim is one of a node's two CPUs, so the other one stands for all that disturb it. It has three times the lines on its way that the description
/// gives it, which is more than the memory hands out in the time that a load takes: with its own it would never saturate a node.
const TIMES_THE_LINES: f64 = 3.0;

#[test]
#[ignore = "long"]
fn latency_rises_where_the_memory_is_full_and_as_far_as_lines_wait_for_it() {
    if !is_ready("x86_64") {
        return;
    }
    let truth = Truth::of(MACHINE);
    let lines = truth.lines() * TIMES_THE_LINES;
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("busy.toml");
    let described = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("machines/{MACHINE}.toml"));
    let described = fs::read_to_string(described).unwrap();
    fs::write(&machine, described.replace(&format!("lines = {}", truth.lines()), &format!("lines = {lines}"))).unwrap();
    // All that is on its way passes the memory once in the time that one load takes.
    let (node, idle) = (truth.node(0), truth.latency(0, 0));
    let saturated = (lines + 1.0) * 64.0 / node;
    let knee = node_of(&truth).knee_gb_s();
    // A turn of an emulated pause takes far less of the machine's time than on a machine, so the knee lies between the last of the delays that every curve
    // begins with: it takes some more to come near it.
    let command = "nearfar loaded --quick --cpus 0-1 --nodes 0 --points 9 --size 16M --no-samples --json";
    undisturbed(|| {
        let document = measured(machine.to_str().unwrap(), SLOWDOWN, command);
        let curve = &document["loaded"]["curves"][0];
        let figure = |name: &str| curve[name]["value"].as_f64().ok_or_else(|| format!("no {name}: {curve}"));
        is_near("idle, ns", figure("idle_ns")? / SLOWDOWN, idle, 0.05)?;
        is_near("saturated, ns", figure("saturated_ns")? / SLOWDOWN, saturated, 0.15)?;
        is_near("knee, GB/s", figure("knee_bytes_per_s")? * SLOWDOWN / 1e9, knee, 0.15)
    });
}

/// The node that is disturbed, as the lab charges for it.
fn node_of(truth: &Truth) -> Node {
    Node { latency_ns: truth.latency(0, 0), gb_s: truth.node(0), lines: (truth.lines() * TIMES_THE_LINES) as usize }
}

#[test]
fn a_load_waits_for_no_more_than_a_piece_until_memory_is_full_and_then_for_all_that_is_on_its_way() {
    let truth = Truth::of(MACHINE);
    let node = node_of(&truth);
    let light = node.beside(1000.0);
    assert!(light.ns < node.latency_ns * 1.01, "{light:?}");
    // Half of what memory gives.
    let busy = node.beside(27.0);
    assert!((busy.gb_s / node.gb_s - 0.5).abs() < 0.02 && busy.ns < node.latency_ns * 1.15, "{busy:?}");
    let full = node.beside(1.0);
    assert!((full.gb_s / node.gb_s - 1.0).abs() < 0.02, "{full:?}");
    let all_that_is_on_its_way = (node.lines + 1) as f64 * 64.0 / node.gb_s;
    assert!((full.ns / all_that_is_on_its_way - 1.0).abs() < 0.06, "{full:?}");
    // Nobody waits long before memory is full, so that is where latency climbs.
    let knee = node.knee_gb_s();
    assert!((0.9..1.0).contains(&(knee / node.gb_s)), "{knee}");
}
