//! The screens of surveys written by hand, against golden text. `SNAPSHOTS=overwrite cargo test` writes them anew; look at the difference.

use std::collections::BTreeMap;

use nearfar_infer::Numa;
use nearfar_model::{Bytes, CpuSet, DistanceMatrix, NodeId};
use nearfar_survey::{
    Cell, ClaimedNode, Claims, Column, Controls, Machine, Matrix, Mode, Options, Provenance, Row, SCHEMA, Survey,
    Verdict, Warning,
};
use snapbox::{assert_data_eq, file};

/// A cost in ns; none is a cell that could not be measured.
type Costs = Vec<Vec<Option<f64>>>;

fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

fn rows(lists: &[&str]) -> Vec<Row> {
    let row = |(node, list): (u32, &&str)| Row {
        label: format!("node {node}"),
        cpus: cpus(list),
        node: Some(NodeId(node)),
        ghz: Some(3.2),
        wander: Some(0.004),
    };
    (0..).zip(lists).map(row).collect()
}

fn columns(count: u32) -> Vec<Column> {
    let column = |node| Column {
        label: format!("node {node}"),
        node: Some(NodeId(node)),
        pages: 8,
        backing: Some("thp".to_owned()),
    };
    (0..count).map(column).collect()
}

fn cell(row: usize, column: usize, rows: &[Row], cost: Option<f64>) -> Cell {
    Cell {
        row,
        column,
        cpus: rows[row].cpus.clone(),
        node: Some(NodeId(u32::try_from(column).unwrap())),
        q25: cost.map(|ns| ns * 0.99),
        median: cost,
        se: cost.map(|_| 0.004),
        ci95: cost.map(|ns| [ns * 0.99, ns * 1.01]),
        samples: cost.map_or(0, |_| 35),
        dropped: BTreeMap::new(),
        why: cost.is_none().then(|| format!("node {column} has no memory")),
    }
}

fn matrix(rows: Vec<Row>, columns: Vec<Column>, costs: &Costs) -> Matrix {
    let cells = costs.iter().enumerate().flat_map(|(row, of_row)| {
        let rows = &rows;
        of_row.iter().enumerate().map(move |(column, cost)| cell(row, column, rows, *cost))
    });
    let cells = cells.collect();
    Matrix { probe: "page".to_owned(), unit: "ns".to_owned(), rows, columns, cells }
}

fn survey(model: &str, latency: Matrix, distances: Option<DistanceMatrix>, verdict: Verdict) -> Survey {
    let nodes = latency.rows.iter().map(|row| ClaimedNode {
        id: row.node.unwrap(),
        cpus: row.cpus.clone(),
        memory_bytes: Some(Bytes::gib(64)),
    });
    Survey {
        schema: SCHEMA.to_owned(),
        machine: Machine {
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
        },
        environment: serde_json::Map::new(),
        claims: Claims { nodes: nodes.collect(), distances, hmat: None, diagnosis: None },
        latency,
        controls: Controls { pairs: 8, differing: 0, compared: vec![] },
        page_size: None,
        verdict,
        warnings: vec![],
        meaning: vec![],
        provenance: Provenance {
            version: "0.1.0".to_owned(),
            seed: 7,
            started: "2026-11-20T10:14:05Z".to_owned(),
            duration_s: 38.0,
            processes: 9,
            rounds: 35,
            stopped: "precise".to_owned(),
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

fn verdict(numa: Numa, effect: f64, ci95: [f64; 2], p: f64) -> Verdict {
    Verdict {
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

/// A machine shaped like a two-package EPYC 7451; costs invented from its published ratios.
fn epyc_7451() -> Survey {
    let package = |node: usize| node / 4;
    let cost = |from: usize, to: usize| match (from == to, package(from) == package(to)) {
        (true, _) => 97.0,
        (_, true) => 165.0,
        // The directly linked partner.
        _ if from.abs_diff(to) == 4 => 308.0,
        _ => 330.0,
    };
    let claim = |from: usize, to: usize| match (from == to, package(from) == package(to)) {
        (true, _) => 10,
        (_, true) => 16,
        _ => 32,
    };
    let lists = [
        "0-5,48-53",
        "6-11,54-59",
        "12-17,60-65",
        "18-23,66-71",
        "24-29,72-77",
        "30-35,78-83",
        "36-41,84-89",
        "42-47,90-95",
    ];
    let costs = (0..8).map(|from| (0..8).map(|to| Some(cost(from, to))).collect()).collect();
    let claimed = (0..8).map(|from| (0..8).map(|to| claim(from, to)).collect()).collect();
    let distances = DistanceMatrix::new((0..8).map(NodeId).collect(), claimed).unwrap();
    let mut survey = survey(
        "AMD EPYC 7451 24-Core Processor",
        matrix(rows(&lists), columns(8), &costs),
        Some(distances),
        verdict(Numa::Yes, 2.43, [2.31, 2.55], 0.0005),
    );
    survey.warnings.push(Warning {
        code: "numa-balancing".to_owned(),
        text: "Automatic NUMA balancing moved 1204 pages of this machine's programs during the run.".to_owned(),
        remedy: Some("sysctl kernel.numa_balancing=0 while surveying".to_owned()),
    });
    survey
}

#[test]
fn a_numa_machine_on_one_screen() {
    assert_data_eq!(plain(&nearfar_report::survey::text(&epyc_7451())), file!["golden/epyc-7451-2p.txt"]);
}

#[test]
fn a_numa_machine_with_its_colours() {
    assert_data_eq!(nearfar_report::survey::text(&epyc_7451()), file!["golden/epyc-7451-2p.ansi"]);
}

#[test]
fn cells_as_csv() {
    assert_data_eq!(nearfar_report::survey::csv(&epyc_7451()), file!["golden/epyc-7451-2p.csv"]);
}

#[test]
fn a_node_without_memory_says_so() {
    let costs = vec![vec![Some(85.0), None], vec![Some(137.0), None]];
    let mut survey = survey(
        "Odd",
        matrix(rows(&["0", "1"]), columns(2), &costs),
        None,
        verdict(Numa::Undetermined, 0.0, [0.0, 0.0], 1.0),
    );
    survey.verdict = Verdict { p: None, effect: None, ci95: None, ..survey.verdict };
    survey.verdict.reasons.push("no row has two columns that were measured: there is nothing to compare".to_owned());
    assert_data_eq!(plain(&nearfar_report::survey::text(&survey)), file!["golden/memoryless.txt"]);
}

#[test]
fn a_uniform_machine_says_so_plainly() {
    let costs = vec![vec![Some(106.9), Some(106.9)], vec![Some(107.2), Some(107.2)]];
    let distances = DistanceMatrix::new(vec![NodeId(0), NodeId(1)], vec![vec![10, 21], vec![21, 10]]).unwrap();
    let survey = survey(
        "Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz",
        matrix(rows(&["0-9", "10-19"]), columns(2), &costs),
        Some(distances),
        verdict(Numa::No, 0.002, [0.0, 0.011], 0.84),
    );
    assert_data_eq!(plain(&nearfar_report::survey::text(&survey)), file!["golden/interleaved.txt"]);
}

#[test]
fn terminal_codes_in_a_document_are_shown_as_text() {
    let mut survey = epyc_7451();
    survey.machine.kernel = Some("6.12\u{1b}[2J\u{7}".to_owned());
    survey.warnings[0].text = "line\r\nbreak\u{9b}31m".to_owned();
    let text = plain(&nearfar_report::survey::text(&survey));
    assert!(!text.contains(['\u{1b}', '\u{7}', '\r', '\u{9b}']), "{text:?}");
}

/// The text without its own colour codes.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        let colour = rest[start..]
            .find('m')
            .filter(|end| rest[start + 2..start + end].chars().all(|c| c.is_ascii_digit() || c == ';'));
        let Some(end) = colour else { break };
        plain.push_str(&rest[..start]);
        rest = &rest[start + end + 1..];
    }
    plain + rest
}
