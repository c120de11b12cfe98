use std::ffi::OsString;

use nearfar_machine::Source;
use proptest::prelude::*;

use crate::launch::options::Dialect;
use crate::launch::{Launch, LaunchError, LaunchRequest};

/// Nodes 0 and 1 are whole, node 2 has only memory and is nearer to node 1, node 3 only CPUs.
fn machine() -> Source {
    let node = "/sys/devices/system/node";
    let mut files = vec![
        (format!("{node}/online"), "0-3".to_owned()),
        (format!("{node}/has_cpu"), "0-1,3".to_owned()),
        (format!("{node}/has_memory"), "0-2".to_owned()),
        ("/sys/devices/system/cpu/online".to_owned(), "0-5".to_owned()),
    ];
    let nodes = [
        (0, "0-1", "10 21 30 21", 4),
        (1, "2-3", "21 10 25 12", 4),
        (2, "", "30 25 10 40", 4),
        (3, "4-5", "21 12 40 10", 0),
    ];
    for (id, cpus, distances, gib) in nodes {
        let total = format!("Node {id} MemTotal: {} kB\n", gib << 20);
        files.push((format!("{node}/node{id}/cpulist"), cpus.to_owned()));
        files.push((format!("{node}/node{id}/distance"), distances.to_owned()));
        files.push((format!("{node}/node{id}/meminfo"), total));
    }
    for (class, name, number) in [
        ("nvme", "nvme0", "0"),
        ("nvme", "nvme1", "1"),
        ("nvme", "nvme2", "2"),
        ("nvme", "nvme3", "3"),
        ("nvme", "lost", "-1"),
        ("net", "eth0", "1"),
    ] {
        files.push((format!("/sys/class/{class}/{name}/device/numa_node"), number.to_owned()));
        files.push((format!("/sys/class/{class}/{name}/numa_node"), number.to_owned()));
    }
    Source::from_files(files)
}

fn launch(line: &str) -> Result<Launch, LaunchError> {
    let words = line.split_whitespace().map(OsString::from).collect();
    LaunchRequest::parse(words, Dialect::Run)?.check(&machine())
}

fn words(line: &str) -> String {
    launch(line).unwrap().placement.words().join(" ")
}

fn refusal(line: &str) -> String {
    let refusal = launch(line).unwrap_err().to_string();
    assert!(!refusal.contains('\n'), "{refusal}");
    refusal
}

#[test]
fn whole_nodes_are_taken_as_they_are() {
    assert_eq!(words("--near nvme0 ls"), "--physcpubind=0-1 --preferred=0");
    assert_eq!(words("--near disk:nvme1 ls"), "--physcpubind=2-3 --preferred=1");
    assert_eq!(words("--near netdev:eth0 ls"), "--physcpubind=2-3 --preferred=1");
    assert!(launch("--near nvme0 ls").unwrap().warnings.is_empty());
}

#[test]
fn bare_nodes_lead_to_the_nearest_whole_ones() {
    assert_eq!(words("--near nvme2 ls"), "--physcpubind=2-3 --preferred=1");
    assert_eq!(words("--near nvme3 ls"), "--physcpubind=4-5 --preferred=1");
}

#[test]
fn repeated_devices_count_once() {
    let launch = launch("--near nvme0,nvme0 ls").unwrap();
    assert_eq!(launch.near.unwrap().devices.len(), 1);
}

#[test]
fn one_whole_node_is_nearest_without_distances() {
    let node = "/sys/devices/system/node";
    let memory = "Node 0 MemTotal: 4096 kB\n".to_owned();
    let source = Source::from_files([
        (format!("{node}/online"), "0-1".to_owned()),
        (format!("{node}/has_cpu"), "0".to_owned()),
        (format!("{node}/has_memory"), "0-1".to_owned()),
        (format!("{node}/node0/cpulist"), "0-1".to_owned()),
        (format!("{node}/node1/cpulist"), String::new()),
        (format!("{node}/node0/meminfo"), memory.clone()),
        (format!("{node}/node1/meminfo"), memory),
        ("/sys/devices/system/cpu/online".to_owned(), "0-1".to_owned()),
        ("/sys/class/nvme/nvme0/device/numa_node".to_owned(), "1".to_owned()),
        ("/sys/class/nvme/nvme0/numa_node".to_owned(), "1".to_owned()),
    ]);
    let words = ["--near", "nvme0", "ls"].map(OsString::from).to_vec();
    let launch = LaunchRequest::parse(words, Dialect::Run).unwrap().check(&source).unwrap();
    assert_eq!(launch.placement.words().join(" "), "--physcpubind=0-1 --preferred=0");
}

#[test]
fn devices_on_several_nodes_are_warned_about() {
    let launch = launch("--near nvme0,eth0 ls").unwrap();
    assert_eq!(launch.placement.words().join(" "), "--physcpubind=0-3 --preferred-many=0-1");
    assert_eq!(
        launch.warnings,
        ["--near: the devices are on different nodes (nvme0 on node 0, eth0 on node 1), so the \
          program gets the CPUs and memory of all"]
    );
}

#[test]
fn an_unknown_node_is_refused() {
    let refusal = refusal("--near disk:lost ls");
    for part in [
        "the kernel does not know the node of disk:lost (lost)",
        "--near-anyway NODE",
        "nodes 0-3",
        "nearfar devices",
    ] {
        assert!(refusal.contains(part), "{part} in {refusal}");
    }
    assert!(!launch("--near lost ls").unwrap_err().is_usage());
}

#[test]
fn near_anyway_places_unknown_devices_only() {
    let placed = launch("--near lost --near-anyway 1 ls").unwrap();
    assert_eq!(placed.placement.words().join(" "), "--physcpubind=2-3 --preferred=1");
    assert_eq!(
        placed.warnings,
        ["--near: the kernel does not know the node of lost: node 1 of --near-anyway counts"]
    );
    assert_eq!(
        words("--near-anyway 0 --near lost,eth0 ls"),
        "--physcpubind=0-3 --preferred-many=0-1"
    );
    let known = refusal("--near eth0 --near-anyway 0 ls");
    assert!(known.contains("eth0 is on node 1: leave it out"), "{known}");
    assert!(refusal("--near lost --near-anyway 9 ls").contains("node 9 does not exist"));
    assert!(refusal("--near lost --near-anyway x ls").contains("takes one node"));
    assert!(refusal("--near-anyway 0 ls").contains("goes with --near"));
}

#[test]
fn options_that_choose_cpus_or_memory_conflict() {
    for option in ["-N 0", "-C 0", "-m 0", "-p 0", "-i all", "-l", "--default"] {
        for line in [format!("--near eth0 {option} ls"), format!("{option} --near eth0 ls")] {
            let refusal = launch(&line).unwrap_err();
            assert!(refusal.is_usage(), "{line}");
            assert!(refusal.to_string().starts_with("--near chooses CPUs and memory: leave --"));
        }
    }
    assert!(refusal("--near eth0 --near nvme0 ls").contains("stands once"));
    assert!(refusal("--near eth0 --file /dev/shm/x").contains("--near out"));
}

#[test]
fn similar_names_are_suggested() {
    let refusal = refusal("--near nvem1 ls");
    assert!(refusal.starts_with("--near: there is no device 'nvem1': did you mean disk:nvme1"));
    assert!(launch("--near foo:bar ls").unwrap_err().is_usage());
}

#[test]
fn devices_translate_for_other_systems() {
    let launch = launch("--near eth0 --as systemd").unwrap();
    let text =
        crate::launch::Translation::new(&launch.placement, &[], crate::launch::System::Systemd)
            .unwrap()
            .parts[0]
            .text
            .clone();
    assert!(text.contains("CPUAffinity=2-3") && text.contains("NUMAPolicy=preferred"), "{text}");
}

proptest! {
    #[test]
    fn no_device_panics(word in "[a-zäA-Z0-9:./, -]{0,12}", anyway in "[0-9a-z,-]{0,4}") {
        let words = ["--near", &word, "--near-anyway", &anyway, "ls"].map(OsString::from);
        if let Ok(request) = LaunchRequest::parse(words.to_vec(), Dialect::Run) {
            let _ = request.check(&machine());
        }
    }
}
