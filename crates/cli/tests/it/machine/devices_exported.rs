//! `nearfar devices --as`: files of other programs, and refusals.

use std::fs;

use serde_json::{Value, json};

use super::two_node_folder::TwoNodeFolder;
use crate::user::{User, refusal, stderr, stdout};

/// A survey of two nodes with CPUs 0-1 and 2-3, as the folder has them.
const SURVEY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gallery/documents/lab-xeon-2s-before.json");

fn folder() -> TwoNodeFolder {
    let machine = TwoNodeFolder::new();
    machine.file(
        "proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n\
         model name\t: Example 9000\n",
    );
    machine
}

fn exported(machine: &TwoNodeFolder, args: &[&str]) -> String {
    let output = User::new().run(&[&["devices", "--root", machine.root()], args].concat());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{args:?}");
    stdout(&output)
}

fn refused(machine: &TwoNodeFolder, args: &[&str]) -> (i32, String) {
    refusal(&User::new().run(&[&["devices", "--root", machine.root()], args].concat()))
}

/// A survey of the machine in the folder, with bandwidths where asked for.
fn survey(user: &User, has_bandwidth: bool) -> String {
    let mut survey: Value = serde_json::from_slice(&fs::read(SURVEY).unwrap()).unwrap();
    survey["machine"]["model"] = "Example 9000".into();
    survey["machine"]["product"] = Value::Null;
    if has_bandwidth {
        let latency = &survey["latency"];
        let (rows, columns) = (latency["rows"].clone(), latency["columns"].clone());
        survey["bandwidth"] = json!({
            "probe": "bandwidth", "unit": "bytes/s", "rows": rows, "columns": columns,
            "cells": [{
                "row": 0, "column": 1, "cpus": "0-1", "node": 1, "kernel": "read", "threads": 2,
                "q25": 2e10, "median": 2e10, "se": 0.01, "ci95": [1.9e10, 2.1e10], "samples": 9,
                "dropped": {},
            }],
            "treatments": [{"kernel": "read", "threads": 2}], "samples": null, "isa": "avx2",
            "footprint_bytes": 1, "kernels": [], "peak": null,
            "knees": [{"row": 0, "column": 1, "threads": 2}],
        });
    }
    user.write("survey.json", survey.to_string())
}

#[test]
fn a_topology_has_gpus_and_networks_below_their_switch() {
    let text = exported(&folder(), &["--as", "nccl"]);
    assert!(
        text.contains(
            "<cpu numaid=\"0\" affinity=\"00000003\" vendor=\"GenuineIntel\" familyid=\"6\" \
             modelid=\"106\">\n    <pci busid=\"0000:18:00.0\" class=\"0x060400\""
        ),
        "{text}"
    );
    assert!(text.contains("<net name=\"ib0\"/>\n          <net name=\"mlx5_0\"/>"), "{text}");
    assert!(!text.contains("0000:86:00.0"), "a disk is not NCCL's: {text}");
    let rccl = exported(&folder(), &["--as", "rccl"]);
    assert!(rccl.contains("<system version=\"2\">") && text.contains("<system version=\"1\">"));
}

#[test]
fn cards_without_node_are_warned_of() {
    let machine = folder();
    machine.function("pci0000:85/0000:85:01.0", "20000", "8086:1521", "-1\n");
    let output = User::new().run(&["devices", "--as", "rccl", "--root", machine.root()]);
    let warning = "nearfar: warning: no node is known for NIC1 (numa_node is -1)";
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
}

#[test]
fn measured_bandwidths_are_comments() {
    let user = User::new();
    let text = exported(&folder(), &["--as", "nccl", "--survey", &survey(&user, true)]);
    assert!(
        text.contains(
            "<!-- CPUs 0-1 from node 0: undetermined, it was not measured -->\n\
             <!-- CPUs 0-1 from node 1: 20.0 GB/s (95 % interval 19.0 to 21.0) -->\n"
        ),
        "{text}"
    );
}

#[test]
fn surveys_of_other_machines_are_refused() {
    let (status, why) = refused(&folder(), &["--as", "nccl", "--survey", SURVEY]);
    assert_eq!(status, 1);
    assert!(
        why.ends_with(
            "lab-xeon-2s-before.json describes another machine, or other nodes of it: QEMU TCG \
             CPU version 2.5+ (CPUs: 4, nodes: 2); here is Example 9000 (CPUs: 4, nodes: 2)"
        ),
        "{why}"
    );
}

#[test]
fn surveys_without_bandwidth_are_refused() {
    let user = User::new();
    let file = survey(&user, false);
    let (status, why) = refused(&folder(), &["--as", "nccl", "--survey", &file]);
    let expected = format!(
        "nearfar: {file} has no bandwidth from CPUs to nodes: 'nearfar bandwidth -o FILE' \
         measures it"
    );
    assert_eq!((status, why), (1, expected));
    let (status, why) = refused(&folder(), &["--as", "nccl", "--survey", "/nonexistent"]);
    assert_eq!(status, 1, "{why}");
}

#[test]
fn kubernetes_takes_names_of_devices() {
    let machine = folder();
    for name in ["DISK0", "disk0", "disk:0", "nvme0", "0000:86:00.0", "86:00.0", "pci:86:0"] {
        let text = exported(&machine, &["--as", "kubernetes", "--device", name]);
        assert!(text.contains("pci-0108_144d.present  # DISK0\n"), "{name}: {text}");
        assert!(!text.contains("GPU0"), "{name}: {text}");
    }
    let usual = exported(&machine, &["--as", "kubernetes"]);
    assert!(usual.contains("pci-0302_10de.present  # GPU0, GPU1\n"), "{usual}");
    assert_eq!(
        refused(&machine, &["--as", "kubernetes", "--device", "GPU7"]),
        (
            2,
            "nearfar: --device: there is no device 'GPU7': did you mean gpu:0 or gpu:1? 'nearfar \
             devices' lists all"
                .to_owned()
        )
    );
}

#[test]
fn options_of_another_export_are_refused() {
    let machine = folder();
    for (args, why) in [
        (
            ["--as", "nccl", "--device", "GPU0"],
            "--device is for --as kubernetes: a topology has all devices",
        ),
        (
            ["--as", "kubernetes", "--survey", SURVEY],
            "--survey is for --as nccl and rccl: labels have no measurements",
        ),
    ] {
        assert_eq!(refused(&machine, &args), (2, format!("nearfar: {why}")));
    }
    let output = User::new().run(&["devices", "--as", "hwloc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("for hwloc use 'nearfar show SURVEY --as hwloc'"));
}

#[test]
fn an_empty_topology_is_refused() {
    let user = User::new();
    let empty = user.folder().join("empty");
    fs::create_dir_all(empty.join("sys/devices/system/cpu/cpu0")).unwrap();
    fs::write(empty.join("sys/devices/system/cpu/online"), "0\n").unwrap();
    let (status, why) =
        refusal(&user.run(&["devices", "--root", empty.to_str().unwrap(), "--as", "nccl"]));
    assert_eq!(status, 1);
    assert!(why.ends_with("has no GPU and no network card on PCI: its topology is empty"), "{why}");
}

#[test]
fn files_appear_whole() {
    let user = User::new();
    let machine = folder();
    let file = user.folder().join("topo.xml");
    let file = file.to_str().unwrap();
    let args = ["devices", "--root", machine.root(), "--as", "nccl", "-o", file];
    let output = user.run(&args);
    assert_eq!(stderr(&output), format!("saved as {file}\n"));
    assert_eq!(fs::read_to_string(file).unwrap(), exported(&machine, &["--as", "nccl"]));
    let expected = format!("nearfar: {file} already exists: --force overwrites it");
    assert_eq!(refusal(&user.run(&args)), (2, expected));
}
