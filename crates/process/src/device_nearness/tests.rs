use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;

/// Nodes 0 and 1 with CPUs, node 2 with memory only, nearest to node 1; a disk on each, and one
/// without a node.
fn machine(root: &Path, cpu: u32, allowed: &str, disks: &[&str]) -> Source {
    let file = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let node = "sys/devices/system/node";
    file(&format!("{node}/online"), "0-2");
    for (id, cpus, distances) in
        [(0, "0-1", "10 21 30"), (1, "2-3", "21 10 25"), (2, "", "30 25 10")]
    {
        file(&format!("{node}/node{id}/cpulist"), cpus);
        file(&format!("{node}/node{id}/distance"), distances);
        file(&format!("{node}/node{id}/meminfo"), &format!("Node {id} MemTotal: 4096 kB\n"));
    }
    for (name, number) in [("sda", "0"), ("sdb", "1"), ("sdc", "2"), ("sdx", "-1")] {
        file(&format!("sys/class/block/{name}/device/numa_node"), number);
    }
    file("proc/9/comm", "db");
    file("proc/9/numa_maps", "1000 default anon=1 N0=1 kernelpagesize_kB=4\n");
    file("proc/9/status", "Mems_allowed_list: 0-2\n");
    let before = "0 ".repeat(23);
    file("proc/9/task/9/stat", &format!("9 (db) R 1 0 0 0 0 0 0 0 0 0 90 0 {before}{cpu}"));
    file("proc/9/task/9/status", &format!("Cpus_allowed_list: {allowed}\n"));
    for (number, disk) in disks.iter().enumerate() {
        let link = root.join(format!("proc/9/fd/{number}"));
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(format!("/dev/{disk}"), link).unwrap();
    }
    Source::open(root).unwrap()
}

fn devices(cpu: u32, allowed: &str, disks: &[&str]) -> ProcessDevices {
    let folder = tempfile::tempdir().unwrap();
    let source = machine(folder.path(), cpu, allowed, disks);
    let memory = ProcessMemory::read(&source, 9).unwrap();
    ProcessDevices::read(&source, &memory)
}

fn verdicts(devices: &ProcessDevices) -> Vec<(&str, Nearness, Option<bool>)> {
    devices.open.iter().map(|one| (one.names[0].as_str(), one.verdict, one.bound)).collect()
}

#[test]
fn threads_and_devices_are_compared() {
    let all = devices(0, "0-3", &["sda", "sdb", "sdc", "sdx"]);
    assert_eq!(
        verdicts(&all),
        [
            ("sda", Nearness::Near, Some(false)),
            ("sdb", Nearness::Far, Some(false)),
            ("sdc", Nearness::Far, Some(false)),
            ("sdx", Nearness::Unknown, None),
        ]
    );
    assert_eq!(all.open[2].near_nodes.to_string(), "1", "node 2 has no CPUs");
    assert!(all.advice.as_deref().unwrap().starts_with("Its devices are near different nodes"));
}

#[test]
fn bound_processes_are_near() {
    let bound = devices(2, "2-3", &["sdb", "sdc"]);
    assert_eq!(
        verdicts(&bound),
        [("sdb", Nearness::Near, Some(true)), ("sdc", Nearness::Near, Some(true))]
    );
    assert_eq!(bound.advice, None);
}

#[test]
fn advice_moves_far_processes() {
    let far = devices(0, "0-3", &["sdb"]);
    assert_eq!(
        far.advice.as_deref(),
        Some(
            "'nearfar run --near sdb PROGRAM' starts it near; 'nearfar move 9 --cpus 2-3 --nodes \
             1' moves it now."
        )
    );
}

#[test]
fn captures_without_open_files_are_not_captured() {
    assert_eq!(devices(0, "0-3", &[]).state, DevicesState::NotCaptured);
}
