//! Device trees of the corpus, compiled with `dtc` (Debian's device-tree-compiler).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Once;

use nearfar_firmware::device_tree::{DeviceTree, TreeRange};
use nearfar_model::NodeId;

use crate::corpus_folder::corpus;

static SKIPPED: Once = Once::new();

/// The source with its own includes inlined, the kernel's left out, and the kernel's constants
/// replaced by 0: what they stand for (interrupts, clocks) is not decoded here.
fn flat_source(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let line = |line: &str| match line.strip_prefix("#include ") {
        Some(name) if name.starts_with('"') => {
            flat_source(&path.with_file_name(name.trim_matches('"')))
        }
        Some(_) => String::new(),
        None => without_names(line),
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    // Included files repeat the version.
    lines.join("\n").replace("/dts-v1/;", "")
}

fn without_names(line: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut out = String::new();
    for piece in line.split_inclusive(|c| !is_word(c)) {
        let word = piece.trim_end_matches(|c| !is_word(c));
        let is_name = word.len() > 4
            && word.contains('_')
            && !word.contains(|c: char| c.is_ascii_lowercase());
        out += &if is_name { piece.replace(word, "0") } else { piece.to_owned() };
    }
    out
}

/// The compiled tree of a source; `None` without corpus or compiler.
fn compiled(name: &str) -> Option<DeviceTree> {
    let corpus = corpus()?;
    if !super::have("dtc", "device-tree-compiler", &SKIPPED) {
        return None;
    }
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("tree.dts");
    fs::write(&source, format!("/dts-v1/;\n{}", flat_source(&corpus.join("dt").join(name))))
        .unwrap();
    let output = Command::new("dtc")
        .args(["-q", "-f", "-I", "dts", "-O", "dtb"])
        .arg(&source)
        .stderr(Stdio::piped())
        .output();
    let output = output.unwrap();
    assert!(!output.stdout.is_empty(), "dtc: {}", String::from_utf8_lossy(&output.stderr));
    DeviceTree::decode(&output.stdout)
}

fn cpus_of_nodes(tree: &DeviceTree) -> BTreeMap<NodeId, usize> {
    let mut counts = BTreeMap::new();
    for cpu in &tree.cpus {
        *counts.entry(cpu.node.unwrap()).or_default() += 1;
    }
    counts
}

#[test]
fn hip07_has_four_nodes_of_sixteen_cpus() {
    let Some(tree) = compiled("hip07-d05.dts") else { return };
    assert_eq!(tree.faults, []);
    assert_eq!(tree.model.as_deref(), Some("Hisilicon Hip07 D05 Development Board"));
    assert_eq!(tree.compatible, ["hisilicon,hip07-d05"]);
    assert_eq!(cpus_of_nodes(&tree).into_values().collect::<Vec<usize>>(), [16; 4]);
    let first = &tree.cpus[0];
    assert_eq!((first.hardware_id, first.node), (Some(0x10000), Some(NodeId(0))));
    assert_eq!(tree.memory[0].ranges, [TreeRange { base_address: 0, size_bytes: 1 << 30 }]);
    let map = tree.distance_map.unwrap();
    assert_eq!(map.entries.len(), 16);
    assert_eq!(map.between(NodeId(1), NodeId(3)), Some(30));
}

#[test]
fn sg2042_has_nodes_with_interleaved_cpu_numbers() {
    let Some(tree) = compiled("sg2042.dtsi") else { return };
    assert_eq!(cpus_of_nodes(&tree).into_values().collect::<Vec<usize>>(), [16; 4]);
    let node_0: Vec<u64> = tree
        .cpus
        .iter()
        .filter(|cpu| cpu.node == Some(NodeId(0)))
        .filter_map(|cpu| cpu.hardware_id)
        .collect();
    assert!(node_0.contains(&0) && node_0.contains(&16) && !node_0.contains(&8), "{node_0:?}");
    assert!(tree.memory.is_empty());
    assert_eq!(tree.distance_map.unwrap().between(NodeId(0), NodeId(3)), Some(30));
}
