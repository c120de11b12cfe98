//! A comparison as JSON (`nearfar-lab.check/1`).

use serde_json::{Value, json};

use super::{JudgedCell, TruthComparison, judged};

pub(crate) fn document(comparison: &TruthComparison) -> Value {
    let cells: Vec<Value> =
        comparison.cells.iter().map(|cell| self::cell(comparison, cell)).collect();
    let found = &comparison.seen.survey.verdict;
    json!({
        "schema": "nearfar-lab.check/1",
        "machine": comparison.machine.name,
        "slowdown": comparison.machine.description.slowdown,
        "plugin_api": comparison.seen.ledger.plugin_api,
        "cells": cells,
        "median_error": comparison.median_error(),
        "worst_error": comparison.worst().and_then(JudgedCell::error),
        "effect_put_in": judged::effect(comparison.machine),
        "verdict": found,
        "warnings": comparison.seen.survey.warnings,
        "boot_s": comparison.seen.boot.as_secs_f64(),
        "survey_s": comparison.seen.survey.provenance.duration_s,
        "statements": comparison.judged,
        "sentences": comparison.sentences,
        "objections": comparison.objections(),
        "missed": comparison.missed(),
    })
}

fn cell(comparison: &TruthComparison, cell: &JudgedCell) -> Value {
    let matrix = &comparison.seen.survey.latency;
    json!({
        "row": cell.row,
        "column": cell.column,
        "cpus": matrix.rows.get(cell.row).map(|row| row.cpus.to_string()),
        "node": matrix.columns.get(cell.column).and_then(|column| column.node),
        "charged_ns": cell.charge.map(|charge| [charge.low, charge.high]),
        "measured_ns": cell.measured.as_ref().ok(),
        "error": cell.error(),
        "why": cell.measured.as_ref().err(),
    })
}
