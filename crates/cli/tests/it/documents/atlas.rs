//! `nearfar atlas`, and what it prepares to be sent.

use std::fs;

use serde_json::Value;

use crate::user::{User, refusal, stderr, stdout, success};

/// A survey of a guest, with devices, a command line and samples.
const SURVEY: &str = include_str!("../../../../../docs/gallery/documents/lab-xeon-2s-before.json");

#[test]
fn rows_are_found_by_model_in_every_form() {
    let user = User::new();
    let text = success(&user.run(&["atlas", "8269CY"]));
    for part in ["Intel Xeon Platinum 8269CY", "2P 4N SNC2", "Sources\n", "Published latency"] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    let document: Value =
        serde_json::from_str(&success(&user.run(&["atlas", "8269cy", "--json"]))).unwrap();
    assert_eq!(document["schema"], "nearfar.atlas/1");
    let rows = document["rows"].as_array().unwrap();
    assert!(rows.len() >= 3 && rows.iter().all(|row| row["source"].is_string()), "{rows:?}");
    let csv = success(&user.run(&["atlas", "8269CY", "--csv"]));
    assert_eq!(csv.lines().count(), rows.len() + 1);
    let all = success(&user.run(&["atlas", "--csv"]));
    assert!(all.lines().count() > 100);
}

/// The rows of this machine's CPU are first where there are any, and JSON has all as before.
#[test]
fn this_machines_cpu_is_first() {
    let user = User::new();
    let text = success(&user.run(&["atlas"]));
    let model = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name"));
    if let Some(model) = model.and_then(|line| line.split(": ").nth(1)) {
        let start = text.lines().take(2).collect::<Vec<_>>().join(" ");
        assert!(start.contains(model.trim()) && text.contains("\nAll: 1"), "{text}");
    }
    let all: Value = serde_json::from_str(&success(&user.run(&["atlas", "--json"]))).unwrap();
    assert!(all["rows"].as_array().unwrap().len() > 100 && all["comparison"].is_null());
}

#[test]
fn unknown_models_are_refused_in_a_line() {
    let (status, line) = refusal(&User::new().run(&["atlas", "PDP-11"]));
    assert_eq!((status, line.contains("no published row is of 'PDP-11'")), (1, true), "{line}");
}

#[test]
fn pictures_are_files_that_are_not_overwritten() {
    let user = User::new();
    let picture = user.folder().join("atlas.svg");
    let picture = picture.to_str().unwrap();
    let arguments = ["atlas", "7742", "-o", picture];
    assert!(stderr(&user.run(&arguments)).contains("saved as"));
    assert!(fs::read_to_string(picture).unwrap().starts_with("<svg"));
    let (status, line) = refusal(&user.run(&arguments));
    assert_eq!((status, line.contains("--force overwrites it")), (2, true), "{line}");
    let forced = user.run(&["atlas", "7742", "-o", picture, "--force"]);
    assert!(forced.status.success(), "{}", stderr(&forced));
    let (_, line) = refusal(&user.run(&["atlas", "5800X3D", "-o", "-"]));
    assert!(line.contains("have no latency to draw"), "{line}");
}

#[test]
fn a_survey_lies_beside_its_rows_or_that_is_explained() {
    let user = User::new();
    let file = user.write("guest.json", SURVEY);
    let text = success(&user.run(&["atlas", "--survey", &file]));
    assert!(text.contains("no published row is of 'QEMU TCG CPU version 2.5+'"), "{text}");
}

#[test]
fn submissions_are_shown_first_and_never_overwritten() {
    let user = User::new();
    let file = user.write("before.json", SURVEY);
    let [row, document] = ["before.atlas.toml", "before.atlas.json"].map(|f| user.folder().join(f));
    let shown = success(&user.run(&["atlas", "submit", &file, "--dry-run"]));
    assert!(shown.starts_with("Kept\n") && shown.contains("[[row]]"), "{shown}");
    assert!(!row.exists() && !document.exists());
    let output = user.run(&["atlas", "submit", &file]);
    assert_eq!(stdout(&output), shown);
    assert!(fs::read_to_string(&row).unwrap().contains("method = \"nearfar\""));
    let sent = fs::read_to_string(&document).unwrap();
    assert!(sent.len() < SURVEY.len() && !sent.contains("command_line"), "{sent}");
    // What is sent is a survey that can be shown.
    success(&user.run(&["show", document.to_str().unwrap()]));
    let before = fs::metadata(&row).unwrap().modified().unwrap();
    let again = user.run(&["atlas", "submit", &file]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("already exists: --force overwrites it"));
    assert_eq!(fs::metadata(&row).unwrap().modified().unwrap(), before);
    success(&user.run(&["atlas", "submit", &file, "--force"]));
}

#[test]
fn documents_without_latency_give_no_row() {
    let user = User::new();
    let mut survey: Value = serde_json::from_str(SURVEY).unwrap();
    survey["latency"]["cells"] = serde_json::json!([]);
    survey["samples"] = Value::Null;
    let file = user.write("empty.json", survey.to_string());
    let (status, line) = refusal(&user.run(&["atlas", "submit", &file, "--dry-run"]));
    assert_eq!(status, 1);
    assert!(line.contains("gives no row: it has no latency of local memory"), "{line}");
}
