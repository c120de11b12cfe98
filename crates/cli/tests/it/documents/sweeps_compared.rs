//! `nearfar compare` of two sweeps: statuses that tests of programs rely on.

use std::fs;

use serde_json::{Value, json};

use super::sketch::sketch;
use crate::user::{User, refusal, stderr, stdout};

const TEN: &[f64] = &[10.0, 10.01, 9.99, 10.02, 9.98];
const ELEVEN: &[f64] = &[11.0, 11.01, 10.99, 11.02, 10.98];
const FAILED: &[f64] = &[0.0, 0.0, 0.0];

fn kept(user: &User, name: &str, text: &str) -> String {
    let path = user.folder().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Two placements with such runs.
fn two(user: &User, name: &str, unbound: &[f64], local: &[f64]) -> String {
    kept(user, name, &sketch(&[], &[("unbound", 4, unbound), ("local:0", 4, local)]).to_string())
}

#[test]
fn a_condition_passes_fails_or_cannot_be_judged() {
    let user = User::new();
    let good = two(&user, "good.json", TEN, TEN);
    let slower = two(&user, "slower.json", TEN, ELEVEN);
    let failing = two(&user, "failing.json", TEN, FAILED);
    let short = kept(&user, "short.json", &sketch(&[], &[("unbound", 4, TEN)]).to_string());
    let few = two(&user, "few.json", &TEN[..2], &TEN[..2]);
    for (first, second, status, message) in [
        (&good, &good, 0, ""),
        (&slower, &good, 0, ""),
        (&good, &slower, 3, "'wall_s>5%' holds: local:0 (+10.0 %)"),
        (&good, &failing, 3, "'wall_s>5%' holds: local:0 (every run of the second failed)"),
        (
            &failing,
            &good,
            1,
            "cannot judge 'wall_s>5%': local:0: the first has no run that succeeded",
        ),
        (&good, &short, 1, "cannot judge 'wall_s>5%': local:0: only the first has it"),
        (
            &good,
            &few,
            1,
            "cannot judge 'wall_s>5%': unbound (too few runs), local:0 (too few runs)",
        ),
        (&failing, &slower, 1, "cannot judge"),
    ] {
        let output = user.run(&["compare", first, second, "--fail-if", "wall_s>5%"]);
        assert_eq!(output.status.code(), Some(status), "{first} {second}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(message) && (status > 0 || stderr(&output).is_empty()),
            "{}",
            stderr(&output)
        );
        assert!(stdout(&output).contains("unbound"), "what was compared is shown all the same");
    }
    let other = user.run(&["compare", &good, &good, "--fail-if", "tps>5%"]);
    assert_eq!(other.status.code(), Some(2), "{}", stderr(&other));
}

#[test]
fn text_and_json_show_programs_and_placements() {
    let user = User::new();
    let good = two(&user, "good.json", TEN, TEN);
    let mut other: Value = serde_json::from_str(&fs::read_to_string(&good).unwrap()).unwrap();
    other["machine"]["kernel"] = json!("6.2.0");
    let other = kept(&user, "other.json", &other.to_string());
    let text = stdout(&user.run(&["compare", &good, &other]));
    assert!(
        text.contains(
            "first: make -j{jobs} (Sketch 9000, CPUs 0-3, nodes 0-1, kernel 6.1.0)\nsecond: "
        ),
        "{text}"
    );
    let document: Value =
        serde_json::from_slice(&user.run(&["compare", &good, &other, "--json"]).stdout).unwrap();
    assert_eq!(
        document["differs"],
        json!([{"what": "machine.kernel", "first": "6.1.0", "second": "6.2.0"}])
    );
    assert_eq!(document["commands"], json!([["make", "-j{jobs}"], ["make", "-j{jobs}"]]));
}

#[test]
fn a_file_that_is_no_sweep_is_described() {
    let user = User::new();
    let good = two(&user, "good.json", TEN, TEN);
    let whole = fs::read_to_string(&good).unwrap();
    let cut = kept(&user, "cut.json", &whole[..whole.len() / 2]);
    let survey = kept(&user, "survey.json", r#"{"schema": "nearfar.survey/2"}"#);
    for (first, second, status, message) in [
        (&good, &cut, 1, "cut.json is cut off (line 1)".to_owned()),
        (&cut, &survey, 1, "cut.json is cut off".to_owned()),
        (
            &good,
            &survey,
            2,
            format!("{good} is a sweep and {survey} a survey: compare two of the same kind"),
        ),
        (
            &survey,
            &good,
            2,
            format!("{survey} is a survey and {good} a sweep: compare two of the same kind"),
        ),
    ] {
        let (code, line) = refusal(&user.run(&["compare", first, second]));
        assert!(code == status && line.contains(&message), "{code} {line}");
    }
    for (text, why) in [
        ("", "it is empty"),
        ("hello", "it is not JSON (expected value at line 1 column 1)"),
        ("[1, 2]", "it has no \"schema\""),
        ("{}", "it has no \"schema\""),
        (r#"{"schema": "nearfar.compare-sweeps/1"}"#, "its schema is 'nearfar.compare-sweeps/1'"),
    ] {
        let foreign = kept(&user, "foreign.json", text);
        let (code, line) = refusal(&user.run(&["compare", &good, &foreign]));
        assert!(
            code == 1
                && line.ends_with(&format!("foreign.json is neither a sweep nor a survey: {why}")),
            "{line}"
        );
    }
    let (code, line) = refusal(&user.run(&["compare", &good, user.folder().to_str().unwrap()]));
    assert!(code == 1 && line.ends_with("not a file"), "{line}");
}

#[test]
fn captures_are_not_compared() {
    let user = User::new();
    let good = two(&user, "good.json", TEN, TEN);
    let archive =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/captures/cloud-guest.tar.gz").to_owned();
    let folder = user.folder().join("machine");
    fs::create_dir_all(folder.join("sys")).unwrap();
    for capture in [archive, folder.to_str().unwrap().to_owned()] {
        let (code, line) = refusal(&user.run(&["compare", &good, &capture]));
        let message = format!("{capture} is a captured machine: it has no measurements. Measure");
        assert!(code == 1 && line.contains(&message), "{code} {line}");
    }
}
