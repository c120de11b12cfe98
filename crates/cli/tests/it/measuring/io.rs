//! `nearfar io` run on this machine: a file that it makes is read, overwritten and removed. No
//! figure is asserted.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::measured::assert_cells_are_consistent;
use crate::user::{User, is_done, nearfar, send, stderr, wait_for};

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
        let quantiles: Vec<f64> = ["p50", "p99", "p999"]
            .into_iter()
            .filter_map(|name| tail[name]["ns"].as_f64())
            .collect();
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

/// Processes that have this file open; with `#` at its end, any without a name in its folder.
fn readers(path: &str) -> BTreeSet<String> {
    let is_path = |fd: std::fs::DirEntry| {
        let target = std::fs::read_link(fd.path()).unwrap_or_default();
        target.to_str().is_some_and(|target| match path.strip_suffix('#') {
            Some(_) => target.starts_with(path),
            None => target == path,
        })
    };
    let has_it = |process: &std::fs::DirEntry| {
        let open = std::fs::read_dir(process.path().join("fd"));
        open.is_ok_and(|mut open| open.any(|fd| fd.is_ok_and(is_path)))
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten().filter(has_it);
    processes.map(|process| process.file_name().to_string_lossy().into_owned()).collect()
}

/// Measures until this many workers have had the file open, then calls `change`, and waits for the
/// end. The budget and the precision are beyond what the test needs.
fn changed_after(workers: usize, path: &str, arguments: &[&str], change: impl Fn()) -> Output {
    let user = User::new();
    let usual = ["--thorough", "--window=5", "--seed=1", "--json"];
    let mut command = user.command(&[&["io"], arguments, &usual].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (own, mut seen) = (child.id().to_string(), BTreeSet::new());
    wait_for("workers that read", || {
        seen.extend(readers(path));
        seen.remove(&own);
        seen.len() >= workers || child.try_wait().unwrap().is_some()
    });
    change();
    child.wait_with_output().unwrap()
}

/// Checks that a run has failed: no cell has a figure, and each has this reason.
fn assert_no_figure(output: &Output, reason: &str) {
    let error = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(reason), "{error}");
    let survey: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut cells = 0;
    for table in ["latency", "throughput"].map(|table| &survey["io"][table]) {
        for cell in table["cells"].as_array().into_iter().flatten() {
            let why = cell["why"].as_str().unwrap_or_default();
            assert!(cell["median"].is_null() && why.contains(reason), "{cell}");
            cells += 1;
        }
    }
    assert!(cells > 0, "{survey}");
}

/// More than the first turns of two plans take: what follows are further turns.
const LATE: usize = 8;

#[test]
fn a_file_that_shrinks_has_no_figure() {
    let folder = folder();
    let Some(path) = large_file(folder.path()) else { return };
    let output = changed_after(LATE, &path, &[&path, "--budget=2m"], || {
        std::fs::File::options().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
    });
    assert_no_figure(&output, "the file became shorter");
}

#[test]
fn a_file_that_goes_away_has_no_figure() {
    let folder = folder();
    let Some(path) = large_file(folder.path()) else { return };
    let output = changed_after(LATE, &path, &[&path, "--budget=2m"], || {
        std::fs::remove_file(&path).unwrap();
    });
    assert_no_figure(&output, &format!("cannot open {path}: No such file"));
}

#[test]
fn a_file_that_replaces_the_made_one_stays() {
    let folder = folder();
    let Some(victim) = large_file(folder.path()) else { return };
    let before = std::fs::read(&victim).unwrap();
    let made = text(&folder.path().join("made")).to_owned();
    let arguments = ["--write", &made, "--file-size=256M", "--depth=1", "--budget=8s"];
    // It has no name: a file that gets that name loses nothing.
    let nameless = format!("{}/#", text(folder.path()));
    let output =
        changed_after(2, &nameless, &arguments, || std::fs::rename(&victim, &made).unwrap());
    assert!(is_done(&output), "{}", stderr(&output));
    assert!(std::fs::read(&made).unwrap() == before, "it was overwritten");
}

#[test]
fn ctrl_c_while_a_file_is_made_removes_it() {
    let folder = folder();
    if large_file(folder.path()).is_none() {
        return;
    }
    let (user, made) = (User::new(), folder.path().join("made"));
    let mut command = user.command(&["io", "--write", text(&made), "--file-size=16G"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let nameless = format!("{}/#", text(folder.path()));
    wait_for("a file that is being made", || !readers(&nameless).is_empty());
    send("INT", &child);
    let output = child.wait_with_output().unwrap();
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.starts_with("nearfar: interrupted: ") && !made.exists(), "{error}");
}

/// What fails anyway fails before a file is made: making one would exceed the limit of the shell.
#[test]
fn nothing_is_made_if_the_rest_is_wrong() {
    let folder = folder();
    let Some(large) = large_file(folder.path()) else { return };
    let made = folder.path().join("made");
    let not_text = folder.path().join(OsStr::from_bytes(b"\xff"));
    let user = User::new();
    let fails = |path: &Path, arguments: &[&str], expected: &str| {
        let limited = "ulimit -f 64; exec \"$@\"";
        let mut command = user.through("sh", &["-c", limited, "sh", nearfar(), "io", "--write"]);
        let output = command.arg(path).args(arguments).output().unwrap();
        let error = stderr(&output);
        assert!(error.contains(expected) && error.trim().lines().count() == 1, "{error}");
        assert!(!output.status.success() && !path.exists(), "{error}");
    };
    fails(&made, &["/nowhere/file"], "cannot open /nowhere/file");
    fails(&made, &[&large, &large], "are the same file or disk");
    fails(&made, &["--file-size=1M"], "is too small");
    fails(&made, &["--size=64M", "--depth=32"], "made has only 1 GiB");
    fails(&made, &["--irq=near,far", "/dev/null"], "/dev/null");
    fails(&not_text, &[], "is not UTF-8");
}

#[test]
fn surveys_measure_disks_only_if_thorough() {
    let output = User::new().measure(&["survey", "--quick", "--io", "/dev/null"]);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("--io needs --thorough"), "{error}");
}
