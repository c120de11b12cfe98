//! `nearfar links` of saved surveys.

use std::fs;

use serde_json::Value;

use crate::user::{User, refusal, stderr, stdout};

/// Two nodes, one sample of each cell.
const SURVEY: &str = include_str!("../../../../survey/src/sketch.json");

#[test]
fn missing_links_have_a_reason_in_text_and_json() {
    let user = User::new();
    let file = user.folder().join("two.json");
    let reason = r#"{"code": "unclassified", "reason": {"code": "nothing"}}"#;
    let links = format!(
        r#""links": {{"nodes": [0, 1], "edges": [], "open": [], "ways": [], "hops": null,
        "no_hops_because": null, "refused": {reason}}}, "warnings":"#
    );
    fs::write(&file, SURVEY.replacen(r#""warnings":"#, &links, 1)).unwrap();
    let file = file.to_str().unwrap();
    let output = user.run(&["links", file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let links: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(links["edges"], serde_json::json!([]));
    assert_eq!(
        links["refused"],
        serde_json::json!({"code": "unclassified", "reason": {"code": "nothing"}})
    );
    let screen = stdout(&user.run(&["links", file]));
    let text = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("links: undetermined: no pair of nodes was measured: "), "{screen}");
}

#[test]
fn a_file_that_is_no_survey_is_refused() {
    let user = User::new();
    let (status, message) = refusal(&user.run(&["links", "/nowhere/at/all.json"]));
    assert!(status == 1 && message.contains("/nowhere/at/all.json"), "{message}");
}

/// The same document, with classes.
fn with_classes() -> String {
    let classes = r#""classes": {"classes": [
        {"cost_ns": 97.0, "ci95": [96.5, 97.5], "cells": [[0, 0], [1, 1]]},
        {"cost_ns": 165.0, "ci95": [164.0, 166.0], "cells": [[0, 1], [1, 0]]}
    ], "refused": null},"#;
    SURVEY.replacen(r#""warnings":"#, &format!(r#"{classes} "warnings":"#), 1)
}

#[test]
fn derived_parts_are_shown_like_instruments() {
    let user = User::new();
    let file = user.folder().join("two.json");
    fs::write(&file, with_classes()).unwrap();
    let file = file.to_str().unwrap();
    let screen = stdout(&user.run(&["show", file, "--part", "classes"]));
    assert!(
        screen.contains("   97.0 ±0.5   local\n") && screen.contains("      165 ±1   0-1\n"),
        "{screen}"
    );
    let csv = stdout(&user.run(&["show", file, "--part", "classes", "--csv"]));
    assert!(csv.starts_with("class,cost_ns,") && csv.contains("\n1,165,164,166,0,1\n"), "{csv}");
    let (status, message) = refusal(&user.run(&["show", file, "--part", "claims_vs_measured"]));
    assert!(
        status == 2
            && message
                .contains("this survey has no part 'claims_vs_measured': it has latency, classes"),
        "{message}"
    );
    let unknown = user.run(&["show", file, "--part", "colour"]);
    let message = stderr(&unknown);
    assert!(
        unknown.status.code() == Some(2)
            && message.contains("hidden, classes, links, claims_vs_measured"),
        "{message}"
    );
}
