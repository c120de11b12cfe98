//! Documents of machines with nodes, some of whose firmware lies.

use std::fmt::Write;

use nearfar_model::DistanceMatrix;

use crate::{Cell, Survey};

/// A document of so many nodes whose memory costs `ns(cpus, memory)`, and of which firmware says `claimed`.
fn survey(nodes: usize, ns: impl Fn(usize, usize) -> f64, claimed: impl Fn(usize, usize) -> u32) -> Survey {
    let mut survey = crate::sketch::survey();
    let (row, column) = (survey.latency.rows[0].clone(), survey.latency.columns[0].clone());
    let blank = survey.latency.cells[0].clone();
    let ids = || (0u32..).take(nodes).map(nearfar_model::NodeId);
    survey.latency.rows =
        ids().map(|id| crate::Row { node: Some(id), label: format!("node {id}"), ..row.clone() }).collect();
    survey.latency.columns =
        ids().map(|id| crate::Column { node: Some(id), label: format!("node {id}"), ..column.clone() }).collect();
    let places = (0..nodes).flat_map(|row| (0..nodes).map(move |column| (row, column)));
    survey.latency.cells = places.clone().map(|(row, column)| Cell { row, column, ..blank.clone() }).collect();
    let mut data = String::new();
    for (process, round) in (0..5).flat_map(|process| (0..4).map(move |round| (process, 4 * process + round))) {
        for (row, column) in places.clone() {
            let noise = 1.0 + 0.002 * (((7919 * (row + 3 * column + 11 * round)) % 13) as f64 - 6.0) / 6.0;
            let _ = write!(data, ",[{process},{round},{row},{column},0,0,{:.3}]", ns(row, column) * noise);
        }
    }
    let table = format!(r#"{{"fields":["process","round","row","column","cpu","page","ns"],"data":[{}]}}"#, &data[1..]);
    survey.samples = serde_json::from_str(&table).unwrap();
    survey.controls.compared.clear();
    survey.page_size = None;
    let rows = (0..nodes).map(|row| (0..nodes).map(|column| claimed(row, column)).collect()).collect();
    survey.claims.distances = DistanceMatrix::new(ids().collect(), rows).ok();
    survey.claims.hmat = None;
    survey.judge().unwrap();
    survey
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
    assert_eq!((costs, classes.refused.as_deref()), (vec![80.0, 120.0, 160.0], None));
    let links = survey.links.as_ref().unwrap();
    let edges: Vec<(u32, u32)> = links.edges.iter().map(|edge| (edge.a, edge.b)).collect();
    assert_eq!(edges, [(0, 1), (0, 3), (1, 2), (2, 3)]);
    assert_eq!(links.hops.as_ref().unwrap().iter().map(|one| one.hops).max(), Some(2));
    let checked = &survey.claims_vs_measured.as_ref().unwrap().checks[0];
    assert_eq!((checked.claim.as_str(), checked.findings.len()), ("slit", 0), "{:?}", checked.findings);
}

#[test]
fn one_memory_under_a_table_of_distances_makes_it_false() {
    let survey = survey(4, |_, _| 90.0, |row, column| if row == column { 10 } else { 21 });
    let findings: Vec<&str> = survey.claims_vs_measured.as_ref().unwrap().findings().collect();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("SLIT claims memories up to 2.10 times as far as others, and all are alike"));
    assert!(crate::meaning::sentences(&survey).iter().any(|sentence| sentence == findings[0]));
}

#[test]
fn a_table_that_claims_thrice_the_cost_is_told_with_both_figures() {
    let far = |row: usize, column: usize, near, far| if row == column { near } else { far };
    let survey =
        survey(2, |row, column| far(row, column, 80.0, 120.0), |row, column| far(row, column, 10.0, 32.0) as u32);
    let findings: Vec<&str> = survey.claims_vs_measured.as_ref().unwrap().findings().collect();
    assert!(
        findings[0].starts_with("SLIT claims 3.20 times the own memory's cost, and it is 1.50 times"),
        "{findings:?}"
    );
    assert!(survey.links.unwrap().refused.unwrap().contains("it takes three"));
}

#[test]
fn figures_follow_from_samples_and_one_memory_has_none() {
    let survey = survey(4, ring, |_, _| 10);
    let mut again: Survey = serde_json::from_str(&serde_json::to_string(&survey).unwrap()).unwrap();
    again.links = None;
    again.classes = None;
    again.judge().unwrap();
    assert_eq!((&again.links, &again.classes), (&survey.links, &survey.classes));
    again.latency.columns.iter_mut().for_each(|column| column.node = Some(nearfar_model::NodeId(0)));
    again.judge().unwrap();
    assert_eq!((again.links, again.classes, again.claims_vs_measured), (None, None, None));
}
