//! What was found of hidden nodes, as a document has it.

use serde_json::{Value, json};

/// Two kinds of pages, each near to other CPUs, and a CPU that jumped.
pub(crate) fn found() -> Value {
    let row = |label: &str, cpus: &str| {
        json!({
            "label": label, "cpus": cpus, "node": null, "ghz": null, "wander": null
        })
    };
    let column = |label: &str| json!({"label": label, "node": 0, "pages": 32, "backing": "thp"});
    let cell = |row: usize, column: usize, ns: f64| {
        json!({
            "row": row, "column": column, "cpus": "0", "node": null, "q25": ns,
            "median": ns, "se": 0.01, "ci95": [ns - 1.0, ns + 1.0],
            "samples": 96, "dropped": {},
        })
    };
    let kind = |cpus: &str, low: u64, high: u64| {
        json!({
            "near_cpus": cpus, "share": 0.5, "address_bytes": [low, high]
        })
    };
    json!({
        "probe": "hidden", "unit": "ns",
        "rows": [row("core 0", "0-1"), row("core 1", "2-3")],
        "columns": [column("kind 0"), column("kind 1")],
        "cells": [cell(0, 0, 67.0), cell(0, 1, 100.0), cell(1, 0, 101.0), cell(1, 1, 67.0)],
        "finding": "found",
        "pages": {
            "finding": "found", "measured": 64, "nodes": null, "share": 0.75,
            "first_look": {
                "share": 0.25, "held_bytes": 167_772_160,
                "reasons": [{"code": "cpus-differ", "at_least": 0.2}]
            },
            "held_bytes": 503_316_480, "span_bytes": [0x0200_0000, 0x2fff_ffff],
            "proof": "physical-address", "down_to": null, "effect": 0.49,
            "ci95": [0.45, 0.53], "p": 0.005, "support": 1.0,
            "rows_apart": null,
            "count": {
                "nodes": 2, "is_exact": true, "resolution": 0.12, "far_cpus": "",
                "doubtful_cpus": "", "undetermined_cpus": "", "unseen_bytes": null,
                "unseen_share": null, "strays": 0, "needs_memory": false,
            },
            "kinds": [
                kind("0-1", 0x0200_0000, 0x17ff_ffff),
                kind("2-3", 0x1800_0000, 0x2fff_ffff)
            ],
            "reasons": [{
                "code": "kinds", "kinds": 2, "agreeing": 3, "processes": 3, "effect": 0.49
            }],
            "would_settle": null,
        },
        "lines": {
            "finding": "alike", "measured": 512, "reliability": [0.9, null],
            "opposite_rows": [0, 1], "correlation": 0.1, "p": 0.4, "kinds": 1,
            "effect": null, "reasons": [{"code": "no-lines"}],
        },
        "timeline": {
            "series": 6, "samples": 96,
            "jumps": [
                {
                    "process": 1, "row": 0, "cpus": "1", "round": 7, "before_ns": 67.0,
                    "after_ns": 100.4, "p": 0.001
                }
            ],
        },
        "samples": null,
    })
}
