//! Words on the kernel's command line.

use super::case::{Case, ONE_NODE};
use super::table::{slit, two_nodes};

/// Halves of firmware's two nodes by turns, each with all CPUs of the whole.
const BY_TURNS: &str = "node 0: CPUs 0-1, distances 10 20 10 20\nnode 1: CPUs 2-3, distances 20 \
                        10 20 10\nnode 2: CPUs 0-1, distances 10 20 10 20\nnode 3: CPUs 2-3, \
                        distances 20 10 20 10\n";

#[test]
#[ignore = "long: boots a guest"]
fn numa_noacpi_ignores_the_srat() {
    Case {
        tables: vec![two_nodes()],
        words: "numa=noacpi",
        log: &["No NUMA configuration found"],
        nodes: ONE_NODE,
        verdict: "turned-off",
        cause: "numa-noacpi",
        ..Case::default()
    }
    .agree();
}

/// Without ACPI the kernel reads the older table of processors, in which QEMU names one CPU of each
/// package.
#[test]
#[ignore = "long: boots a guest"]
fn acpi_off_leaves_no_table() {
    Case {
        tables: vec![two_nodes()],
        words: "acpi=off",
        log: &["No NUMA configuration found"],
        nodes: "node 0: CPUs 0-1, distances 10\n",
        verdict: "turned-off",
        cause: "acpi-off",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn nodes_of_the_command_line_are_made_up() {
    Case {
        tables: vec![two_nodes()],
        words: "numa=fake=4",
        log: &["Faking node 0 at [mem"],
        nodes: BY_TURNS,
        verdict: "visible-but-doubtful",
        cause: "numa-fake",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn nodes_are_made_up_where_there_are_none() {
    Case {
        words: "numa=fake=4",
        log: &["Faking node 0 at [mem"],
        nodes: "node 0: CPUs 0-3, distances 10 10 10 10\nnode 1: CPUs 0-3, distances 10 10 10 \
                10\nnode 2: CPUs 0-3, distances 10 10 10 10\nnode 3: CPUs 0-3, distances 10 10 10 \
                10\n",
        verdict: "visible-but-doubtful",
        cause: "numa-fake",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn nodes_too_small_to_be_made_up_are_not() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 21, 21, 10])],
        words: "numa=fake=100",
        log: &["NUMA emulation disabled"],
        nodes: "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 21 10\n",
        verdict: "visible-but-doubtful",
        cause: "emulation-failed",
        ..Case::default()
    }
    .agree();
}
