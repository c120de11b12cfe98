//! The script for hwloc: what it sets, and the reasons for what it leaves out. Tests of the command
//! run it.

use nearfar_infer::NumaVerdict;
use nearfar_report::export::hwloc::script;
use nearfar_survey::{Bandwidth, Survey};
use serde_json::json;

use crate::by_hand::{self, columns, rows};

/// Two nodes with latencies.
pub(crate) fn survey(costs: [[Option<f64>; 2]; 2]) -> Survey {
    let costs = costs.iter().map(|row| row.to_vec()).collect();
    let latency = by_hand::matrix(rows(&["0", "1"]), columns(2), &costs);
    by_hand::survey("Example 9000", latency, None, NumaVerdict::default())
}

/// The same with bandwidths: 40 GB/s of the own node, 20 GB/s from CPU 0 to node 1, and nothing
/// from CPU 1 to node 0.
pub(crate) fn survey_with_bandwidth() -> Survey {
    let cell = |row: usize, column: usize, threads: usize, gb_s: Option<f64>| {
        let ends = gb_s.map(|rate| [rate * 1e9 - 1e9, rate * 1e9 + 1e9]);
        json!({
            "row": row, "column": column, "cpus": row.to_string(), "node": column,
            "kernel": "read", "threads": threads, "q25": gb_s.map(|rate| rate * 1e9),
            "median": gb_s.map(|rate| rate * 1e9), "se": gb_s.map(|_| 0.01), "ci95": ends,
            "samples": 9, "dropped": {}, "why": gb_s.is_none().then_some("its memory was full"),
        })
    };
    let bandwidth: Bandwidth = serde_json::from_value(json!({
        "probe": "bandwidth", "unit": "bytes/s", "rows": rows(&["0", "1"]), "columns": columns(2),
        "cells": [
            cell(0, 0, 1, Some(12.0)), cell(0, 0, 2, Some(40.0)), cell(0, 1, 2, Some(20.0)),
            cell(1, 0, 2, None), cell(1, 1, 2, Some(40.0)),
        ],
        "treatments": [{"kernel": "read", "threads": 1}, {"kernel": "read", "threads": 2}],
        "samples": null, "isa": "avx2", "footprint_bytes": 1, "kernels": [],
        "knees": [
            {"row": 0, "column": 0, "threads": 2}, {"row": 0, "column": 1, "threads": 2},
            {"row": 1, "column": 1, "threads": 2},
        ],
        "peak": null,
    }))
    .unwrap();
    let costs = [[Some(97.4), Some(165.0)], [Some(164.0), Some(97.0)]];
    Survey { bandwidth: Some(bandwidth), ..survey(costs) }
}

#[test]
fn figures_have_hwlocs_units() {
    let script = script(&survey_with_bandwidth()).unwrap();
    let lines: Vec<&str> =
        script.lines().skip_while(|line| !line.starts_with("cp ")).skip(2).collect();
    assert_eq!(
        lines,
        [
            "# Latency: ns, loads that wait for each other",
            "set_memattr Latency 0x00000001 0 97",
            "set_memattr Latency 0x00000001 1 165",
            "set_memattr Latency 0x00000002 0 164",
            "set_memattr Latency 0x00000002 1 97",
            "",
            "# Bandwidth: MiB/s, reading with as many threads as it takes",
            // 40 GB/s of 10^9 bytes.
            "set_memattr Bandwidth 0x00000001 0 38147",
            "set_memattr Bandwidth 0x00000001 1 19073",
            "# Bandwidth from CPUs 1 to node 0 is undetermined: its memory was full",
            "set_memattr Bandwidth 0x00000002 1 38147",
            "",
            "mv -- \"$draft\" \"$2\"",
        ]
    );
}

#[test]
fn undetermined_cells_are_comments_with_reasons() {
    let costs = [[Some(97.0), None], [Some(165.0), Some(97.0)]];
    let mut measured = survey(costs);
    measured.latency.cells[2].ci95 = None;
    measured.latency.cells[1].why = Some("node 1\nrm -rf /".to_owned());
    let script = script(&measured).unwrap();
    for expected in [
        "# Latency from CPUs 0 to node 1 is undetermined: node 1\u{fffd}rm -rf /\n",
        "# Latency from CPUs 1 to node 0 is undetermined: too few samples for an interval\n",
        "# Bandwidth: the survey has none between nodes\n",
    ] {
        assert!(script.contains(expected), "{expected}{script}");
    }
    assert!(!script.lines().any(|line| line.starts_with("rm")), "{script}");
}

#[test]
fn columns_of_one_node_are_one_target() {
    let mut measured = survey([[Some(100.0), Some(120.0)], [None, None]]);
    for column in &mut measured.latency.columns {
        column.node = Some(nearfar_model::NodeId(0));
    }
    let script = script(&measured).unwrap();
    assert!(script.contains("\nset_memattr Latency 0x00000001 0 110\n"), "{script}");
}

#[test]
fn surveys_without_figures_have_no_script() {
    assert_eq!(script(&survey([[None, None], [None, None]])), None);
    let mut without_nodes = survey([[Some(97.0); 2]; 2]);
    for column in &mut without_nodes.latency.columns {
        column.node = None;
    }
    assert_eq!(script(&without_nodes), None);
}

#[test]
fn masks_have_hwlocs_notation() {
    let mut measured = survey([[Some(97.0), Some(165.0)], [None, None]]);
    measured.latency.rows[0].cpus = by_hand::cpus("0,40,64-67");
    let script = script(&measured).unwrap();
    assert!(script.contains(" Latency 0x0000000f,0x00000100,0x00000001 1 165\n"), "{script}");
}
