//! What the other instruments find in machines whose truth is known: bandwidth, and the way from core to core.
//!
//! Busy CPUs share two of the host's, so these machines are slowed down by far more than for latency alone (docs/lab.md says how much and why).

#[allow(dead_code)] // what other tests share
mod lab;

use lab::{is_ready, lab};
use serde_json::Value;

/// Runs an instrument in a machine that is slowed down so far; its document.
fn measured(machine: &str, slowdown: f64, command: &str) -> Value {
    let slow = slowdown.to_string();
    let words = ["run", machine, "--slowdown", &slow, "--timeout", "280", "--"];
    let output = lab(&[&words[..], &command.split(' ').collect::<Vec<_>>()].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{machine}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{machine}: {error}: {said}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// (row, column, what it was visited with, median) of every cell that has figures.
fn cells<'d>(part: &'d Value, treatment: [&str; 2]) -> Vec<(usize, usize, [&'d Value; 2], f64)> {
    let index = |value: &Value| value.as_u64().unwrap() as usize;
    let cells = part["cells"].as_array().unwrap().iter().filter(|cell| !cell["median"].is_null());
    let cell = |cell: &'d Value| {
        (index(&cell["row"]), index(&cell["column"]), treatment.map(|name| &cell[name]), number(&cell["median"]))
    };
    cells.map(cell).collect()
}

#[test]
fn bandwidth_is_what_the_machines_clocks_let_through() {
    const SLOWDOWN: f64 = 4000.0;
    if !is_ready("x86_64") {
        return;
    }
    let command = "nearfar bandwidth --kernels read --threads 2 --size 4M --window 300 --quick --no-samples --json";
    let document = measured("epyc-9224-nps2-cxl", SLOWDOWN, command);
    let cells = cells(&document["bandwidth"], ["kernel", "threads"]);
    assert_eq!(cells.len(), 4 * 5, "{:#}", document["bandwidth"]["cells"]);
    for (row, column, _, median) in cells {
        let truth = match column {
            4 => 17.6,
            // Nodes 0 and 1 are one socket, 2 and 3 the other.
            _ if row / 2 == column / 2 => 100.0,
            _ => 77.0,
        };
        let found = median * SLOWDOWN / 1e9;
        assert!(
            (found / truth - 1.0).abs() <= 0.1,
            "CPUs of node {row}, memory of node {column}: {found} GB/s, {truth} put in"
        );
    }
}
