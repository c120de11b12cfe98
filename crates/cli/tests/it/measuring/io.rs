//! `nearfar io` run on this machine: a file that it makes is read, overwritten and removed. No
//! figure is asserted.

use std::path::Path;

use serde_json::Value;

use crate::measured::assert_cells_are_consistent;
use crate::user::{User, is_done, stderr};

/// A folder whose file system has direct I/O; the temporary folder may have none.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Whether the temporary folder is in memory, or in layers of a container.
fn has_no_disk(error: &str) -> bool {
    error.contains("no direct I/O") || error.contains("in memory")
}

#[test]
fn a_made_file_is_measured_and_removed() {
    let folder = folder();
    let file = folder.path().join("made");
    let output = User::new().measure(&[
        "io",
        "--write",
        text(&file),
        "--file-size=256M",
        "--depth=1",
        "--window=5",
        "--budget=8s",
        "--quick",
        "--seed=1",
        "--json",
    ]);
    assert!(!file.exists(), "it is removed");
    if !output.status.success() && has_no_disk(&stderr(&output)) {
        return;
    }
    assert!(is_done(&output), "{}", stderr(&output));
    let survey: Value = serde_json::from_slice(&output.stdout).unwrap();
    let io = &survey["io"];
    assert!(io["throughput"].is_null() && io["targets"][0]["is_made"] == true, "{io}");
    let latency = &io["latency"];
    assert_cells_are_consistent(latency);
    let operations: Vec<&str> = latency["treatments"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|treatment| treatment["control"].is_null())
        .map(|treatment| treatment["operation"].as_str().unwrap())
        .collect();
    assert_eq!(operations, ["read", "write"]);
    for tail in latency["tails"].as_array().unwrap() {
        let ns = |name: &str| tail[name]["ns"].as_f64();
        let quantiles: Vec<f64> = ["p50", "p99", "p999"].into_iter().filter_map(ns).collect();
        assert!(quantiles.is_sorted(), "{tail}");
    }
}

#[test]
fn targets_that_cannot_be_measured_are_one_line() {
    let folder = folder();
    let small = folder.path().join("small");
    std::fs::write(&small, vec![1; 8192]).unwrap();
    let cases: [(&[&str], &str); 5] = [
        (&["io", text(folder.path())], "is a folder"),
        (&["io", "/dev/null"], "neither a file nor a disk"),
        (&["io", "/nowhere/file"], "cannot open /nowhere/file"),
        (&["io", "--write", text(&small)], "never overwrites"),
        (&["io", text(&small), "--size", "700"], "700 bytes an access"),
    ];
    for (arguments, expected) in cases {
        let output = User::new().measure(arguments);
        let error = stderr(&output);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(error.contains(expected) && error.trim().lines().count() == 1, "{error}");
    }
    let error = stderr(&User::new().measure(&["io", text(&small)]));
    assert!(error.contains("only 8 KiB") || has_no_disk(&error), "{error}");
    assert_eq!(std::fs::read(&small).unwrap(), vec![1; 8192], "nothing was written");
}
