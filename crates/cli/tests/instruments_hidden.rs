//! `nearfar hidden` on the machine the tests run on.

mod running;

use running::{User, refusal, stderr, stdout};
use serde_json::Value;

const QUICK: [&str; 4] = ["hidden", "--quick", "--seed", "7"];

#[test]
fn a_finding_comes_with_its_reasons_and_follows_from_its_samples() {
    let user = User::new();
    let kept = user.folder().join("h.json");
    let output = user.measure(&[&QUICK[..], &["--json", "-o", kept.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hidden = &document["hidden"];
    let finding = hidden["finding"].as_str().unwrap();
    assert!(["found", "interleaved", "none", "undetermined"].contains(&finding), "{finding}");
    let reasons = hidden["pages"]["reasons"].as_array().unwrap();
    assert!(!reasons.is_empty(), "{hidden}");
    match hidden["samples"].is_null() {
        // Too little memory, or no huge pages: that is said.
        true => assert_eq!(finding, "undetermined", "{hidden}"),
        false => {
            assert_eq!(hidden["pages"]["measured"], 64);
            assert!(hidden["pages"]["held_bytes"].as_u64().unwrap() >= 128 << 20);
            let known = hidden["pages"]["proof"] == "physical-address";
            assert_eq!(known, hidden["pages"]["span_bytes"].is_array(), "{}", hidden["pages"]);
        }
    }
    let kept = nearfar_survey::read(&kept).unwrap();
    let mut again = kept.clone();
    if let Some(hidden) = again.hidden.as_mut().filter(|hidden| hidden.samples.is_some()) {
        hidden.matrix.cells.clear();
        hidden.pages.reasons.clear();
        hidden.lines.reasons.clear();
    }
    again.judge().unwrap();
    assert_eq!(again.hidden, kept.hidden);
}

#[test]
fn the_screen_says_what_was_looked_at_and_csv_what_pages_cost() {
    let user = User::new();
    let shown = user.measure(&QUICK);
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    let shown = stdout(&shown);
    assert!(shown.contains("hidden nodes: ") && shown.contains("\n-  "), "{shown}");
    let csv = stdout(&user.measure(&[&QUICK[..], &["--csv"]].concat()));
    assert!(
        csv.starts_with("row,column,cpus,node,finding,share,lowest_address_bytes,highest_address_bytes,q25_ns,"),
        "{csv}"
    );
}

#[test]
fn one_cpu_can_be_told_to_look_alone() {
    let user = User::new();
    let output = user.measure(&[&QUICK[..], &["--cpus", "0", "--json", "--no-samples"]].concat());
    if output.status.code() != Some(0) {
        // CPU 0 may be outside this machine's cpuset.
        assert_eq!(stderr(&output).lines().count(), 1);
        return;
    }
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(document["hidden"]["samples"].is_null());
    assert_ne!(document["hidden"]["finding"], "found", "one row turns nothing round");
}

#[test]
fn bad_options_get_one_line() {
    let refused = |args: &[&str]| {
        let (status, said) = refusal(&User::new().run(args));
        assert_eq!(status, 2, "{said}");
        said
    };
    let large = refused(&["hidden", "--share", "80%"]);
    assert_eq!(large, "nearfar: --share is too large: at most 75% of the free memory");
    assert!(refused(&["hidden", "--cpus", "0,4000"]).starts_with("nearfar: CPU 4000 does not exist"));
}
