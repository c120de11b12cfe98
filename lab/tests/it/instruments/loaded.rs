//! Latency while others use the memory.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::document::{is_near, measured};
use super::queue::Node;
use super::truth::Truth;
use crate::lab::{is_ready, undisturbed};

const MACHINE: &str = "xeon-2s";
const SLOWDOWN: f64 = 4000.0;
/// The victim is one of a node's two CPUs, so the other one stands for all that disturb it. It has
/// three times the lines on its way that the description gives it, which is more than the memory
/// hands out in the time that a load takes: with its own it would never saturate a node.
const TIMES_THE_LINES: f64 = 3.0;

/// A busy node's curve in the document of this command.
fn curve(command: &str) -> Value {
    let truth = Truth::of(MACHINE);
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("busy.toml");
    let described = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("machines/{MACHINE}.toml"));
    let described = fs::read_to_string(described).unwrap();
    let lines = node_of(&truth).lines;
    fs::write(
        &machine,
        described.replace(&format!("lines = {}", truth.lines()), &format!("lines = {lines}")),
    )
    .unwrap();
    measured(machine.to_str().unwrap(), SLOWDOWN, command)["loaded"]["curves"][0].clone()
}

fn figure(curve: &Value, name: &str) -> Result<f64, String> {
    curve[name]["value"].as_f64().ok_or_else(|| format!("no {name}: {curve}"))
}

#[test]
#[ignore = "long: minutes"]
fn latency_rises_as_far_as_lines_wait_for_memory_that_is_full() {
    if !is_ready("x86_64") {
        return;
    }
    let node = node_of(&Truth::of(MACHINE));
    // All that is on its way passes the memory once in the time that one load takes.
    let saturated = (node.lines + 1) as f64 * 64.0 / node.gb_s;
    undisturbed(|| {
        let curve =
            curve("nearfar loaded --cpus 0-1 --nodes 0 --points 6 --size 16M --no-samples --json");
        is_near("idle, ns", figure(&curve, "idle_ns")? / SLOWDOWN, node.latency_ns, 0.05)?;
        is_near("saturated, ns", figure(&curve, "saturated_ns")? / SLOWDOWN, saturated, 0.15)
    });
}

/// The node that is disturbed, as the lab charges for it.
fn node_of(truth: &Truth) -> Node {
    Node {
        latency_ns: truth.latency(0, 0),
        gb_s: truth.node(0),
        lines: (truth.lines() * TIMES_THE_LINES) as usize,
    }
}

#[test]
fn a_load_waits_for_no_more_than_a_piece_until_memory_is_full_and_then_for_all_that_is_on_its_way()
{
    let truth = Truth::of(MACHINE);
    let node = node_of(&truth);
    let light = node.beside(1000.0);
    assert!(light.ns < node.latency_ns * 1.01, "{light:?}");
    // Half of what memory gives.
    let busy = node.beside(27.0);
    assert!(
        (busy.gb_s / node.gb_s - 0.5).abs() < 0.02 && busy.ns < node.latency_ns * 1.15,
        "{busy:?}"
    );
    let full = node.beside(1.0);
    assert!((full.gb_s / node.gb_s - 1.0).abs() < 0.02, "{full:?}");
    let all_that_is_on_its_way = (node.lines + 1) as f64 * 64.0 / node.gb_s;
    assert!((full.ns / all_that_is_on_its_way - 1.0).abs() < 0.06, "{full:?}");
}

#[test]
#[ignore = "long: simulates 25 rates"]
fn latency_climbs_where_memory_is_nearly_full() {
    let node = node_of(&Truth::of(MACHINE));
    let knee = node.knee_gb_s();
    assert!((0.9..1.0).contains(&(knee / node.gb_s)), "{knee}");
}
