//! HMATs that the kernel drops, and those whose numbers it should not believe.

use super::case::Case;
use super::table::{hmat, hmat_memory, locality, slit, two_nodes};

/// Two nodes at the distance of their SLIT: the HMAT's fate changes nothing about them.
const GOOD: &str = "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 21 10\n";

#[test]
#[ignore = "long: boots a guest"]
fn an_hmat_of_an_unknown_revision_is_dropped() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 21, 21, 10]), hmat(3, &[hmat_memory(0, 0, 1)])],
        log: &["acpi/hmat: Ignoring: Unknown revision:3"],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "hmat-revision",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_hmat_with_a_structure_too_short_is_dropped() {
    let mut short = hmat_memory(0, 0, 1);
    short[4] = 32;
    short.truncate(32);
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 21, 21, 10]), hmat(2, &[short])],
        log: &["acpi/hmat: Unexpected address range header length: 32"],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "hmat-structure-length",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_hmat_with_fewer_numbers_than_it_promises_is_dropped() {
    let fewer = locality(0, 1000, &[0, 1], &[0, 1], &[80, 140, 140]);
    Case {
        tables: vec![
            two_nodes(),
            slit(2, &[10, 21, 21, 10]),
            hmat(2, &[hmat_memory(0, 0, 1), fewer]),
        ],
        log: &["acpi/hmat: Unexpected locality header length:54, minimum required:56"],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "hmat-structure-length",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_hmat_with_a_structure_without_length_is_dropped() {
    let mut nothing = vec![2, 0, 0, 0, 0, 0, 0, 0];
    nothing.resize(32, 0);
    Case {
        tables: vec![
            two_nodes(),
            slit(2, &[10, 21, 21, 10]),
            hmat(2, &[hmat_memory(0, 0, 1), nothing]),
        ],
        log: &["[HMAT:0x00] Invalid zero length", "[HMAT:0x02] Invalid zero length"],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "hmat-zero-length-entry",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn latencies_that_no_memory_has_are_taken() {
    let low = locality(0, 1, &[0, 1], &[0, 1], &[80, 140, 140, 80]);
    Case {
        tables: vec![
            two_nodes(),
            slit(2, &[10, 21, 21, 10]),
            hmat(2, &[hmat_memory(0, 0, 1), hmat_memory(1, 1, 1), low]),
        ],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "hmat-implausible",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn numbers_of_revision_1_in_other_units_are_taken() {
    let high = locality(0, 100, &[0, 1], &[0, 1], &[760, 1356, 1356, 760]);
    Case {
        tables: vec![
            two_nodes(),
            slit(2, &[10, 21, 21, 10]),
            hmat(1, &[hmat_memory(0, 0, 3), hmat_memory(1, 1, 3), high]),
        ],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "hmat-revision-1-units",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn numa_nohmat_ignores_the_hmat() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 21, 21, 10]), hmat(2, &[hmat_memory(0, 0, 1)])],
        words: "numa=nohmat",
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "numa-nohmat",
        ..Case::default()
    }
    .agree();
}
