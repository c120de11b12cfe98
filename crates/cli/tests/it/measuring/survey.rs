//! The main job on the machine the tests run on.

use serde_json::Value;

use crate::measured::{THOROUGH, assert_cells_are_consistent};
use crate::user::{User, document, success};

/// The cheapest probe: a chase through one MiB.
const CHEAP: [&str; 8] =
    ["--probe", "chase", "--size", "1M", "--accesses", "10000", "--budget", "5s"];

#[test]
fn a_survey_has_every_cell_and_a_verdict_with_reasons() {
    let survey = THOROUGH.document();
    assert_eq!(survey["schema"], "nearfar.survey/2");
    let provenance = &survey["provenance"];
    assert_eq!((&provenance["seed"], &provenance["budget_s"]), (&7.into(), &14.0.into()));
    assert!(provenance["processes"].as_u64() >= Some(1), "{provenance}");
    let verdict = survey["verdict"]["numa"].as_str().unwrap();
    assert!(["yes", "no", "undetermined"].contains(&verdict));
    assert!(!survey["verdict"]["reasons"].as_array().unwrap().is_empty());
    let latency = &survey["latency"];
    let [rows, columns, cells] =
        ["rows", "columns", "cells"].map(|part| latency[part].as_array().unwrap().len());
    assert!(cells > 0 && cells == rows * columns, "{latency}");
    assert_cells_are_consistent(latency);
}

#[test]
fn a_saved_survey_is_shown_identically() {
    assert_eq!(THOROUGH.shown(&[]), THOROUGH.screen);
    let shown: Value = serde_json::from_str(&THOROUGH.shown(&["--json"])).unwrap();
    assert_eq!(shown, THOROUGH.document());
    assert!(THOROUGH.screen.contains("NUMA: "), "{}", THOROUGH.screen);
}

#[test]
fn figures_follow_from_samples_and_seed() {
    let kept = THOROUGH.survey();
    let mut again = kept.clone();
    for cell in &mut again.latency.cells {
        (cell.q25, cell.median, cell.se, cell.ci95, cell.samples) = (None, None, None, None, 0);
    }
    if let Some(bandwidth) = &mut again.bandwidth {
        bandwidth.part.matrix.cells.iter_mut().for_each(|cell| cell.median = None);
    }
    again.judge().unwrap();
    assert_eq!(again, kept);
}

#[test]
fn a_survey_is_printed_as_csv_or_as_json_without_samples() {
    let user = User::new();
    let survey = [&["survey", "--quick", "--seed", "1"], &CHEAP[..]].concat();
    let csv = [&survey[..], &["--csv"]].concat();
    let json = [&survey[..], &["--json", "--no-samples"]].concat();
    let [csv, json] = user.measure_all(&[csv, json]).try_into().unwrap();
    let csv = success(&csv);
    assert!(csv.starts_with("row,column,cpus,node,q25_ns,median_ns,se,"), "{csv}");
    let json = document(&json);
    assert!(json["samples"].is_null());
    let cells = json["latency"]["cells"].as_array().unwrap().len();
    assert_eq!(csv.lines().count(), 1 + cells, "{csv}");
    assert_cells_are_consistent(&json["latency"]);
}

#[test]
fn every_probe_gives_costs_or_reasons() {
    let latency = ["latency", "--json", "--seed", "1", "--budget", "5s", "--probe"];
    let probe = |own: &[&'static str]| [&latency[..], own].concat();
    let outputs = User::new().measure_all(&[
        probe(&["chase", "--size", "1M", "--accesses", "10000"]),
        probe(&["rmw", "--size", "1M", "--accesses", "10000"]),
        // Stores into a cache cost no more than the loop, which is taken off.
        probe(&["store-sweep", "--size", "32M", "--passes", "1"]),
        probe(&["core-walk", "--accesses", "1000000"]),
    ]);
    let documents: Vec<Value> = outputs.iter().map(document).collect();
    for document in &documents {
        assert_cells_are_consistent(&document["latency"]);
    }
    core_walk_has_as_many_control_visits_as_cpus(&documents[3]["latency"]);
}

fn core_walk_has_as_many_control_visits_as_cpus(walk: &Value) {
    let rows = walk["rows"].as_array().unwrap();
    let labels: Vec<&str> = rows.iter().map(|row| row["label"].as_str().unwrap()).collect();
    let controls = labels.iter().filter(|label| label.starts_with("control")).count();
    assert_eq!(controls * 2, labels.len(), "{labels:?}");
}

#[test]
fn colours_are_for_terminals() {
    assert!(!THOROUGH.screen.contains('\u{1b}'));
}
