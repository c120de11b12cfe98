//! `nearfar run --near` and the devices of `nearfar where`, as a user runs them.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

use serde_json::Value;

use crate::user::{User, refusal, skip, stderr, stdout};

fn run(words: &[&str]) -> Output {
    User::new().run(&[&["run"], words].concat())
}

/// A disk of this machine on PCI whose function has a node, or is on the only one.
fn disk() -> Option<String> {
    let nodes = fs::read_to_string("/sys/devices/system/node/online").ok()?;
    let is_placed = |disk: &String| {
        let folder = fs::canonicalize(format!("/sys/block/{disk}")).unwrap_or_default();
        let function = folder.ancestors().find(|above| above.join("numa_node").exists());
        let node = function.and_then(|found| fs::read_to_string(found.join("numa_node")).ok());
        node.is_some_and(|node| nodes.trim() == "0" || node.trim() != "-1")
    };
    let names = fs::read_dir("/sys/block").ok()?.flatten();
    names.filter_map(|entry| entry.file_name().into_string().ok()).find(is_placed)
}

#[test]
fn a_program_runs_near_a_disk() {
    let Some(disk) = disk() else { return skip("no disk with hardware") };
    for word in [disk.clone(), format!("disk:{disk}"), format!("block:{disk}")] {
        let shown = run(&["--near", &word, "grep", "Cpus_allowed_list", "/proc/self/status"]);
        assert_eq!((shown.status.code(), stderr(&shown).as_str()), (Some(0), ""), "{word}");
        let explained = run(&["--near", &word, "--explain", "--json"]);
        let document: Value = serde_json::from_slice(&explained.stdout).unwrap();
        let device = &document["near"]["devices"][0];
        assert_eq!(
            (&device["asked"], &device["hardware"][0]["name"]),
            (&word.into(), &disk.clone().into())
        );
        let cpus = document["cpus"]["cpus"].as_str().unwrap();
        assert!(stdout(&shown).ends_with(&format!("\t{cpus}\n")), "{}", stdout(&shown));
        assert_eq!(document["memory"]["nodes"], document["near"]["memory_nodes"]);
    }
    let text = stdout(&run(&["--near", &disk, "--explain"]));
    assert!(text.starts_with(&format!("Near       {disk}")), "{text}");
    let unit = stdout(&run(&["--near", &disk, "--as", "systemd"]));
    assert!(unit.contains("NUMAPolicy=preferred"), "{unit}");
}

#[test]
fn wrong_devices_are_one_line() {
    for (words, status, part) in [
        (&["--near", "no-such-device", "true"][..], 1, "there is no device 'no-such-device'"),
        (&["--near", "foo:bar", "true"], 2, "neither a kind and a name"),
        (&["--near", "", "true"], 2, "a device is missing"),
        (&["--near", "/no/such/file", "true"], 1, "No such file"),
        (&["--near", "/proc/self/status", "true"], 1, "has no device"),
        (&["--near", "gpu:999", "true"], 1, "nearfar devices"),
        (&["--near", "/dev/null", "true"], 1, "has no hardware"),
        (&["--near", "eth0", "-m", "0", "true"], 2, "leave --membind out"),
        (&["--near-anyway", "0", "true"], 2, "goes with --near"),
    ] {
        let (found, message) = refusal(&run(words));
        assert_eq!(found, status, "{message}");
        assert!(message.starts_with("nearfar: --near") && message.contains(part), "{message}");
    }
}

/// Process 51 on node 0 of two, with a disk of node 1 open; without open files where not wanted.
fn captured(root: &Path, has_files: bool) {
    let file = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    file("sys/devices/system/node/online", "0-1");
    for (id, cpus, distances) in [(0, "0-1", "10 21"), (1, "2-3", "21 10")] {
        file(&format!("sys/devices/system/node/node{id}/cpulist"), cpus);
        file(&format!("sys/devices/system/node/node{id}/distance"), distances);
    }
    file("sys/class/block/sdb/device/numa_node", "1");
    file("proc/51/comm", "db");
    file("proc/51/cmdline", "db\0");
    file("proc/51/numa_maps", "1000 default anon=1 N0=1 kernelpagesize_kB=4\n");
    let before = "0 ".repeat(23);
    file("proc/51/task/51/stat", &format!("51 (db) R 1 0 0 0 0 0 0 0 0 0 90 0 {before}1"));
    file("proc/51/task/51/status", "Cpus_allowed_list: 0-3\n");
    if has_files {
        fs::create_dir_all(root.join("proc/51/fd")).unwrap();
        symlink("/dev/sdb", root.join("proc/51/fd/3")).unwrap();
    }
}

#[test]
fn devices_of_captured_processes_are_shown() {
    for (has_files, part) in [
        (true, "sdb     -           1  far          1  /dev/sdb"),
        (true, "'nearfar run --near sdb PROGRAM' starts it near"),
        (false, "devices: not captured\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        captured(folder.path(), has_files);
        let root = folder.path().to_str().unwrap();
        let output = User::new().run(&["where", "51", "--root", root]);
        let shown = stdout(&output);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
}

#[test]
fn open_files_lead_to_their_disk() {
    let folder = tempfile::tempdir_in(env::current_dir().unwrap()).unwrap();
    let path = folder.path().join("data");
    let file = File::create(&path).unwrap();
    let mut child = Command::new("sleep").arg("600").stdin(file).spawn().unwrap();
    let pid = child.id().to_string();
    let output = User::new().run(&["where", &pid, "--json"]);
    let _ = (child.kill(), child.wait());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let devices = &document["processes"][0]["devices"];
    assert_eq!(devices["state"], "known", "{document}");
    let near = run(&["--near", path.to_str().unwrap(), "--explain", "--json"]);
    let error = stderr(&near);
    // After a change of root, the mount of the folder is not listed.
    let is_unknown = ["which has no device", "is not in /proc/self/mountinfo"];
    if disk().is_none() || is_unknown.iter().any(|why| error.contains(why)) {
        return skip("the folder of the tests is on no disk with hardware");
    }
    assert_eq!((near.status.code(), error.as_str()), (Some(0), ""));
    let near: Value = serde_json::from_slice(&near.stdout).unwrap();
    let disk = near["near"]["devices"][0]["hardware"][0]["name"].as_str().unwrap();
    let is_it = |one: &Value| one["names"].as_array().unwrap().iter().any(|name| name == disk);
    assert!(devices["open"].as_array().unwrap().iter().any(is_it), "{devices:#}");
}
