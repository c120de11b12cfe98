//! Node numbers with holes, on aarch64: 0, 2 and 5; node 5 has no CPUs.

use super::findings::{Findings, Theme};
use super::table::without_free;

static THEME: Theme = Theme::new("aarch64", "sparse-a64", include_str!("sparse.sh"));

fn got(found: &Findings, name: &str, cpus: &str, policy: &str) {
    assert_eq!(
        found.well(&format!("{name}.ours")),
        format!("Cpus\t{cpus}\nMems\t0,2,5\n{policy}\n"),
        "{name}"
    );
}

fn both_got(found: &Findings, name: &str, cpus: &str, policy: &str) {
    got(found, name, cpus, policy);
    assert_eq!(found.well(&format!("{name}.theirs")), found.out(&format!("{name}.ours")), "{name}");
}

#[test]
#[ignore = "long: aarch64"]
fn hardware_and_show_are_those_of_numactl() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(
        without_free(found.well("hardware.ours")),
        without_free(found.well("hardware.theirs"))
    );
    assert!(found.out("hardware.ours").starts_with("available: 3 nodes (0,2,5)\n"));
    assert_eq!(found.well("show.ours"), found.well("show.theirs"));
}

#[test]
#[ignore = "long: aarch64"]
fn lists_name_the_nodes_that_there_are() {
    let Some(found) = THEME.found() else { return };
    both_got(found, "one", "0-3", "bind:2");
    both_got(found, "far", "0-3", "bind:5");
    both_got(found, "all", "0-3", "interleave:0,2,5");
    both_got(found, "range", "0-3", "interleave:0,2");
    both_got(found, "to-the-end", "0-3", "interleave:0,2,5");
    both_got(found, "relative", "0-3", "bind:2");
    both_got(found, "relative-last", "0-3", "bind:5");
    both_got(found, "cpu-nodes", "2-3", "default");
    both_got(found, "nodes-all", "0-3", "default");
    both_got(found, "same", "2-3", "prefer:2");
    assert!(
        found
            .complaint("hole.ours")
            .contains("node 1 does not exist: this machine has nodes 0,2,5")
    );
}

#[test]
#[ignore = "long: aarch64"]
fn defect_9_all_but_some_is_counted_by_number() {
    let Some(found) = THEME.found() else { return };
    got(found, "but", "0-3", "bind:2,5");
    got(found, "but-middle", "0-3", "bind:0,5");
    got(found, "but-cpus", "2-3", "default");
    assert!(
        found.out("but.theirs").ends_with("bind:2\n"),
        "numactl is as right: the table in docs/place/numactl.md is old"
    );
}

#[test]
#[ignore = "long: aarch64"]
fn defects_7_and_12_nodes_without_cpus_hold_memory_and_run_nothing() {
    let Some(found) = THEME.found() else { return };
    assert!(
        found
            .complaint("no-cpus.ours")
            .contains("node 5 has no CPUs to run on, only memory: nodes 0,2 have CPUs")
    );
    assert_eq!(found.largest("interleave").pages, [(2, 512), (5, 512)]);
    assert_eq!(found.largest("preferred").pages, [(5, 1024)]);
}
