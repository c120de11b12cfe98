//! Policies that stay with shared memory: by where an ordinary program's writes land, by the nodes'
//! `Shmem` and by the pools of huge pages.

use super::findings::{Findings, Theme};

pub(super) static THEME: Theme = Theme::on_four_nodes(include_str!("shared.sh"));

/// What came to each node, to a few pages.
fn came(found: &Findings, name: &str, mib: [f64; 4]) {
    let kb = found.shared_kb(name);
    let near = kb.iter().zip(mib).all(|(&kb, mib)| (kb as f64 - mib * 1024.0).abs() < 200.0);
    assert!(near, "{name}: {kb:?} kB, not {mib:?} MiB");
}

#[test]
fn what_others_write_to_a_file_follows_its_policy() {
    let Some(found) = THEME.found() else { return };
    came(found, "bind", [0.0, 0.0, 0.0, 8.0]);
    came(found, "preferred", [0.0, 0.0, 8.0, 0.0]);
    let third = 8.0 / 3.0;
    came(found, "interleave", [third, third, 0.0, third]);
    came(found, "local", [0.0, 8.0, 0.0, 0.0]);
}

#[test]
fn defect_1_weighted_interleave_of_a_file_keeps_to_weights() {
    let Some(found) = THEME.found() else { return };
    came(found, "weighted", [6.0, 2.0, 0.0, 0.0]);
}

#[test]
fn defect_2_a_file_prefers_all_nodes_that_were_named() {
    let Some(found) = THEME.found() else { return };
    came(found, "many-from-1", [0.0, 8.0, 0.0, 0.0]);
    came(found, "many-from-2", [0.0, 0.0, 8.0, 0.0]);
}

#[test]
fn defect_3_a_part_behind_its_own_length_is_touched() {
    let Some(found) = THEME.found() else { return };
    found.well("half");
    came(found, "half", [0.0, 4.0, 0.0, 0.0]);
    assert_eq!(found.text("half.size"), "8388608\n");
    let part = "0000000000400000-0000000000800000: ";
    assert_eq!(found.well("half.dump"), format!("{part}bind : 1 \n{part}1\n"));
}

#[test]
fn defect_4_a_dump_of_what_exists_needs_no_length() {
    let Some(found) = THEME.found() else { return };
    for name in ["bind", "preferred", "interleave", "many", "local"] {
        assert_eq!(
            found.well(&format!("{name}.dump")),
            found.well(&format!("{name}.theirs")),
            "{name}"
        );
    }
    let weighted = "0000000000000000-0000000000800000: weighted-interleave : 0 1 \n";
    assert_eq!(found.well("weighted.dump"), weighted);
}

#[test]
fn segments_have_their_mode_their_pages_and_their_policy() {
    let Some(found) = THEME.found() else { return };
    found.well("segment");
    came(found, "segment", [0.0, 4.0, 0.0, 4.0]);
    let segments = found.text("segments");
    let fields: Vec<&str> = segments.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(fields[2..4], ["640", "8388608"], "{segments}");
    let policy = found.well("by-key.theirs");
    assert_eq!(policy, "0000000000000000-0000000000800000: interleave : 1 3 \n");
    assert_eq!((found.well("by-key"), found.well("by-id")), (policy, policy));
    found.well("by-key.verify");
    let nodes: Vec<&str> =
        found.well("by-key.nodes").lines().map(|line| &line[line.len() - 1..]).collect();
    assert_eq!((nodes.len(), &nodes[..4]), (2048, &["1", "3", "1", "3"][..]));
}

#[test]
fn verify_reports_contradicting_pages() {
    let Some(found) = THEME.found() else { return };
    found.well("verified");
    assert_eq!(found.status("contradicted"), 1);
    assert_eq!(
        found.out("contradicted"),
        "verify 0000000000400000-0000000000800000: unexpected node 1\n"
    );
    // A strict policy fails for pages that are mapped; numactl, which maps anew, never sees any
    // either.
    assert_eq!(found.status("strict"), found.status("strict.theirs"));
}

#[test]
fn huge_pages_come_from_the_node_asked_for() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.text("huge.before"), "2\n2\n2\n2\n");
    found.well("huge");
    assert_eq!(found.text("huge.after"), "2\n0\n2\n2\n");
    found.well("huge-segment");
    assert_eq!(found.text("huge-segment.after"), "0\n0\n2\n2\n");
}

#[test]
fn what_keeps_no_policy_and_what_lies_between_pages_is_refused() {
    let Some(found) = THEME.found() else { return };
    assert!(
        found.complaint("disk").contains("does not support memory policies"),
        "{}",
        found.err("disk")
    );
    assert!(
        found.complaint("between").contains("not a multiple of its page, 4 KiB"),
        "{}",
        found.err("between")
    );
}
