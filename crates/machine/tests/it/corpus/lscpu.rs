//! Compares with the output of util-linux's `lscpu` beside its test machines.

use std::collections::BTreeMap;
use std::fs;

use nearfar_machine::Topology;
use nearfar_model::CpuSet;

use super::{Captured, captured_in};

/// Known differences from lscpu: archive, key, reason. An entry without a difference fails the
/// test.
const DISAGREEMENTS: [(&str, &str, &str); 0] = [];

#[test]
fn topology_agrees_with_lscpu() {
    let mut wrong = Vec::new();
    for Captured { name, archive, topology, .. } in captured_in("lscpu") {
        let answer = fs::read_to_string(archive.with_file_name(format!("lscpu-{name}"))).unwrap();
        let theirs = answers(&answer);
        for (key, ours) in ours(topology) {
            let listed = DISAGREEMENTS.iter().any(|(odd, of, _)| odd == name && *of == key);
            match (theirs.get(&key) == Some(&ours), listed) {
                (false, false) => wrong
                    .push(format!("{name}: {key} nearfar {ours}, lscpu {:?}", theirs.get(&key))),
                (true, true) => {
                    wrong.push(format!("{name}: {key} agrees now; take it off the list"));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn ours(topology: &Topology) -> BTreeMap<String, String> {
    let (cpus, cores, packages) =
        (topology.online().len(), topology.cores().len(), topology.packages().len());
    let mut found = BTreeMap::from([
        ("On-line CPU(s) list:".to_owned(), topology.online().to_string()),
        ("Thread(s) per core:".to_owned(), (cpus / cores).to_string()),
        ("Core(s) per socket:".to_owned(), (cores / packages).to_string()),
        ("Socket(s):".to_owned(), packages.to_string()),
        ("NUMA node(s):".to_owned(), topology.nodes.len().to_string()),
    ]);
    let model = topology.identity.model.clone();
    found.insert("Model name:".to_owned(), model.unwrap_or_else(|| "-".to_owned()));
    found.extend(
        topology
            .nodes
            .iter()
            .map(|node| (format!("NUMA node{} CPU(s):", node.id), node.cpus.to_string())),
    );
    found
}

/// The lines "key: value" above the parsable part; lists of CPUs in canonical form, runs of blanks
/// as one.
fn answers(answer: &str) -> BTreeMap<String, String> {
    let lines = answer
        .lines()
        .take_while(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'));
    // lscpu writes every second CPU as "0-62:2", the kernel as "0-62:1/2".
    let plain = |key: &str, value: &str| match CpuSet::parse_list(&value.replace(':', ":1/")) {
        Ok(list) if key.ends_with("CPU(s)") || key.ends_with("list") => list.to_string(),
        _ => value.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    lines.map(|(key, value)| (format!("{key}:"), plain(key, value))).collect()
}
