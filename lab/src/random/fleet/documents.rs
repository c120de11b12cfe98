//! Surveys of a drawn fleet's machines.

use serde_json::{Value, json};

use super::{DrawnFleet, FleetMachine};

/// A survey's document without measurements.
const BARE_SURVEY: &str = include_str!("../bare_survey.json");
const CPUS_PER_NODE: usize = 2;
/// Half of a 95 % interval, in standard errors.
const NORMAL_95: f64 = 1.96;

pub(super) fn lines(fleet: &DrawnFleet) -> String {
    let bare: Value = serde_json::from_str(BARE_SURVEY).unwrap_or_default();
    let document = |(at, machine): (usize, &FleetMachine)| {
        let document = document(&bare, fleet, machine, at);
        format!("{document}\n")
    };
    fleet.machines.iter().enumerate().map(document).collect()
}

fn document(bare: &Value, fleet: &DrawnFleet, machine: &FleetMachine, at: usize) -> Value {
    let mut document = bare.clone();
    let cpus = CPUS_PER_NODE * fleet.nodes;
    for (key, value) in [("packages", fleet.nodes), ("nodes", fleet.nodes), ("cpus", cpus)] {
        document["machine"][key] = json!(value);
    }
    document["machine"]["host"] = json!(machine.name);
    document["environment"]["firmware"] = json!({ "version": fleet.firmware(machine) });
    let node = |id: usize| json!({"id": id, "cpus": cpus_of(id), "memory_bytes": 1 << 30});
    document["claims"]["nodes"] = (0..fleet.nodes).map(node).collect();
    document["provenance"]["seed"] = json!(at);
    document["latency"] = table(fleet, machine, 0, "page", "ns");
    if fleet.tables > 1 {
        document["bandwidth"] = bandwidth(fleet, machine);
    }
    document
}

fn bandwidth(fleet: &DrawnFleet, machine: &FleetMachine) -> Value {
    let mut part = table(fleet, machine, 1, "bandwidth", "bytes/s");
    let treatment = json!({"kernel": "read", "threads": CPUS_PER_NODE});
    for cell in part["cells"].as_array_mut().into_iter().flatten() {
        cell["kernel"] = treatment["kernel"].clone();
        cell["threads"] = treatment["threads"].clone();
    }
    part["treatments"] = json!([treatment]);
    part["isa"] = json!("avx2");
    part["footprint_bytes"] = json!(1 << 27);
    part["kernels"] = json!([]);
    part["knees"] = json!([]);
    part
}

fn cpus_of(node: usize) -> String {
    format!("{}-{}", CPUS_PER_NODE * node, CPUS_PER_NODE * (node + 1) - 1)
}

fn table(
    fleet: &DrawnFleet,
    machine: &FleetMachine,
    number: usize,
    probe: &str,
    unit: &str,
) -> Value {
    let row = |id: usize| {
        json!({
            "label": format!("node {id}"), "cpus": cpus_of(id), "node": id, "ghz": null,
            "drift": null,
        })
    };
    let column = |id: usize| {
        let label = format!("node {id}");
        json!({"label": label, "node": id, "pages": 8, "backing": "thp"})
    };
    let len = fleet.table_len();
    let cell = |(at, log): (usize, &f64)| {
        // 100 ns, and 10 GB/s.
        let figure = |log: f64| if number == 0 { 100.0 * log.exp() } else { 1e10 * (-log).exp() };
        let margin = NORMAL_95 * fleet.error;
        let mut ends = [figure(log - margin), figure(log + margin)];
        ends.sort_by(f64::total_cmp);
        json!({
            "row": at / fleet.nodes, "column": at % fleet.nodes, "cpus": cpus_of(at / fleet.nodes),
            "node": at % fleet.nodes, "median": figure(*log), "q25": figure(*log),
            "se": fleet.error, "ci95": ends, "samples": 30, "dropped": {},
        })
    };
    json!({
        "probe": probe, "unit": unit,
        "rows": (0..fleet.nodes).map(row).collect::<Vec<_>>(),
        "columns": (0..fleet.nodes).map(column).collect::<Vec<_>>(),
        "cells": machine.logs[number * len..][..len].iter().enumerate().map(cell)
            .collect::<Vec<_>>(),
    })
}
