//! Pages: golden ones, those of hostile documents, those of large machines, and several surveys
//! beside each other.

use std::time::Instant;

use nearfar_report::page::{self, Origin};
use nearfar_survey::Survey;
use serde_json::{Value, json};
use snapbox::{assert_data_eq, file};

use crate::{large, measured};

const SEVERAL: &str = include_str!("../golden/several.json");
const MIB: usize = 1 << 20;

fn several() -> Survey {
    serde_json::from_str(SEVERAL).unwrap()
}

fn origin(file: &str) -> Origin {
    Origin { file: file.to_owned(), made_from: None }
}

/// The page without the document in it: that is the survey's own text once more.
fn without_document(page: &str) -> String {
    let (before, after) = page.split_once("base64,").unwrap();
    format!("{before}base64,...{}", &after[after.find('"').unwrap()..])
}

#[test]
fn a_survey_with_every_part() {
    let page = page::survey(&several(), &origin("several.json"), false);
    assert_data_eq!(without_document(&page), file!["../golden/several.html"].raw());
    assert_eq!(
        page,
        page::survey(&several(), &origin("several.json"), false),
        "the same survey gives the same bytes"
    );
}

#[test]
fn counts_of_the_pmu_are_part_of_the_method() {
    let page_of = |fills: Value| {
        let mut document: Value = serde_json::from_str(SEVERAL).unwrap();
        document["fills"] = fills;
        let survey: Survey = serde_json::from_value(document).unwrap();
        without_document(&page::survey(&survey, &origin("several.json"), false))
    };
    let remote = json!({
        "row": 0, "column": 1, "expected": "remote", "loads": 10_000, "local": 100,
        "remote": 9_900, "remote_share": 0.99, "counted_share": 1.0
    });
    let counted = page_of(json!({ "events": "fills.{near,<img>}", "cells": [remote] }));
    let sentence = "99.0 % of loads in remote cells were remote, by fills.{near,&lt;img&gt;}.</dd>";
    assert!(counted.contains(sentence), "{counted}");
    let refusal = json!({ "code": "no-pmu", "guest": true });
    assert!(page_of(json!({ "refusal": refusal, "cells": [] })).contains("<dd>Not counted: "));
    assert!(!page_of(Value::Null).contains("<dt>PMU</dt>"));
}

#[test]
fn text_of_a_hostile_survey_is_no_markup() {
    const ATTACK: &str = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>\" \
                          onload=\"alert(3) \u{202e}\u{0}\u{1b}[2J";
    fn attack(value: &mut Value) {
        match value {
            Value::String(text)
                if !text.starts_with("nearfar.survey/")
                    && text.parse::<f64>().is_err()
                    && !KEPT.contains(&text.as_str()) =>
            {
                text.push_str(ATTACK);
            }
            Value::Array(values) => values.iter_mut().for_each(attack),
            Value::Object(fields) => {
                let texts = fields.iter_mut().filter(|(name, _)| !CODES.contains(&name.as_str()));
                texts.for_each(|(_, value)| attack(value));
            }
            _ => {}
        }
    }
    const CODES: [&str; 2] = ["code", "counted"];
    const KEPT: [&str; 4] = ["yes", "no", "undetermined", "default"];
    let mut document: Value = serde_json::from_str(SEVERAL).unwrap();
    let parts = ["machine", "warnings", "environment", "verdict"];
    for part in parts {
        attack(&mut document[part]);
    }
    for pointer in ["/latency/rows", "/latency/columns"] {
        for one in document.pointer_mut(pointer).unwrap().as_array_mut().unwrap() {
            attack(&mut one["label"]);
        }
    }
    document["provenance"]["started"] = json!(ATTACK);
    document["machine"]["model"] = json!(ATTACK.repeat(3_000));
    let survey: Survey = serde_json::from_value(document).unwrap();
    let page = page::survey(&survey, &origin(ATTACK), false);
    for forbidden in ["<script", "<img", "onload=\"alert", "\u{202e}", "\u{0}", "\u{1b}"] {
        assert!(!page.contains(forbidden), "{forbidden:?} is in the page");
    }
    assert!(page.contains("&lt;script&gt;"));
    assert!(without_document(&page).len() < 2 * MIB);
}

#[test]
fn a_page_loads_nothing() {
    let page = page::survey(&several(), &origin("several.json"), false);
    assert!(page.contains("default-src 'none'"));
    for loading in ["src=", "http://", "https://", "@import", "url("] {
        assert!(!without_document(&page).contains(loading), "{loading}");
    }
}

#[test]
fn missing_parts_are_missing_from_the_page() {
    let whole: Value = serde_json::from_str(SEVERAL).unwrap();
    for part in ["bandwidth", "core_to_core", "caches", "loaded", "interleave", "page_size"] {
        let mut document = whole.clone();
        document.as_object_mut().unwrap().remove(part);
        let survey: Survey = serde_json::from_value(document).unwrap();
        assert!(
            page::survey(&survey, &origin("s.json"), false).contains("What it found"),
            "{part}"
        );
    }
    let mut empty = several();
    empty.latency.rows.clear();
    empty.latency.cells.clear();
    assert!(!page::survey(&empty, &origin("s.json"), false).contains("id=\"latency\""));
}

#[test]
fn surveys_side_by_side_frame_real_changes_on_one_scale() {
    let before = measured::xeon_2s().survey();
    let mut slower = measured::xeon_2s();
    slower.costs[0][1] *= 1.3;
    let after = slower.survey();
    let page =
        page::surveys(&[(before, origin("before.json")), (after, origin("after.json"))], false);
    let framed = page.matches("): a real change").count();
    assert!((1..=2).contains(&framed), "{framed} cells are marked as real changes");
    assert!(page.contains(">+30.0 %</text>"), "the change stands beneath the figure");
    assert_eq!(page.matches("class=\"m\"").count(), framed, "what changed is framed");
    let ends: Vec<&str> = page
        .match_indices(" ns</text>")
        .map(|(at, _)| page[..at].rsplit('>').next().unwrap())
        .collect();
    let latency_ends: Vec<&&str> =
        ends.iter().filter(|end| end.parse::<f64>().is_ok_and(|end| end > 170.0)).collect();
    assert!(
        latency_ends.len() >= 2 && latency_ends.windows(2).all(|pair| pair[0] == pair[1]),
        "{ends:?}"
    );
    assert!(page.contains("before.json") && page.contains("after.json"));
}

#[test]
fn pages_of_large_machines_are_quick_and_small() {
    let survey = large::survey(64, 1_024);
    let start = Instant::now();
    let page = page::survey(&survey, &origin("large.json"), false);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    assert!(page.len() <= 8 * MIB, "{} bytes", page.len());
    assert!(page.contains("64 nodes"));
}

#[test]
fn eight_nodes_take_two_mebibytes_at_most() {
    let page = page::survey(&large::survey(8, 128), &origin("eight.json"), false);
    assert!(page.len() <= 2 * MIB, "{} bytes", page.len());
}

/// Each loop over one list within another would take hours, or all memory.
#[test]
fn documents_with_too_many_parts_are_drawn_soon() {
    let many = |count: usize, one: Value| Value::Array(vec![one; count]);
    let parts = |packages, others| {
        json!({
            "packages": many(packages, json!({"id": 0, "cpus": "0-9"})),
            "dies": many(others, json!({"package": 0, "id": 0, "cpus": "0-9"})),
            "cache_groups": many(others, json!({
                "cpus": "0-9", "level": 3, "kind": "unified", "bytes": null
            })),
            "cores": many(others, json!({"cpus": "0-9"}))
        })
    };
    let node = |cpus: &str| json!({"id": 0, "cpus": cpus, "memory_bytes": 1});
    let devices = many(20_000, json!({"kind": "disk", "name": "sda", "node": 0}));
    let hostile = [
        json!({"parts": parts(30_000, 30_000)}),
        json!({"parts": parts(4_000, 900), "nodes": many(4_000, node("0-9"))}),
        json!({"parts": null, "nodes": many(20_000, node("")), "devices": devices.clone()}),
        json!({"parts": null, "nodes": many(4_000, node("")), "devices": devices}),
    ];
    for (at, claims) in hostile.iter().enumerate() {
        let mut document: Value = serde_json::from_str(SEVERAL).unwrap();
        document["claims"].as_object_mut().unwrap().extend(claims.as_object().unwrap().clone());
        document["courses"] =
            many(30_000, json!({"instrument": "latency", "rounds": 9, "process_starts": []}));
        document["disturbances"] = (0..30_000)
            .map(|k| {
                json!({
                    "instrument": "latency", "reason": format!("r{k}"), "round": 2, "process": 0,
                    "samples": 4
                })
            })
            .collect();
        let survey: Survey = serde_json::from_value(document).unwrap();
        let began = Instant::now();
        let page = page::survey(&survey, &origin("s.json"), false);
        assert!(began.elapsed().as_secs() < 60, "{at}: {:?}", began.elapsed());
        assert_eq!(
            page.contains("than a plan can show"),
            at < 3,
            "{at}: the page states what it leaves out"
        );
    }
}
