//! Disks: a survey by hand, and its screen.

use std::path::Path;

use nearfar_model::Instrument;
use nearfar_report::survey::{Verbosity, part_csv, part_text};
use nearfar_survey::Survey;
use serde_json::{Value, json};
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq};

/// A disk on node 1, read by programs on both nodes into memory of both.
pub(crate) fn known() -> Value {
    let access = |control: Value| {
        json!({
            "target": "/data/file", "operation": "read", "depth": 1, "size_bytes": 4096,
            "pattern": "random", "interrupts": null, "control": control
        })
    };
    let with = |mut value: Value, more: Value| {
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        value
    };
    let figures = [[112_000.0, 111_500.0], [80_100.0, 80_000.0]];
    let (mut cells, mut tails, mut served) = (vec![], vec![], vec![]);
    for (row, from_row) in figures.iter().enumerate() {
        for (column, ns) in from_row.iter().enumerate() {
            let figure = |times: f64| {
                let at = times * ns;
                json!({"ns": at, "ci95": [0.98 * at, 1.03 * at]})
            };
            cells.push(with(
                access(Value::Null),
                json!({
                    "row": row, "column": column, "cpus": if row == 0 { "0-1" } else { "2-3" },
                    "node": column, "q25": 0.98 * ns, "median": ns, "se": 0.002,
                    "ci95": [0.99 * ns, 1.01 * ns], "samples": 60, "dropped": {}
                }),
            ));
            tails.push(json!({
                "row": row, "column": column, "treatment": 0, "accesses": 9_000,
                "p50": figure(1.0), "p99": figure(2.5), "p999": null
            }));
            served.push(json!({
                "row": row, "column": column, "treatment": 0, "interrupts": 9_000,
                "by_node": {row.to_string(): 0.99}, "by_row": 0.99
            }));
        }
    }
    let effect = |factor: &str, ratio: f64, verdict: &str| {
        with(
            access(Value::Null),
            json!({
                "factor": factor, "level": "0", "reference": "1", "ratio": ratio,
                "ci95": [ratio - 0.006, ratio + 0.006],
                "probability": if ratio > 1.1 { 1.0 } else { 0.0 },
                "verdict": verdict, "combinations": 2
            }),
        )
    };
    let best = json!({
        "program_node": "1", "buffer_node": null, "interrupt_place": null,
        "run_by": "nearfar run --cpunodebind 1 -- PROGRAM"
    });
    let row = |node: u32, cpus: &str| {
        json!({
            "label": format!("node {node}"), "cpus": cpus, "node": node, "ghz": null,
            "wander": null
        })
    };
    let column = |node: u32| {
        json!({
            "label": format!("node {node}"), "node": node, "pages": 1, "backing": "thp"
        })
    };
    json!({
        "targets": [{
            "path": "/data/file", "bytes": 1 << 30, "is_disk": false, "is_made": false,
            "disks": [{
                "name": "nvme0n1", "model": "Model", "address": "0000:21:00.0", "node": 1,
                "is_rotational": false, "scheduler": "none", "queues": 4,
                "power_tolerance": "100000"
            }],
            "disks_why": null, "node": 1, "interrupts": 5, "interrupts_why": "managed",
            "cgroup_limit": "rbps=2097152"
        }],
        "engine": "pread in threads", "engine_why": "io_uring is refused", "window_ms": 50.0,
        "throughput": null,
        "latency": {
            "probe": "io", "unit": "ns", "rows": [row(0, "0-1"), row(1, "2-3")],
            "columns": [column(0), column(1)], "cells": cells,
            "treatments": [access(Value::Null), access("again".into())],
            "samples": null, "latencies": null, "tails": tails, "served": served,
            "factors": [effect("program", 1.396, "slower"), effect("buffer", 1.003, "same")],
            "best": [with(access(Value::Null), best)],
            "controls": [{
                "row": 1, "column": 1, "treatment": 0, "ratio": 1.001, "ci95": [0.996, 1.006],
                "differs": false
            }]
        }
    })
}

#[test]
fn disks_are_shown_as_kept() {
    let mut survey: Survey = serde_json::from_str(include_str!("../golden/several.json")).unwrap();
    survey.io = Some(serde_json::from_value(known()).unwrap());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let text = part_text(&survey, Instrument::Io, Verbosity::Brief).text();
    let all = format!("{text}\n{}", part_csv(&survey, Instrument::Io));
    let golden = Data::read_from(&folder.join("disks.txt"), Some(DataFormat::Text));
    assert_data_eq!(all, golden.raw());
}
