//! `nearfar show` of documents that are not surveys.

use std::fs;

use serde_json::Value;

use super::sketch::sketch;
use crate::user::{User, refusal, stdout};

fn kept(user: &User, name: &str, text: &str) -> String {
    let path = user.folder().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_sweep_is_shown() {
    let user = User::new();
    let runs: &[f64] = &[10.0, 10.01, 9.99];
    let file = kept(&user, "sweep.json", &sketch(&[], &[("unbound", 4, runs)]).to_string());
    let text = stdout(&user.run(&["show", &file]));
    assert!(text.contains("unbound") && text.contains("3 runs"), "{text}");
    let csv = stdout(&user.run(&["show", &file, "--csv"]));
    assert!(csv.starts_with("configuration,placement,") && csv.lines().count() == 4, "{csv}");
    let json: Value = serde_json::from_str(&stdout(&user.run(&["show", &file, "--json"]))).unwrap();
    assert_eq!(json["schema"], "nearfar.sweep/2");
    assert_eq!(
        refusal(&user.run(&["show", &file, "--part", "caches"])),
        (2, "nearfar: a sweep has no parts: --part caches is for surveys".to_owned())
    );
}

#[test]
fn a_diagnosis_is_shown() {
    let user = User::new();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/captures/cloud-guest.tar.gz");
    let text = stdout(&user.run(&["diagnose", "--root", root]));
    let json = stdout(&user.run(&["diagnose", "--root", root, "--json"]));
    let file = kept(&user, "diagnosis.json", &json);
    // A document does not know what it was read from, so that its commands are others.
    let answer_and_findings = |text: &str| {
        let (answer, rest) = text.split_once("What to do\n").unwrap();
        let (_, findings) = rest.split_once("\nFindings\n").unwrap();
        [answer.to_owned(), findings.to_owned()]
    };
    let shown = stdout(&user.run(&["show", &file]));
    assert_eq!(answer_and_findings(&shown), answer_and_findings(&text));
    assert_eq!(stdout(&user.run(&["show", &file, "--json"])), json);
    assert_eq!(
        refusal(&user.run(&["show", &file, "--csv"])),
        (2, "nearfar: a diagnosis has no cells: omit --csv".to_owned())
    );
}

#[test]
fn other_documents_name_their_schema() {
    let user = User::new();
    let file = kept(&user, "structure.json", r#"{"schema":"nearfar.structure/2"}"#);
    let (status, message) = refusal(&user.run(&["show", &file]));
    assert_eq!(status, 1);
    assert!(message.contains("its schema is 'nearfar.structure/2'"), "{message}");
    assert!(message.ends_with("repeat its command without --json"), "{message}");
}
