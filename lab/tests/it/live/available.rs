//! Memory that a node has available, by what a program that is bound to it really gets: on
//! `disks-2s`, whose node 1 has page cache.

use serde_json::Value;

use crate::placing::findings::{Findings, Theme};

static THEME: Theme = Theme::new("x86_64", "disks-2s", include_str!("available.sh"));

fn available(found: &Findings, name: &str, path: &str) -> f64 {
    let document: Value = serde_json::from_str(found.well(name)).unwrap();
    document.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {document}"))
}

fn kib(found: &Findings, name: &str) -> f64 {
    let line = found.text("meminfo").lines().find(|line| line.contains(name)).unwrap();
    line.split_whitespace().nth_back(1).unwrap().parse().unwrap()
}

#[test]
fn a_bound_program_gets_what_is_available_and_no_more() {
    let Some(found) = THEME.found() else { return };
    let shown = available(found, "topology", "/topology/nodes/1/memory/available_bytes");
    // Much of it is not free: the kernel takes it back.
    assert!(kib(found, "Active(file)") + kib(found, "Inactive(file)") > 100.0 * 1024.0);
    assert!(shown > 1.2 * 1024.0 * kib(found, "MemFree"), "{shown}");
    for percent in [50, 90] {
        assert_eq!(found.status(&format!("got-{percent}")), 0, "{percent} % of {shown}");
    }
    let killed = found.status("got-110");
    assert_eq!(killed, 128 + 9, "110 % of {shown}: {}", found.err("got-110"));
    let live = available(found, "top", "/nodes/1/available_bytes");
    assert!((live / shown - 1.0).abs() < 0.05, "{live}, {shown}");
}

#[test]
fn the_kernels_log_shows_which_node_was_full() {
    let Some(found) = THEME.found() else { return };
    let shown = found.well("diagnose").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        shown.contains("Node 1 was full, and dd may use node 1 alone, by its memory policy"),
        "{shown}"
    );
    assert!(shown.contains("The log does not show what node 0 had free."), "{shown}");
}
