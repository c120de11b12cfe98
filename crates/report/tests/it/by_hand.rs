//! Surveys written by hand.

use std::collections::BTreeMap;

use nearfar_infer::{Numa, NumaVerdict};
use nearfar_model::{Bytes, CpuSet, DistanceMatrix, NodeId, Unit};
use nearfar_survey::{
    ClaimedNode, Claims, Controls, MachineSummary, Matrix, MatrixCell, MatrixColumn, MatrixRow,
    Mode, NoTreatment, Options, Provenance, SCHEMA, Survey,
};

/// A cost in ns; none is a cell that could not be measured.
pub(crate) type Costs = Vec<Vec<Option<f64>>>;

pub(crate) fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

pub(crate) fn rows(lists: &[&str]) -> Vec<MatrixRow> {
    let row = |(node, list): (u32, &&str)| MatrixRow {
        label: format!("node {node}"),
        cpus: cpus(list),
        node: Some(NodeId(node)),
        ghz: Some(3.2),
        drift: Some(0.004),
    };
    (0..).zip(lists).map(row).collect()
}

pub(crate) fn columns(count: u32) -> Vec<MatrixColumn> {
    let column = |node| MatrixColumn {
        label: format!("node {node}"),
        node: Some(NodeId(node)),
        pages: 8,
        backing: Some("thp".to_owned()),
    };
    (0..count).map(column).collect()
}

fn cell(row: usize, column: usize, rows: &[MatrixRow], cost: Option<f64>) -> MatrixCell {
    MatrixCell {
        row,
        column,
        cpus: rows[row].cpus.clone(),
        node: Some(NodeId(u32::try_from(column).unwrap())),
        treatment: NoTreatment {},
        q25: cost.map(|ns| ns * 0.99),
        median: cost,
        se: cost.map(|_| 0.004),
        ci95: cost.map(|ns| [ns * 0.99, ns * 1.01]),
        traffic_bytes_per_s: None,
        rough: None,
        samples: cost.map_or(0, |_| 35),
        dropped: BTreeMap::new(),
        why: cost.is_none().then(|| format!("node {column} has no memory")),
    }
}

pub(crate) fn matrix(rows: Vec<MatrixRow>, columns: Vec<MatrixColumn>, costs: &Costs) -> Matrix {
    let cells = costs.iter().enumerate().flat_map(|(row, from_row)| {
        let rows = &rows;
        from_row.iter().enumerate().map(move |(column, cost)| cell(row, column, rows, *cost))
    });
    let cells = cells.collect();
    Matrix { probe: "page".to_owned(), unit: Unit::Nanoseconds, rows, columns, cells }
}

pub(crate) fn survey(
    model: &str,
    latency: Matrix,
    distances: Option<DistanceMatrix>,
    verdict: NumaVerdict,
) -> Survey {
    let nodes = latency.rows.iter().map(|row| ClaimedNode {
        id: row.node.unwrap(),
        cpus: row.cpus.clone(),
        memory_bytes: Some(Bytes::gib(64)),
    });
    Survey {
        devices: None,
        interrupts: None,
        schema: SCHEMA.to_owned(),
        machine: MachineSummary {
            host: None,
            board: None,
            model: model.to_owned(),
            product: None,
            packages: 2,
            cores: 48,
            cpus: 96,
            nodes: latency.columns.len(),
            memory_bytes: Some(Bytes::gib(512)),
            arch: "x86_64".to_owned(),
            kernel: Some("6.12".to_owned()),
            hypervisor: None,
            cpuid: None,
        },
        environment: serde_json::Map::new(),
        claims: Claims {
            nodes: nodes.collect(),
            distances,
            hmat: None,
            diagnosis: None,
            parts: None,
            devices: vec![],
            memory_slots: vec![],
        },
        latency,
        fills: None,
        controls: Controls { pairs: 8, differing: 0, compared: vec![] },
        caches: None,
        page_size: None,
        bandwidth: None,
        core_to_core: None,
        loaded: None,
        interleave: None,
        io: None,
        gpu: None,
        classes: None,
        links: None,
        claims_vs_measured: None,
        advice: vec![],
        hidden: None,
        verdict,
        warnings: vec![],
        disturbances: vec![],
        courses: vec![],
        provenance: Provenance {
            version: "0.1.0".to_owned(),
            seed: 7,
            started: "2026-11-20T10:14:05Z".to_owned(),
            duration_s: 38.0,
            processes: 9,
            rounds: 35,
            stopped: "precise".to_owned(),
            budget_s: None,
            instruments: vec![],
            left_out: vec![],
            options: Options {
                mode: Mode::Default,
                rows: "auto".to_owned(),
                cpus: None,
                nodes: None,
                size_bytes: 2 << 20,
                accesses: 8192,
            },
        },
        samples: None,
    }
}

pub(crate) fn verdict(numa: Numa, effect: f64, ci95: [f64; 2], p: f64) -> NumaVerdict {
    NumaVerdict {
        numa,
        detected: p <= 0.01,
        p: Some(p),
        effect: Some(effect),
        ci95: Some(ci95),
        threshold: 0.05,
        reasons: vec![],
        would_settle: None,
    }
}
