//! A sweep's file: never written over, gone on with where it began, as it began.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::user::{User, own_messages, refusal, stderr};

/// A user with a whole sweep of three runs.
fn kept() -> (User, PathBuf) {
    let user = User::new();
    let file = user.folder().join("a sweep.json");
    let output =
        sweep(&user, &["--placement", "unbound", "--runs", "3", "-o", name(&file), "--", "true"]);
    assert_eq!(output, "");
    (user, file)
}

/// Its messages without the line that names its file.
fn sweep(user: &User, words: &[&str]) -> String {
    let output = user.measure(&[&["sweep"], words].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    own_messages(&output).lines().filter(|line| !line.starts_with("nearfar: saved as ")).collect()
}

fn name(file: &Path) -> &str {
    file.to_str().unwrap()
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn change(file: &Path, pointer: &str, value: Value) {
    let mut document = read(file);
    *document.pointer_mut(pointer).unwrap() = value;
    fs::write(file, document.to_string()).unwrap();
}

fn runs(file: &Path) -> usize {
    read(file)["configurations"][0]["runs"].as_array().unwrap().len()
}

#[test]
fn documents_are_not_overwritten() {
    let (user, file) = kept();
    let before = fs::read(&file).unwrap();
    let (status, message) = refusal(&user.measure(&["sweep", "-o", name(&file), "--", "true"]));
    let expected = format!(
        "nearfar: {0} already exists: --resume '{0}' continues it, --force overwrites it",
        name(&file)
    );
    assert_eq!((status, message), (2, expected));
    assert_eq!(fs::read(&file).unwrap(), before);
    fs::write(&file, "").unwrap();
    sweep(&user, &["--placement", "unbound", "--runs", "1", "-o", name(&file), "--", "true"]);
    assert_eq!(runs(&file), 1, "a file that the user made for it");
}

#[test]
fn too_large_figures_fail_their_run() {
    let user = User::new();
    let file = user.folder().join("large.json");
    let metric = ["--metric", "x=x: ([0-9e]+)", "--placement", "unbound"];
    let program = ["--", "sh", "-c", "echo x: 1e50"];
    let output = user
        .measure(&[&["sweep", "--runs", "1", "-o", name(&file)], &metric[..], &program].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let run = &read(&file)["configurations"][0]["runs"][0];
    let why = json!({"code": "figure-out-of-range", "printed": "1e50"});
    assert_eq!((&run["failed"], &run["metric"]), (&why, &Value::Null));
    let cause = "every run failed: it printed 1e50: figures are compared as ratios, and must lie \
                between 1e-30 and 1e30";
    assert!(stderr(&output).contains(cause), "{}", stderr(&output));
    let again = user.measure(&["sweep", "--yes", "--resume", name(&file), "--runs", "2"]);
    assert!(!stderr(&again).contains("cannot read"), "{}", stderr(&again));
    assert_eq!(runs(&file), 2);
}

#[test]
fn links_and_devices_are_kept() {
    let (user, file) = kept();
    let link = user.folder().join("link.json");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    sweep(&user, &["--yes", "--resume", name(&link), "--runs", "4"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(runs(&file), 4);
    let fifo = user.folder().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let (status, message) = refusal(&user.measure(&["sweep", "-o", name(&fifo), "--", "true"]));
    assert_eq!(
        (status, message),
        (1, format!("nearfar: cannot write {}: not a regular file", name(&fifo)))
    );
    let nowhere = user.folder().join("no/x.json");
    let (_, message) = refusal(&user.measure(&["sweep", "-o", name(&nowhere), "--", "true"]));
    assert!(
        message.ends_with("x.json: No such file or directory (os error 2)"),
        "no draft's name: {message}"
    );
}

#[test]
fn truncated_documents_are_reported() {
    let (user, file) = kept();
    let text = fs::read(&file).unwrap();
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    let (status, message) = refusal(&user.measure(&["sweep", "--yes", "--resume", name(&file)]));
    assert!(status == 1 && message.contains("a sweep.json is cut off (line "), "{message}");
}

#[test]
fn complete_sweeps_resume_only_with_new_limits() {
    let (user, file) = kept();
    let message = sweep(&user, &["--yes", "--resume", name(&file)]);
    assert_eq!(message, "nearfar: nothing left to run: --runs or --precision ask for more");
    assert_eq!(
        (sweep(&user, &["--yes", "--resume", name(&file), "--runs", "5"]).as_str(), runs(&file)),
        ("", 5)
    );
    assert_eq!(
        read(&file)["limits"],
        json!({"fewest": 5, "most": 5, "precision": 0.0, "budget_s": null})
    );
}

#[test]
fn sweeps_of_other_machines_are_not_resumed() {
    let (user, file) = kept();
    change(&file, "/machine/kernel", json!("2.6.18"));
    let (status, message) =
        refusal(&user.measure(&["sweep", "--yes", "--resume", name(&file), "--runs", "5"]));
    assert!(
        status == 2 && message.contains("ran on another machine: kernel 2.6.18 then, "),
        "{message}"
    );
    assert_eq!(runs(&file), 3);
}

#[test]
fn resumed_sweeps_keep_their_settings() {
    let (user, file) = kept();
    for words in [
        &["--warmup", "2"][..],
        &["--no-pages"],
        &["--env", "A=1"],
        &["-o", "x.json"],
        &["--", "false"],
    ] {
        let output = user.measure(&[&["sweep", "--yes", "--resume", name(&file)], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn other_braces_are_left_alone() {
    let (user, file) = kept();
    let words =
        ["--placement", "unbound", "--runs", "1", "--metric", "n=n ([0-9]+)", "--json", "--"];
    let _ = fs::remove_file(&file);
    let program = ["awk", "BEGIN {n = {jobs}; {print \"n\", n}}"];
    let output = user
        .measure(&[&["sweep", "--jobs", "7", "-o", name(&file)], &words[..], &program].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(read(&file)["configurations"][0]["median"], 7.0);
}
