//! `nearfar check` on the machine the tests run on.

use std::fs;

use serde_json::{Value, json};

use crate::user::{User, stderr, stdout};

/// A survey of this machine in a file, and its path; none on a host too busy for any figure.
fn reference(user: &User) -> Option<(Value, String)> {
    let path = user.folder().join("reference.json");
    let file = path.to_str().unwrap();
    user.measure(&["survey", "--quick", "--no-samples", "--budget", "10s", "-o", file]);
    let survey: Value = serde_json::from_str(&fs::read_to_string(&path).ok()?).unwrap();
    let cells = survey["latency"]["cells"].as_array().unwrap();
    let is_known = cells.iter().any(|cell| cell["se"].is_number());
    is_known.then(|| (survey, file.to_owned()))
}

/// The same machine, this many times as slow.
fn times(survey: &Value, factor: f64) -> String {
    let mut survey = survey.clone();
    for cell in survey["latency"]["cells"].as_array_mut().unwrap() {
        for name in ["q25", "median"] {
            cell[name] = cell[name].as_f64().map_or(Value::Null, |ns| json!(ns * factor));
        }
        let ends = cell["ci95"].as_array().cloned().unwrap_or_default();
        let ends: Vec<f64> = ends.iter().filter_map(Value::as_f64).map(|ns| ns * factor).collect();
        cell["ci95"] = if ends.is_empty() { Value::Null } else { json!(ends) };
    }
    survey.to_string()
}

#[test]
fn a_machine_is_compared_with_its_own_survey() {
    let user = User::new();
    let Some((survey, file)) = reference(&user) else { return };
    let output = user.measure(&["check", "--reference", &file, "--json", "--budget", "5s"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["schema"], "nearfar.check/1");
    // Whatever the host does meanwhile, word and status agree.
    let expected = match report["status"].as_str().unwrap() {
        "ok" => 0,
        "undetermined" => 1,
        "worse" => 3,
        other => panic!("{other}"),
    };
    assert_eq!(output.status.code(), Some(expected), "{report}");
    assert_eq!(stderr(&output), "");
    // Memory that takes a fifth of the time of now, and does not: a fault is found. On a busy host
    // the budget may end before any cell is measured.
    let fast = user.write("fast.json", times(&survey, 0.2));
    let worse = user.measure(&["check", "--reference", &fast, "--as", "nhc", "--budget", "5s"]);
    let line = stdout(&worse);
    let is_found = line.starts_with("ERROR:  nhc:  Health check failed:  check_nearfar:  ");
    let is_undetermined = line.starts_with("WARNING:  nhc:  check_nearfar:  undetermined: ");
    assert!(is_found || is_undetermined, "{line}");
    let slow = user.write("slow.json", times(&survey, 50.0));
    let fine = user.measure(&["check", "--reference", &slow, "--as", "nagios", "--budget", "5s"]);
    let line = stdout(&fine);
    let is_decided = fine.status.code() == Some(0) && line.starts_with("NEARFAR OK - ");
    assert!(is_decided || line.starts_with("NEARFAR UNKNOWN - "), "{line}");
}

#[test]
fn another_machines_reference_is_refused_by_what_differs() {
    let user = User::new();
    let sketch = include_str!("../../../../survey/src/sketch.json");
    let file = user.write("other.json", sketch);
    let output = user.run(&["check", "--reference", &file]);
    let line = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{line}");
    let expected = "undetermined: the reference is of another machine: model 'Example 9000' there";
    assert!(line.starts_with(expected), "{line}");
    let nagios = user.run(&["check", "--reference", &file, "--as", "nagios"]);
    assert_eq!(nagios.status.code(), Some(3));
    assert!(stdout(&nagios).starts_with("NEARFAR UNKNOWN - "), "{}", stdout(&nagios));
}

#[test]
fn unreadable_references_are_undetermined_in_each_form() {
    let user = User::new();
    for (style, start) in [
        ("nhc", "WARNING:  nhc:  check_nearfar:  undetermined: "),
        ("systemd", "<4>undetermined: "),
    ] {
        let output = user.run(&["check", "--reference", "/nowhere.json", "--as", style]);
        let line = stdout(&output);
        assert_eq!((output.status.code(), line.lines().count()), (Some(1), 1), "{line}");
        assert!(line.starts_with(start) && line.contains("/nowhere.json"), "{line}");
    }
    assert_eq!(user.run(&["check", "--as", "nhc", "--json"]).status.code(), Some(2));
}
