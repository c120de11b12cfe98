//! Linux as the oracle: it is booted with tables that lie in every way known, and logs what it
//! makes of them.
//!
//! For each [`Case`] it is written down by hand what the kernel logs and which nodes it
//! shows. `nearfar diagnose` has to name the cause twice: inside the guest, as a user would run it,
//! and from the tables alone, without any boot. Three of the cases are tried for every change, all
//! others by `./dev test --long`. What is predicted line by line stands in
//! `crates/firmware/tests/linux`, whose tables these are.

mod case;
mod command_line;
mod corpus;
mod distances;
mod guest;
mod nodes;
mod performance;
#[path = "../../../crates/firmware/tests/linux/table.rs"]
#[allow(dead_code)] // tests of the rules use what is not used here
mod table;

use crate::lab::is_ready;
use case::{Case, ONE_NODE, TWO_NODES};
use guest::boot;
use table::{
    GIB, MIB, cpus, halves, hmat, hmat_memory, initiator, memory, slit, srat, srat_with_cpus,
    two_nodes,
};

#[test]
fn without_an_srat_a_hypervisor_has_withheld_the_nodes() {
    Case {
        log: &["No NUMA configuration found"],
        nodes: ONE_NODE,
        verdict: "withheld-by-hypervisor",
        cause: "no-srat",
        ..Case::default()
    }
    .agree();
}

#[test]
fn two_nodes_that_claim_the_same_memory_are_refused() {
    Case {
        tables: vec![srat_with_cpus(&[memory(0, 0, GIB + MIB), memory(1, GIB, GIB)])],
        log: &["-0x400fffff] overlaps with node 1 [mem 0x40000000-0x7ff"],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "nodes-overlap",
        ..Case::default()
    }
    .agree();
}

#[test]
fn a_disabled_initiator_before_the_cpus_scatters_them_in_silence() {
    let entries = [vec![initiator(2, false)], cpus(), halves()].concat();
    Case {
        tables: vec![srat(&entries), slit(2, &[10, 21, 21, 10])],
        nodes: "node 0: CPUs 0,2, distances 10 21\nnode 1: CPUs 1,3, distances 21 10\n",
        verdict: "visible-but-doubtful",
        cause: "initiator-disabled-first",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_bad_diagonal_costs_the_distances_and_not_the_nodes() {
    Case {
        tables: vec![two_nodes(), slit(2, &[11, 21, 21, 10])],
        log: &["SLIT table looks invalid. Not used."],
        nodes: TWO_NODES,
        verdict: "visible-but-doubtful",
        cause: "slit-invalid",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_hmat_with_a_foreign_domain_is_dropped_whole() {
    let foreign = hmat(2, &[hmat_memory(0, 0, 1), hmat_memory(0, 7, 1)]);
    Case {
        tables: vec![two_nodes(), foreign],
        log: &["acpi/hmat: Ignoring: Invalid table"],
        nodes: TWO_NODES,
        verdict: "visible-but-doubtful",
        cause: "hmat-unknown-domain",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn numa_off_turns_numa_off() {
    Case {
        tables: vec![two_nodes()],
        words: "numa=off",
        log: &["NUMA turned off"],
        nodes: ONE_NODE,
        verdict: "turned-off",
        cause: "numa-off",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: aarch64"]
fn a_device_tree_without_nodes_is_the_reason() {
    if !is_ready("aarch64") {
        return;
    }
    let boot = boot("sc2a11-24c");
    assert_eq!(boot.nodes, "node 0: CPUs 0-23, distances 10\n");
    assert!(boot.log.contains("Faking a node at"), "{}", boot.log);
    let statement = boot.diagnosis["witnesses"][0]["says"].to_string();
    assert!(statement.contains("\"tree-names-no-node\""), "{statement}");
    for account in [&boot.diagnosis, &boot.diagnosis["predicted"], &boot.diagnosis["observed"]] {
        assert_eq!(account["verdict"], "withheld-by-hypervisor", "{:#}", boot.diagnosis);
        assert_eq!(account["cause"]["code"], "tree-names-no-node", "{:#}", boot.diagnosis);
    }
}
