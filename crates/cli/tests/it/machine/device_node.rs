//! Every command that needs the node of a device has the same one.

use std::ffi::OsString;

use nearfar_machine::Source;
use nearfar_process::launch::{Dialect, LaunchRequest};
use serde_json::Value;

use super::two_node_folder::TwoNodeFolder;
use crate::user::{User, stderr};

/// The disk of node 1 has interrupts, and process 9 has it open.
fn machine() -> TwoNodeFolder {
    let machine = TwoNodeFolder::new();
    machine.file("sys/devices/system/node/online", "0-1\n");
    for node in 0..2 {
        let memory = format!("Node {node} MemTotal: 4194304 kB\n");
        machine.file(&format!("sys/devices/system/node/node{node}/meminfo"), &memory);
    }
    let disk = "sys/devices/pci0000:85/0000:85:00.0/0000:86:00.0";
    machine.file(&format!("{disk}/msi_irqs/40"), "msix\n");
    machine.file(
        "proc/interrupts",
        "      CPU0  CPU1  CPU2  CPU3\n 40: 0 0 0 800000 PCI-MSI 40-edge nvme0q0\n",
    );
    machine.file("proc/9/comm", "db\n");
    machine.file("proc/9/numa_maps", "1000 default anon=1 N0=1 kernelpagesize_kB=4\n");
    machine.file("proc/9/status", "Mems_allowed_list: 0-1\n");
    let before = "0 ".repeat(23);
    machine.file("proc/9/task/9/stat", &format!("9 (db) R 1 0 0 0 0 0 0 0 0 0 90 0 {before}0"));
    machine.file("proc/9/task/9/status", "Cpus_allowed_list: 0-3\n");
    machine.link("proc/9/fd/0", "dev/nvme0");
    machine
}

fn document(args: &[&str]) -> Value {
    let output = User::new().run(args);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The first device with this name.
fn named<'d>(devices: &'d Value, name: &str) -> &'d Value {
    let is_named = |device: &&Value| device["names"].as_array().unwrap().contains(&name.into());
    devices.as_array().unwrap().iter().find(is_named).unwrap()
}

#[test]
fn all_commands_have_the_same_node_of_a_device() {
    let machine = machine();
    let root = machine.root();
    let devices = document(&["devices", "--root", root, "--json"]);
    assert_eq!(named(&devices["devices"], "nvme0")["node"]["node"], 1);
    let interrupts = document(&["irq", "--root", root, "--json"]);
    assert_eq!(named(&interrupts["devices"], "nvme0")["node"], 1);
    let process = document(&["where", "9", "--root", root, "--json"]);
    assert_eq!(named(&process["processes"][0]["devices"]["open"], "nvme0")["node"], 1);
    let source = Source::open(&machine.path("")).unwrap();
    let words = ["--near", "nvme0", "true"].map(OsString::from).to_vec();
    let launch = LaunchRequest::parse(words, Dialect::Run).unwrap().check(&source).unwrap();
    assert_eq!(launch.near.unwrap().nodes.to_string(), "1");
}
