use std::ffi::OsString;

use nearfar_machine::Source;

use super::*;
use crate::launch::options::Dialect;
use crate::launch::request::LaunchRequest;

/// Nodes 0 and 2 with CPUs, node 5 without.
fn machine() -> Source {
    let node = "/sys/devices/system/node";
    let meminfo = |node: u32, free: u32| {
        format!("Node {node} MemTotal: 8388608 kB\nNode {node} MemFree: {free} kB\n")
    };
    let mut files: Vec<(String, String)> = vec![
        ("/proc/self/status".into(), "Cpus_allowed_list:\t0-3\nMems_allowed_list:\t0,2,5\n".into()),
        ("/sys/devices/system/cpu/online".into(), "0-3".into()),
        ("/sys/devices/system/cpu/present".into(), "0-3".into()),
    ];
    for (name, text) in
        [("online", "0,2,5"), ("possible", "0,2,5"), ("has_memory", "0,2,5"), ("has_cpu", "0,2")]
    {
        files.push((format!("{node}/{name}"), text.into()));
    }
    for (id, cpus, distance, free) in [
        (0, "0-1", "10 21 17", 4_194_304),
        (2, "2-3", "21 10 28", 1_048_576),
        (5, "", "17 28 10", 8_388_608),
    ] {
        files.push((format!("{node}/node{id}/cpulist"), cpus.into()));
        files.push((format!("{node}/node{id}/distance"), distance.into()));
        files.push((format!("{node}/node{id}/meminfo"), meminfo(id, free)));
    }
    for cpu in 0..4 {
        files.push((
            format!("/sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list"),
            cpu.to_string(),
        ));
    }
    Source::from_files(files)
}

fn explained(line: &str, facts: &KernelFacts) -> Explanation {
    let source = machine();
    let request =
        LaunchRequest::parse(line.split_whitespace().map(OsString::from).collect(), Dialect::Run)
            .unwrap();
    let launch = request.check(&source).unwrap();
    Explanation::new(&launch, &Topology::read(&source).unwrap(), facts)
}

fn inheriting_default() -> KernelFacts {
    KernelFacts { inherited: Some(Policy::Default), lacks: Ok(Vec::new()), denied: None }
}

#[test]
fn bound_programs_are_killed_when_memory_runs_out() {
    let explanation = explained("-N 0 -m 0 --explain", &inheriting_default());
    assert_eq!(explanation.cpus.sentence, "It runs on CPUs 0-1 only: those of node 0.");
    assert_eq!(
        explanation.memory.sentence,
        "Every page comes from node 0. 4 GiB of 8 GiB are free there now."
    );
    assert!(explanation.memory.when_full.contains("kills the program"));
    assert!(explanation.denied.is_none() && explanation.lacks == Some(Vec::new()));
}

#[test]
fn full_preferred_nodes_only_slow_down() {
    let explanation = explained("-p 2 --explain", &inheriting_default());
    assert!(explanation.memory.when_full.contains("The program continues"));
    assert!(
        explanation
            .remarks
            .iter()
            .any(|remark| remark.contains("on node 0 it is far")
                && remark.contains("--cpunodebind=2"))
    );
}

#[test]
fn remote_memory_is_remarked() {
    let explanation = explained("-N 0 -m 2 --explain", &inheriting_default());
    let far = "Every access crosses the machine: it runs on node 0, and its memory is on node 2, \
               at a claimed distance of 21 where 10 is local.";
    assert!(explanation.remarks.iter().any(|remark| remark == far), "{:?}", explanation.remarks);
    let near = explained("-N 0 -m 0,2 --explain", &inheriting_default());
    assert!(!near.remarks.iter().any(|remark| remark.contains("crosses")));
}

#[test]
fn a_node_without_cpus_is_memory_only() {
    let explanation = explained("-m 5 --explain", &inheriting_default());
    assert!(
        explanation.remarks.iter().any(
            |remark| remark == "No CPU is near: node 5 has memory only (CXL, HBM, a device's)."
        )
    );
    assert!(!explanation.remarks.iter().any(|remark| remark.contains("crosses")));
}

#[test]
fn inherited_policies_are_shown() {
    let explanation = explained(
        "-C 2 --explain",
        &KernelFacts {
            inherited: Some(Policy::Bind(NodeSet::from_id(NodeId(2)))),
            ..inheriting_default()
        },
    );
    assert_eq!(explanation.cpus.sentence, "It runs on CPU 2 (node 2) only.");
    assert!(
        explanation.memory.sentence.starts_with(
            "No policy is chosen, so this shell's holds: Every page comes from node 2."
        )
    );
    assert!(!explanation.memory.chosen && explanation.memory.policy == Some("bind"));
    assert!(
        explained("-C 2 --explain", &KernelFacts { inherited: None, ..inheriting_default() })
            .memory
            .sentence
            .contains("does not report")
    );
}

#[test]
fn missing_features_name_their_release() {
    let facts = KernelFacts {
        lacks: Ok(vec![Feature::WeightedInterleave]),
        denied: Some("no".to_owned()),
        ..inheriting_default()
    };
    let explanation = explained("-w 0,2 --explain", &facts);
    assert_eq!(
        explanation.lacks,
        Some(vec![MissingFeature { what: Feature::WeightedInterleave.name(), since: "6.9" }])
    );
    assert_eq!(explanation.denied.as_deref(), Some("no"));
    assert!(explanation.memory.sentence.contains("--weights"));
}

#[test]
fn denied_calls_leave_features_unknown() {
    let facts = KernelFacts {
        lacks: Err(PlaceError::NotPermitted { call: "mbind" }),
        ..inheriting_default()
    };
    let explanation = explained("-m 0 --explain", &facts);
    assert!(explanation.lacks.is_none() && explanation.lacks_why.unwrap().contains("mbind"));
}

#[test]
fn the_document_keeps_its_names() {
    let json =
        serde_json::to_value(explained("-N 0 -m 0 --explain", &inheriting_default())).unwrap();
    assert_eq!(json["schema"], "nearfar.explanation/1");
    assert_eq!((&json["cpus"]["cpus"], &json["memory"]["nodes"]), (&"0-1".into(), &"0".into()));
    assert_eq!(json["memory"]["node_memory"][0]["free_bytes"], 4_u64 << 30);
}

/// One node has no other whose memory could be slower.
#[test]
fn one_node_has_no_other_memory() {
    let files = [
        ("/sys/devices/system/cpu/online", "0-1"),
        ("/sys/devices/system/node/online", "0"),
        ("/sys/devices/system/node/node0/cpulist", "0-1"),
    ];
    let source = Source::from_files(files);
    let topology = Topology::read(&source).unwrap();
    for policy in [Policy::Default, Policy::Preferred(NodeId(0))] {
        let choice = MemoryChoice::inherited(&policy);
        let when_full = memory::explain(Some(&choice), None, &topology).when_full;
        assert!(!when_full.contains("node"), "{when_full}");
    }
}
