//! A cpuset of CPUs 2-5 and nodes 1-2: it narrows lists, and `-a` lets them name what lies outside.

use super::findings::{Findings, Theme};

pub(super) static THEME: Theme = Theme::on_four_nodes(include_str!("cpuset.sh"));

/// The place that a program got, which Debian's numactl gives as well.
fn got(found: &Findings, name: &str, cpus: &str, policy: &str) {
    let place = format!("Cpus\t{cpus}\nMems\t1-2\n{policy}\n");
    assert_eq!(found.well(&format!("{name}.ours")), place, "{name}");
    assert_eq!(found.well(&format!("{name}.theirs")), place, "{name}");
}

#[test]
fn a_cpuset_narrows_all_and_relative_lists() {
    let Some(found) = THEME.found() else { return };
    got(found, "all", "2-5", "interleave:1-2");
    got(found, "nodes-all", "2-5", "default");
    got(found, "same", "2-3", "bind:1");
    got(found, "but", "4-5", "bind:2");
    got(found, "relative", "2", "bind:1");
    got(found, "relative-range", "2-5", "interleave:1-2");
    let held = found.largest("in-box");
    assert_eq!(
        (held.policy.as_str(), &held.pages[..]),
        ("interleave:1-2", &[(1, 1024), (2, 1024)][..])
    );
}

#[test]
fn what_lies_outside_is_refused_and_named() {
    let Some(found) = THEME.found() else { return };
    for (name, names) in [("outside", "node 0"), ("nodes", "node 0"), ("cpus", "CPU 0")] {
        let stderr = found.complaint(&format!("{name}.ours"));
        assert!(
            stderr.contains(&format!("{names} is outside")) && stderr.contains("-a ignores"),
            "{stderr}"
        );
        assert_eq!(found.status(&format!("{name}.theirs")), 1, "{name}");
    }
}

#[test]
fn dash_a_ignores_the_cpuset_and_the_kernel_keeps_to_it() {
    let Some(found) = THEME.found() else { return };
    got(found, "all-a", "2-5", "interleave:1-2");
    got(found, "outside-a", "2-5", "interleave:1-2");
    got(found, "cpus-a", "3", "default");
    assert!(found.complaint("gone-a.ours").contains("outside this process's cpuset"));
    assert_eq!(found.status("gone-a.theirs"), 1);
    assert_eq!(found.largest("in-box-a").pages, [(1, 1024), (2, 1024)]);
}

#[test]
fn show_lists_what_the_cpuset_leaves() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.well("show.ours"), found.well("show.theirs"));
    assert!(found.well("show.ours").contains("membind: 1 2 \n"), "{}", found.out("show.ours"));
}
