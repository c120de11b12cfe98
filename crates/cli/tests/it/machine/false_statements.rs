//! Machines about which a screen was wrong.

use std::path::PathBuf;

use crate::machine::corpus_folder::corpus;
use crate::user::{User, stdout, success};

fn in_corpus(path: &str) -> Option<String> {
    let path: PathBuf = corpus()?.join(path);
    Some(path.to_str().expect("UTF-8").to_owned())
}

/// An arm64 machine that shows die_id -1, and each CPU as a die of its own. At 0206d5e9: 128 dies
/// of one CPU, and "32 cache groups of 1 CPU".
#[test]
fn parts_that_a_kernel_does_not_know_are_not_drawn() {
    let Some(root) = in_corpus("sysfs/hwloc/128arm-2pa2n8cluster4co.tar.bz2") else { return };
    let user = User::new();
    let text = success(&user.run(&["topology", "--root", &root]));
    assert!(text.starts_with("2 packages, 128 cores, 128 CPUs, 4 nodes"), "{text}");
    assert!(!text.contains(" die"), "{text}");
    let plan = stdout(&user.run(&["plot", "machine", "--text", "--root", &root]));
    assert!(!plan.contains("of 1 CPU") && !plan.contains("of 1\u{2026}"), "{plan}");
}

/// hwloc 1 names no node of a machine with one, synthetic machines have no packages.
#[test]
fn what_a_topology_file_lacks_is_unknown() {
    let user = User::new();
    let pus = r#"<object type="PU" os_index="0" cpuset="0x1"/>"#;
    let xml = format!(r#"<topology><object type="Machine">{pus}</object></topology>"#);
    let file = user.write("old.xml", xml);
    let text = success(&user.run(&["topology", "--root", &file]));
    assert!(text.starts_with("packages unknown, 1 core, 1 CPU, nodes unknown"), "{text}");
    let text = success(&user.run(&["diagnose", "--root", &file]));
    assert!(!text.contains("without NUMA") && !text.contains("impossible"), "{text}");
}
