//! `nearfar io` run on this machine: a file that it makes is read, overwritten and removed. No
//! figure is asserted.

use std::path::Path;

use serde_json::Value;

use crate::measured::assert_cells_are_consistent;
use crate::user::{User, is_done, stderr, wait_for};

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

/// A file of 256 MiB on a disk; `None` if the temporary folder has none.
fn large_file(folder: &Path) -> Option<String> {
    let path = folder.join("large");
    let piece: Vec<u8> = (0..1 << 20).map(|byte: u32| byte.to_le_bytes()[0] ^ 0x5a).collect();
    let mut file = std::fs::File::create(&path).unwrap();
    for _ in 0..256 {
        std::io::Write::write_all(&mut file, &piece).unwrap();
    }
    file.sync_all().unwrap();
    let path = text(&path).to_owned();
    let output = User::new().measure(&["io", &path, "--size", "64M", "--depth", "8"]);
    let error = stderr(&output);
    if has_no_disk(&error) {
        return None;
    }
    // All accesses in flight are larger than the file.
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("8 accesses of 64 MiB in flight are 512 MiB"), "{error}");
    Some(path)
}

#[test]
fn two_names_of_one_file_are_refused() {
    let folder = folder();
    let Some(path) = large_file(folder.path()) else { return };
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for second in [path.as_str(), text(&link)] {
        let output = User::new().measure(&["io", &path, second]);
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("are the same file or disk"), "{error}");
    }
}

/// Whether a process has this file open.
fn is_open(path: &str) -> bool {
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let open = folders.filter_map(|one| std::fs::read_dir(one.path().join("fd")).ok());
    let mut targets = open.flatten().flatten().filter_map(|fd| std::fs::read_link(fd.path()).ok());
    targets.any(|target| target == Path::new(path))
}

#[test]
fn a_file_that_shrinks_has_no_figure() {
    let folder = folder();
    let Some(path) = large_file(folder.path()) else { return };
    let user = User::new();
    let arguments = ["io", &path, "--depth=1", "--quick", "--budget=8s", "--seed=1", "--json"];
    let child = user
        .command(&arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("a worker that reads", || is_open(&path));
    std::fs::File::options().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("the file became shorter"), "{error}");
}

#[test]
fn surveys_measure_disks_only_if_thorough() {
    let output = User::new().measure(&["survey", "--quick", "--io", "/dev/null"]);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--io needs --thorough"), "{error}");
}
