//! The main job on the machine the tests run on.

mod running;

use std::time::{Duration, Instant};

use running::{User, alone, stderr, stdout};
use serde_json::Value;

fn survey(user: &User, args: &[&str]) -> Value {
    let output = user.measure(&[&["survey", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_quick_survey_answers_in_ten_seconds() {
    let user = User::new();
    // On a host that others keep busy, one of a few; waiting for the other tests is not the survey's time.
    let timed = |_| {
        let _alone = alone();
        let begun = Instant::now();
        (user.run(&["survey", "--json", "--quick", "--seed", "7"]), begun.elapsed())
    };
    let mut surveys = (0..3).map(timed);
    let quick = surveys.find(|(_, took)| *took < Duration::from_secs(20));
    let (output, _) = quick.expect("20 s are enough for a test's debug build");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let survey: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(survey["schema"], "nearfar.survey/1");
    assert_eq!(survey["provenance"]["seed"], 7);
    assert!(survey["provenance"]["processes"].as_u64().unwrap() >= 3);
    let verdict = survey["verdict"]["numa"].as_str().unwrap();
    assert!(["yes", "no", "undetermined"].contains(&verdict));
    assert!(!survey["verdict"]["reasons"].as_array().unwrap().is_empty());
    for cell in survey["latency"]["cells"].as_array().unwrap() {
        let [median, low, high] = [&cell["median"], &cell["ci95"][0], &cell["ci95"][1]].map(|v| v.as_f64().unwrap());
        assert!(low <= median && median <= high, "{cell}");
        assert!((1.0..5_000.0).contains(&median), "a plausible memory latency: {cell}");
    }
    assert!(survey["controls"]["pairs"].as_u64().unwrap() >= 1);
}

#[test]
fn a_kept_survey_shows_the_same_bytes_again() {
    let user = User::new();
    let first = user.measure(&["survey", "--quick", "--seed", "3"]);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    let kept = user.kept();
    assert_eq!(kept.len(), 1);
    let again = user.run(&["show", kept[0].to_str().unwrap()]);
    assert_eq!(stdout(&again), stdout(&first));
    let listed = stdout(&user.run(&["surveys"]));
    assert!(listed.contains(kept[0].to_str().unwrap()), "{listed}");
}

#[test]
fn figures_follow_from_samples_and_seed() {
    let user = User::new();
    let file = user.folder().join("s.json");
    survey(&user, &["--quick", "--seed", "5", "-o", file.to_str().unwrap()]);
    let kept = nearfar_survey::read(&file).unwrap();
    let mut again = kept.clone();
    for cell in &mut again.latency.cells {
        (cell.q25, cell.median, cell.se, cell.ci95, cell.samples) = (None, None, None, None, 0);
    }
    again.judge().unwrap();
    assert_eq!(again, kept);
}

#[test]
fn samples_can_be_left_out() {
    let user = User::new();
    let survey = survey(&user, &["--quick", "--no-samples", "--seed", "1"]);
    assert!(survey["samples"].is_null());
    assert!(survey["latency"]["cells"][0]["median"].is_number());
}

#[test]
fn cells_as_csv() {
    let user = User::new();
    let output = user.measure(&["survey", "--quick", "--csv", "--seed", "1"]);
    let text = stdout(&output);
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("row,column,cpus,node,q25_ns,median_ns,se,"), "{text}");
    assert!(lines.count() >= 4, "{text}");
}

#[test]
fn the_core_walk_has_as_many_control_visits_as_cpus() {
    let user = User::new();
    let output = user.measure(&["latency", "--probe", "core-walk", "--accesses", "1000000", "--json", "--seed", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = document["latency"]["rows"].as_array().unwrap();
    let labels: Vec<&str> = rows.iter().map(|row| row["label"].as_str().unwrap()).collect();
    let controls = labels.iter().filter(|label| label.starts_with("control")).count();
    assert_eq!(controls * 2, labels.len(), "{labels:?}");
}

#[test]
fn every_probe_gives_plausible_costs() {
    let user = User::new();
    for probe in [["--probe", "chase"], ["--probe", "rmw"], ["--probe", "store-sweep"]] {
        let mut args = vec!["latency", "--json", "--seed", "1", "--size", "32M"];
        args.extend(probe);
        if probe[1] == "store-sweep" {
            args.extend(["--passes", "2"]);
        }
        let output = user.measure(&args);
        assert_eq!(output.status.code(), Some(0), "{probe:?} {}", stderr(&output));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let median = document["latency"]["cells"][0]["median"].as_f64().unwrap();
        assert!((0.05..5_000.0).contains(&median), "{probe:?} {median}");
    }
}

#[test]
fn colours_are_for_terminals() {
    let output = User::new().measure(&["survey", "--quick", "--seed", "1"]);
    assert!(!stdout(&output).contains('\u{1b}'));
}
