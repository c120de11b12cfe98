//! Documents of machines with nodes, some of whose firmware lies.

use std::fmt::Write;

use nearfar_infer::claims::{ClaimFinding, ClaimKind};
use nearfar_infer::links::{BandwidthCheck, NoLinks};
use nearfar_model::DistanceMatrix;

use crate::{MatrixCell, Survey};

const FIELDS: &str = r#"["process","round","row","column","treatment","cpu","page","ns"]"#;

/// A document of nodes whose memory costs `ns(cpus, memory)`, and for which firmware claims
/// `claimed`.
fn survey(
    nodes: usize,
    ns: impl Fn(usize, usize) -> f64,
    claimed: impl Fn(usize, usize) -> u32,
) -> Survey {
    let mut survey = crate::sketch::survey();
    let (row, column) = (survey.latency.rows[0].clone(), survey.latency.columns[0].clone());
    let blank = survey.latency.cells[0].clone();
    let ids = || (0u32..).take(nodes).map(nearfar_model::NodeId);
    survey.latency.rows = ids()
        .map(|id| crate::MatrixRow { node: Some(id), label: format!("node {id}"), ..row.clone() })
        .collect();
    survey.latency.columns = ids()
        .map(|id| crate::MatrixColumn {
            node: Some(id),
            label: format!("node {id}"),
            ..column.clone()
        })
        .collect();
    let places = (0..nodes).flat_map(|row| (0..nodes).map(move |column| (row, column)));
    survey.latency.cells =
        places.clone().map(|(row, column)| MatrixCell { row, column, ..blank.clone() }).collect();
    let mut data = String::new();
    for (process, round) in
        (0..5).flat_map(|process| (0..4).map(move |round| (process, 4 * process + round)))
    {
        for (row, column) in places.clone() {
            let noise =
                1.0 + 0.002 * (((7919 * (row + 3 * column + 11 * round)) % 13) as f64 - 6.0) / 6.0;
            let _ = write!(
                data,
                ",[{process},{round},{row},{column},0,0,0,{:.3}]",
                ns(row, column) * noise
            );
        }
    }
    let table = format!(r#"{{"fields":{FIELDS},"data":[{}]}}"#, &data[1..]);
    survey.samples = serde_json::from_str(&table).unwrap();
    survey.controls.compared.clear();
    survey.page_size = None;
    let rows =
        (0..nodes).map(|row| (0..nodes).map(|column| claimed(row, column)).collect()).collect();
    survey.claims.distances = DistanceMatrix::new(ids().collect(), rows).ok();
    survey.claims.hmat = None;
    survey.judge().unwrap();
    survey
}

/// What is wrong with its claims.
fn findings(survey: &Survey) -> Vec<(ClaimKind, ClaimFinding)> {
    let wrong = survey.claims_vs_measured.iter().flat_map(crate::ClaimsMeasured::contradictions);
    wrong.map(|wrong| (wrong.kind, wrong.finding.clone())).collect()
}

/// Four nodes in a ring.
fn ring(row: usize, column: usize) -> f64 {
    [80.0, 120.0, 160.0, 120.0][(row + 4 - column) % 4]
}

#[test]
fn a_ring_has_three_classes_four_links_and_two_hops_across() {
    let survey = survey(4, ring, |row, column| [10, 15, 20, 15][(row + 4 - column) % 4]);
    let classes = survey.classes.as_ref().unwrap();
    let costs: Vec<f64> = classes.classes.iter().map(|class| class.cost_ns.round()).collect();
    assert_eq!((costs, &classes.refused), (vec![80.0, 120.0, 160.0], &None));
    let links = &survey.links.as_ref().unwrap().links;
    let edges: Vec<(u32, u32)> = links.edges.iter().map(|edge| (edge.a, edge.b)).collect();
    assert_eq!(edges, [(0, 1), (0, 3), (1, 2), (2, 3)]);
    assert_eq!(links.hops.as_ref().unwrap().iter().map(|hop| hop.hops).max(), Some(2));
    let checked = &survey.claims_vs_measured.as_ref().unwrap().checks[0];
    assert_eq!(
        (checked.kind, checked.findings.len()),
        (ClaimKind::Slit, 0),
        "{:?}",
        checked.findings
    );
}

#[test]
fn one_memory_contradicts_claimed_distances() {
    let survey = survey(4, |_, _| 90.0, |row, column| if row == column { 10 } else { 21 });
    let [(ClaimKind::Slit, ClaimFinding::Uniform { claimed, .. })] = findings(&survey)[..] else {
        panic!("{:?}", findings(&survey))
    };
    assert!((claimed - 2.1).abs() < 1e-9, "{claimed}");
}

#[test]
fn wrong_claims_show_both_figures() {
    let far = |row: usize, column: usize, near, far| if row == column { near } else { far };
    let survey = survey(
        2,
        |row, column| far(row, column, 80.0, 120.0),
        |row, column| far(row, column, 10.0, 32.0) as u32,
    );
    let (ClaimKind::Slit, ClaimFinding::Off { claimed, measured, .. }) = findings(&survey)[0]
    else {
        panic!("{:?}", findings(&survey))
    };
    assert!((claimed - 3.2).abs() < 1e-9 && (measured - 1.5).abs() < 0.005, "{claimed} {measured}");
    assert_eq!(survey.links.unwrap().refused, Some(NoLinks::FewNodes { nodes: 2 }));
}

#[test]
fn one_memory_has_no_figures() {
    let survey = survey(4, ring, |_, _| 10);
    let mut again: Survey = serde_json::from_str(&serde_json::to_string(&survey).unwrap()).unwrap();
    again.links = None;
    again.classes = None;
    again.judge().unwrap();
    assert_eq!((&again.links, &again.classes), (&survey.links, &survey.classes));
    again
        .latency
        .columns
        .iter_mut()
        .for_each(|column| column.node = Some(nearfar_model::NodeId(0)));
    again.judge().unwrap();
    assert_eq!((again.links, again.classes, again.claims_vs_measured), (None, None, None));
}

/// The same document with bandwidth: in GB/s, read by one CPU and by two; only two are
/// enough.
fn with_bandwidth(mut survey: Survey, gb: impl Fn(usize, usize) -> f64) -> Survey {
    let nodes = survey.latency.rows.len();
    let mut data = String::new();
    for (process, round) in
        (0..3).flat_map(|process| (0..4).map(move |round| (process, 4 * process + round)))
    {
        for (row, column) in (0..nodes).flat_map(|row| (0..nodes).map(move |column| (row, column)))
        {
            let noise =
                1.0 + 0.004 * (((6301 * (row + 5 * column + 7 * round)) % 11) as f64 - 5.0) / 5.0;
            for (treatment, share) in [(0, 0.55), (1, 1.0)] {
                let ns = 1_048_576.0 / (share * gb(row, column) * noise);
                let _ = write!(data, ",[{process},{round},{row},{column},{treatment},0,0,{ns:.3}]");
            }
        }
    }
    let treatments =
        [1, 2].map(|threads| serde_json::json!({"kernel": "read", "threads": threads}));
    let mut part = serde_json::to_value(&survey.latency).unwrap();
    let latencies = part["cells"].as_array().unwrap().clone();
    let visited =
        latencies.iter().flat_map(|cell| treatments.iter().map(move |treatment| (cell, treatment)));
    part["cells"] = visited.map(|(cell, treatment)| joined(cell, treatment)).collect();
    part["samples"] =
        serde_json::from_str(&format!(r#"{{"fields":{FIELDS},"data":[{}]}}"#, &data[1..])).unwrap();
    let fixed = serde_json::json!({
        "treatments": treatments, "isa": "avx2", "footprint_bytes": 1 << 28,
        "kernels": [], "knees": [], "peak": null,
    });
    survey.bandwidth = Some(serde_json::from_value(joined(&part, &fixed)).unwrap());
    survey
}

fn joined(one: &serde_json::Value, other: &serde_json::Value) -> serde_json::Value {
    let fields = |value: &serde_json::Value| value.as_object().unwrap().clone();
    fields(one).into_iter().chain(fields(other)).collect()
}

/// Reads in GB/s that HMAT claims for each pair.
fn claim_bandwidths(survey: &mut Survey, gb: impl Fn(u32, u32) -> u64) {
    let pairs = (0..4).flat_map(|cpus| (0..4).map(move |memory| (cpus, memory)));
    let cells: Vec<serde_json::Value> = pairs
        .map(|(initiator, target)| {
            serde_json::json!({
                "initiator": initiator, "target": target,
                "read_latency_ns": null, "write_latency_ns": null,
                "read_bandwidth_bytes_per_s": gb(initiator, target) * 1_000_000_000,
                "write_bandwidth_bytes_per_s": null,
            })
        })
        .collect();
    survey.claims.hmat =
        Some(serde_json::from_value(serde_json::json!({"from": "HMAT", "cells": cells})).unwrap());
    survey.claims.nodes = survey
        .latency
        .rows
        .iter()
        .map(|row| crate::ClaimedNode {
            id: row.node.unwrap(),
            cpus: row.cpus.clone(),
            memory_bytes: None,
        })
        .collect();
}

/// A ring whose neighbours read 40 GB/s from each other, and opposite nodes 20.
fn ring_with_bandwidth() -> Survey {
    let gb = |row: usize, column: usize| [100.0, 40.0, 20.0, 40.0][(row + 4 - column) % 4];
    with_bandwidth(survey(4, ring, |row, column| [10, 15, 20, 15][(row + 4 - column) % 4]), gb)
}

#[test]
fn links_have_bandwidth() {
    let mut survey = ring_with_bandwidth();
    let before = survey.links.clone().unwrap().links;
    assert!(before.edges.iter().all(|link| link.bandwidth.is_none()));
    assert!(!serde_json::to_string(&before).unwrap().contains("bandwidth"));
    survey.judge().unwrap();
    let links = &survey.links.as_ref().unwrap().links;
    let agrees = Some(BandwidthCheck::Agrees);
    assert!(links.edges.len() == 4 && links.edges.iter().all(|edge| edge.bandwidth == agrees));
    assert!(links.paths.len() == 2 && links.paths.iter().all(|path| path.bandwidth == agrees));
}

#[test]
fn claimed_bandwidths_are_checked_with_all_cpus() {
    let mut survey = ring_with_bandwidth();
    claim_bandwidths(&mut survey, |cpus, memory| {
        [100, 40, 40, 40][((cpus + 4 - memory) % 4) as usize]
    });
    survey.judge().unwrap();
    let checks = &survey.claims_vs_measured.as_ref().unwrap().checks;
    let check = &checks[1];
    assert_eq!((checks[0].kind, check.kind), (ClaimKind::Slit, ClaimKind::HmatBandwidth));
    let cell = check.cells.iter().find(|cell| (cell.cpu_node, cell.memory_node) == (0, 2)).unwrap();
    assert_eq!((cell.claimed, cell.agrees), (40e9, Some(false)));
    assert!((cell.measured / 20e9 - 1.0).abs() < 0.01, "{cell:?}");
    assert_eq!(check.cells.iter().filter(|cell| cell.agrees == Some(true)).count(), 12);
    assert!(
        check.findings.len() == 5 && check.findings.len() == check.strengths.len(),
        "{:?}",
        check.findings
    );
    let claimed_40 = check.findings.iter().find_map(|finding| match finding {
        ClaimFinding::Off { claimed: 40e9, cells, .. } => Some(cells.len()),
        _ => None,
    });
    assert_eq!(claimed_40, Some(4), "{:?}", check.findings);
    // The CPUs of a part of a node move a part of its bandwidth: the claim stays unchecked.
    survey.claims.nodes[0].cpus = nearfar_model::CpuSet::parse_list("0-7").unwrap();
    survey.judge().unwrap();
    let cells = &survey.claims_vs_measured.as_ref().unwrap().checks[1].cells;
    assert!(cells.len() == 12 && cells.iter().all(|cell| cell.cpu_node != 0));
}

#[test]
fn equal_bandwidth_does_not_exclude_numa() {
    let mut survey = with_bandwidth(survey(4, ring, |_, _| 10), |_, _| 40.0);
    claim_bandwidths(&mut survey, |cpus, memory| if cpus == memory { 40 } else { 20 });
    survey.judge().unwrap();
    let check = &survey.claims_vs_measured.as_ref().unwrap().checks[1];
    assert!(
        matches!(check.findings[0], ClaimFinding::Uniform { claimed: 2.0, .. }),
        "{:?}",
        check.findings
    );
    assert!(check.strengths[0] < 1.0, "{:?}", check.strengths);
}

#[test]
fn bandwidth_alone_makes_no_links() {
    let mut survey = ring_with_bandwidth();
    claim_bandwidths(&mut survey, |cpus, memory| {
        [100, 40, 20, 40][((cpus + 4 - memory) % 4) as usize]
    });
    (survey.latency, survey.samples) = (crate::Matrix::unmeasured(), None);
    survey.judge().unwrap();
    let checks = &survey.claims_vs_measured.as_ref().unwrap().checks;
    assert_eq!(
        (checks.len(), checks[0].findings.len(), survey.links.is_some()),
        (1, 0, false),
        "{checks:?}"
    );
    survey.strip_samples();
    let kept = survey.claims_vs_measured.clone();
    survey.judge().unwrap();
    assert_eq!(survey.claims_vs_measured, kept);
}
