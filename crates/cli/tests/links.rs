//! `nearfar links`: what a kept survey tells of links.

mod running;

use std::fs;

use running::{User, refusal, stderr, stdout};
use serde_json::Value;

/// Two nodes, one sample of each cell.
const SURVEY: &str = include_str!("../../survey/src/sketch.json");

#[test]
fn a_survey_that_carries_no_links_says_why_in_words_and_as_json() {
    let user = User::new();
    let file = user.folder().join("two.json");
    fs::write(&file, SURVEY).unwrap();
    let file = file.to_str().unwrap();
    let output = user.run(&["links", file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let links: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(links["edges"], serde_json::json!([]));
    let why = links["refused"].as_str().unwrap();
    let screen = stdout(&user.run(&["links", file]));
    let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("links: cannot tell: ") && said.ends_with(why), "{screen}");
}

#[test]
fn what_is_no_survey_is_refused_in_a_line() {
    let user = User::new();
    let (status, said) = refusal(&user.run(&["links", "/nowhere/at/all.json"]));
    assert!(status == 1 && said.contains("/nowhere/at/all.json"), "{said}");
}
