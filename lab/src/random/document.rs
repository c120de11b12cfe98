//! A survey document of a described machine, of replayed samples: what users get to read.

use nearfar_infer::InferError;
use nearfar_model::{CellIndex, DistanceMatrix, NodeId, Sample};
use nearfar_survey::{
    ClaimedNode, Claims, MachineSummary, Matrix, MatrixCell, MatrixColumn, MatrixRow, NoTreatment,
    Options, Provenance, SCHEMA, Samples, Survey,
};
use serde_json::json;

use crate::machine::{LabMachine, NodeDescription};

/// Samples of a plan's cells, by nodes with CPUs and nodes with memory.
#[derive(Default)]
pub(super) struct ReplayedPlan {
    pub(super) samples: Vec<Sample>,
    pub(super) rounds: u32,
    pub(super) processes: u32,
}

/// The survey, judged as every survey is.
pub(super) fn survey(
    machine: &LabMachine,
    plan: &ReplayedPlan,
    seed: u64,
) -> Result<Survey, InferError> {
    let mut survey = Survey {
        schema: SCHEMA.to_owned(),
        machine: summary(machine),
        claims: claims(machine),
        latency: matrix(machine),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            started: Provenance::REPLAYED.to_owned(),
            processes: plan.processes,
            rounds: plan.rounds,
            stopped: "precise".to_owned(),
            options: Options { rows: "auto".to_owned(), ..Options::default() },
            ..Provenance::default()
        },
        samples: Some(samples(plan)),
        ..Survey::default()
    };
    survey.verdict.threshold = nearfar_infer::THRESHOLD;
    survey.judge()?;
    Ok(survey)
}

fn samples(plan: &ReplayedPlan) -> Samples {
    let line = |sample: &Sample| {
        let CellIndex { row, column, .. } = sample.place;
        json!([sample.process, sample.round, row, column, 0, 0, 0, sample.value])
    };
    let table = json!({
        "fields": ["process", "round", "row", "column", "treatment", "cpu", "page", "ns"],
        "data": plan.samples.iter().map(line).collect::<Vec<_>>(),
    });
    serde_json::from_value(table).expect("samples are such a table")
}

fn summary(machine: &LabMachine) -> MachineSummary {
    MachineSummary {
        model: "lab".to_owned(),
        packages: machine.description.packages,
        cores: machine.cpus(),
        cpus: machine.cpus(),
        nodes: machine.nodes().len(),
        memory_bytes: Some(machine.memory()),
        arch: machine.arch().to_string(),
        ..MachineSummary::default()
    }
}

/// What the kernel shows.
pub(crate) fn claims(machine: &LabMachine) -> Claims {
    let node = |node: &NodeDescription| ClaimedNode {
        id: node.id,
        cpus: node.cpus.clone(),
        memory_bytes: Some(node.memory.unwrap_or_default()),
    };
    let ids: Vec<NodeId> = machine.nodes().iter().map(|node| node.id).collect();
    let distances = machine.description.firmware.slit.as_ref().and_then(|slit| {
        let rows = slit.iter().map(|row| row.iter().map(|&at| u32::from(at)).collect()).collect();
        DistanceMatrix::new(ids, rows).ok()
    });
    Claims {
        nodes: machine.nodes().iter().map(node).collect(),
        distances,
        hmat: machine.description.firmware.hmat.then(|| hmat(machine)),
        ..Claims::default()
    }
}

/// An HMAT as the kernel reads it.
fn hmat<T: serde::de::DeserializeOwned>(machine: &LabMachine) -> T {
    let claimed = &machine.description.firmware.hmat_latency_ns;
    let ns = claimed.clone().unwrap_or_else(|| machine.latency_ns());
    let rows = machine.cpu_nodes().zip(&ns);
    let cells: Vec<serde_json::Value> = rows
        .flat_map(|(cpus, row)| {
            machine.memory_nodes().zip(row).map(move |(memory, ns)| {
                json!({
                    "initiator": cpus.id,
                    "target": memory.id,
                    "read_latency_ns": ns.round() as u64,
                    "write_latency_ns": null,
                    "read_bandwidth_bytes_per_s": null,
                    "write_bandwidth_bytes_per_s": null,
                })
            })
        })
        .collect();
    serde_json::from_value(json!({ "from": "HMAT", "cells": cells })).expect("it is such a table")
}

fn matrix(machine: &LabMachine) -> Matrix {
    let row = |node: &NodeDescription| MatrixRow {
        label: format!("node {}", node.id),
        cpus: node.cpus.clone(),
        node: Some(node.id),
        ghz: None,
        drift: None,
    };
    let column = |node: &NodeDescription| MatrixColumn {
        label: format!("node {}", node.id),
        node: Some(node.id),
        pages: 8,
        backing: Some("thp".to_owned()),
    };
    let rows: Vec<MatrixRow> = machine.cpu_nodes().map(row).collect();
    let columns: Vec<MatrixColumn> = machine.memory_nodes().map(column).collect();
    let places = rows.iter().enumerate().flat_map(|(at, row)| {
        columns.iter().enumerate().map(move |(to, column)| (at, row, to, column))
    });
    let cells = places
        .map(|(at, row, to, column)| MatrixCell::<NoTreatment> {
            row: at,
            column: to,
            cpus: row.cpus.clone(),
            node: column.node,
            ..MatrixCell::default()
        })
        .collect();
    Matrix { probe: "page".to_owned(), rows, columns, cells, ..Matrix::default() }
}
