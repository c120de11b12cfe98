//! Sentences about hidden nodes: numbers, CPUs and effects follow from the pages that were seen.

use nearfar_model::Instrument;
use nearfar_report::survey::meaning::sentences;
use nearfar_report::survey::{Verbosity, part_text, text};
use nearfar_survey::Survey;
use serde_json::{Value, json};

use crate::hidden_part;
use crate::meaning::one_node;

/// Four nodes, two in each of two packages.
const NS: [[f64; 4]; 4] = [
    [90.0, 118.0, 210.0, 211.0],
    [118.0, 90.0, 209.0, 210.0],
    [210.0, 209.0, 90.0, 118.0],
    [211.0, 210.0, 118.0, 90.0],
];
const GIB: u64 = 1 << 30;
/// Pages of 2 MiB in a GiB: the memory of each node.
const PAGES: u64 = 512;

/// A search from these nodes' CPUs (two each), with pages of these nodes alone.
fn searched(rows: &[usize], nodes: &[usize]) -> Survey {
    let noise = |at: usize| 1.0 + 0.004 * (((at * 7919) % 13) as f64 - 6.0) / 6.0;
    let mut data = Vec::new();
    for process in 0..3usize {
        for round in 4 * process..4 * process + 4 {
            for (row, node) in rows.iter().enumerate() {
                for page in 0..64usize {
                    let home = nodes[page * nodes.len() / 64];
                    let number = home as u64 * PAGES + (page as u64 * 37 + 11) % PAGES;
                    let ns = NS[*node][home] * noise(page + 37 * row + 101 * round);
                    data.push(json!([process, round, row, page, 0, 2 * node, number, ns]));
                }
            }
        }
    }
    let left_out: Vec<String> = (0..4)
        .filter(|node| !rows.contains(node))
        .map(|node| format!("{}-{}", 2 * node, 2 * node + 1))
        .collect();
    let row = |node: &usize| {
        json!({
            "label": format!("group {node}"), "cpus": format!("{}-{}", 2 * node, 2 * node + 1),
            "node": null, "ghz": null, "drift": null,
        })
    };
    let mut part = hidden_part::found();
    part["rows"] = rows.iter().map(row).collect();
    part["pages"]["left_out_cpus"] = left_out.join(",").into();
    part["pages"]["memory_bytes"] = json!([[0, 4 * GIB - 1]]);
    let fields = ["process", "round", "row", "column", "treatment", "cpu", "page", "ns"];
    part["samples"] = json!({
        "pages": {"fields": fields, "data": data},
        "reference": {"fields": fields, "data": []}, "fingerprints": [],
    });
    judged(part)
}

fn judged(part: Value) -> Survey {
    let mut survey = one_node();
    survey.hidden = Some(serde_json::from_value(part).unwrap());
    survey.judge().unwrap();
    survey
}

/// What a user reads of it, in one line.
fn printed(survey: &Survey) -> String {
    let all = [
        sentences(survey).concat(),
        part_text(survey, Instrument::Hidden, Verbosity::Brief).text(),
        text(survey, Verbosity::Brief).text(),
    ]
    .concat();
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn memory_that_was_not_seen_makes_the_number_and_the_effect_the_least() {
    let survey = searched(&[0, 1, 2, 3], &[0, 1]);
    let printed = printed(&survey);
    for sentence in [
        "hides at least 2 nodes: CPUs 0-1 are near 50 % of the pages, CPUs 2-3 are near 50 %",
        "CPUs 4-7 are near none of the pages that were seen",
        "50 % of the memory were not looked at",
        "has at least 1.31 times the local latency",
        "has at least 1.31 times the latency of hidden node",
    ] {
        assert!(printed.contains(sentence), "{sentence}: {printed}");
    }
    assert!(!printed.contains("hides 2 nodes") && !printed.contains("has up to"), "{printed}");
    assert!(survey.hidden.unwrap().asks_for_more_memory().is_none(), "it was the second look");
}

#[test]
fn one_node_of_each_package_is_near_its_own_cpus_alone() {
    let printed = printed(&searched(&[0, 1, 2, 3], &[0, 2]));
    let near = "at least 2 nodes: CPUs 0-1 are near 50 % of the pages, CPUs 4-5 are near 50 %";
    assert!(printed.contains(near), "{printed}");
    assert!(printed.contains("CPUs 2-3,6-7 are near none of the pages"), "{printed}");
}

#[test]
fn all_memory_gives_the_exact_number() {
    let printed = printed(&searched(&[0, 1, 2, 3], &[0, 1, 2, 3]));
    assert!(printed.contains("hides 4 nodes: CPUs 0-1 are near 25 % of the pages"), "{printed}");
    assert!(printed.contains("Remote memory has up to 2.34 times"), "{printed}");
    assert!(!printed.contains("at least") && !printed.contains("near none"), "{printed}");
}

#[test]
fn cpus_that_were_left_out_are_not_called_far() {
    let printed = printed(&searched(&[0, 1], &[0, 1, 2, 3]));
    assert!(printed.contains("CPUs 4-7 were not measured"), "{printed}");
    assert!(printed.contains("hides at least 3 nodes"), "{printed}");
    assert!(printed.contains("no measured CPU is near 50 % of the pages"), "{printed}");
    assert!(!printed.contains("no CPU is near"), "{printed}");
}

#[test]
fn a_document_without_a_count_has_the_least_number() {
    let mut part = hidden_part::found();
    part["pages"]["count"] = Value::Null;
    let printed = printed(&judged(part));
    assert!(
        printed.contains("hides at least 2 nodes") && printed.contains("has at least 1.49"),
        "{printed}"
    );
}
