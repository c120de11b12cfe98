//! `nearfar explain`, as a user runs it: here, on any machine, no times are asserted.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use super::where_and_move::Sleeper;
use crate::user::{User, refusal, send, stderr, stdout, wait_for};

fn nodes_with_memory() -> usize {
    let text = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    text.trim().split(',').filter(|part| !part.is_empty()).count()
}

#[test]
fn a_process_is_explained() {
    let sleeper = Sleeper::called("nf-explained");
    let pid = &sleeper.pid();
    let output = User::new().run(&["explain", pid]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let text = stdout(&output);
    assert!(text.starts_with(&format!("nf-explained (process {pid}): ")), "{text}");
    for label in ["\nMemory   on node", "\nThreads  run on node", "\nVerdict  "] {
        assert!(text.contains(label), "{label} in\n{text}");
    }
    let output = User::new().run(&["explain", pid, "--json"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&json["schema"], &json["survey"]), (&"nearfar.explain/2".into(), &Value::Null));
    if nodes_with_memory() == 1 {
        assert_eq!(json["processes"][0]["verdict"], "one-node");
        assert_eq!(json["processes"][0]["cures"], serde_json::json!([]));
    }
}

#[test]
fn pages_are_moved_there_and_back() {
    let sleeper = Sleeper::called("nf-tried");
    let pid = &sleeper.pid();
    let user = User::new();
    let node = fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    let node = node.trim().split([',', '-']).next().unwrap_or("0").to_owned();
    let steady = ["--metric", "echo 5", "--blocks", "3", "--period", "1s", "--to", &node];
    let args = [&["explain", pid, "--try", "--json"], &steady[..]].concat();
    let output = user.run(&args);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let trial = &json["trial"];
    assert_eq!((&trial["verdict"], &trial["change"]["value"]), (&"no-gain".into(), &0.0.into()));
    assert_eq!(trial["periods"].as_array().unwrap().len(), 6);
    let process = &trial["processes"][0];
    assert!(process["restored_bytes"].as_u64().unwrap() > 100_000, "{process}");
    assert_eq!(process["unrestored_bytes"], 0);
    let text = stdout(&user.run(&[&["explain", pid, "--try"], &steady[..]].concat()));
    for part in ["Trial\n", "No gain beyond 2 %: 'echo 5' +0.0 %", "Pages are where they were: "] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn metrics_that_cannot_be_read_move_nothing() {
    let sleeper = Sleeper::called("nf-metric");
    let pid = &sleeper.pid();
    let user = User::new();
    let trial = |args: &[&str]| {
        let all = [&["explain", pid, "--try", "--to", "0"], args].concat();
        refusal(&user.run(&all)).1
    };
    assert!(trial(&["--metric", "echo many"]).contains("it printed 'many'"));
    let failed = trial(&["--metric", "echo no such queue >&2; exit 3"]);
    assert!(failed.contains("no such queue") && failed.contains("exit status: 3"), "{failed}");
    if !std::path::Path::new("/sys/bus/event_source/devices/cpu").exists() {
        assert!(trial(&[]).contains("--metric CMD"));
    }
}

#[test]
fn what_has_no_pages_is_refused() {
    let user = User::new();
    let line = |target: &str| refusal(&user.run(&["explain", target])).1;
    assert!(line("4194305").contains("4194305"));
    assert!(line("nf-no-such-group").contains("no control group has the name 'nf-no-such-group'"));
    // On Linux, process 2 starts kernel threads. In a container it may be another.
    if fs::read_to_string("/proc/2/comm").is_ok_and(|name| name.trim() == "kthreadd") {
        assert!(line("2").contains("is a kernel thread"));
    }
    for args in [&["explain"][..], &["explain", "1", "--metric", "x"], &["explain", "1", "--undo"]]
    {
        assert_eq!(user.run(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn an_interrupted_trial_puts_pages_back() {
    let sleeper = Sleeper::called("nf-stopped");
    let pid = &sleeper.pid();
    let user = User::new();
    let folder = user.folder().join("run");
    fs::create_dir(&folder).unwrap();
    let args = ["explain", pid, "--try", "--to", "0", "--metric", "echo 1"];
    let mut command = user.command(&[&args[..], &["--blocks", "500"]].concat());
    command.env("XDG_RUNTIME_DIR", &folder).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("nearfar starts");
    let name = format!("nearfar/layout-{pid}.json");
    let notes = [folder.join(&name), std::path::Path::new("/run").join(&name)];
    wait_for("a note is kept", || notes.iter().any(|note| note.exists()));
    // A trial at work is not undone by another.
    let undone = user.command(&["explain", "--undo"]).env("XDG_RUNTIME_DIR", &folder).output();
    assert!(stdout(&undone.unwrap()).contains("nothing to put back"));
    assert!(notes.iter().any(|note| note.exists()));
    send("INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(notes.iter().all(|note| !note.exists()), "the note is removed with its reason");
}
