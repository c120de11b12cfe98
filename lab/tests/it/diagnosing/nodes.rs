//! SRATs that withhold nodes, that the kernel refuses, and that it takes although they are wrong.

use super::case::{Case, ONE_NODE};
use super::table::{
    GIB, cpu, cpus, halves, initiator, memory, memory_with, slit, srat, srat_with_cpus, two_nodes,
    x2apic,
};

/// Two nodes at the distance of their SLIT.
const GOOD: &str = "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 21 10\n";

#[test]
#[ignore = "long: boots a guest"]
fn a_bus_without_proximity_has_no_node() {
    Case {
        tables: vec![two_nodes(), slit(2, &[10, 21, 21, 10])],
        log: &["pci_bus 0000:00: Unknown NUMA node"],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "pci-without-node",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn one_domain_for_everything_withholds_the_others() {
    Case {
        tables: vec![srat(&[cpu(0, 5), cpu(1, 5), cpu(2, 5), cpu(3, 5), memory(5, 0, 2 * GIB)])],
        nodes: ONE_NODE,
        verdict: "withheld-by-hypervisor",
        cause: "one-domain",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn unclaimed_memory_between_nodes_is_refused() {
    Case {
        tables: vec![srat_with_cpus(&[memory(0, 0, GIB / 2), memory(1, GIB, GIB)])],
        log: &[
            "NUMA: nodes only cover 1535MB of your 2047MB e820 RAM. Not used.",
            "NUMA: no nodes coverage for 512MB of 2047MB RAM",
        ],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "ram-not-covered",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn unclaimed_memory_after_the_last_node_is_refused() {
    Case {
        tables: vec![srat_with_cpus(&[memory(0, 0, GIB / 2), memory(1, GIB / 2, GIB)])],
        log: &[
            "NUMA: nodes only cover 1535MB of your 2047MB e820 RAM. Not used.",
            "NUMA: no nodes coverage for 511MB of 2047MB RAM",
        ],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "ram-not-covered",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_entry_without_length_ends_the_table() {
    Case {
        tables: vec![srat_with_cpus(&[halves(), vec![vec![9, 0, 0, 0, 0, 0, 0, 0]]].concat())],
        log: &["[SRAT:0x01] Invalid zero length", "[SRAT:0x09] Invalid zero length"],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "srat-zero-length-entry",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_entry_about_memory_that_is_too_short_is_refused() {
    let mut short = memory(0, 0, GIB);
    short[1] = 32;
    short.truncate(32);
    Case {
        tables: vec![srat_with_cpus(&[short, memory(1, GIB, GIB)])],
        log: &["SRAT: Unexpected header length: 32"],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "srat-memory-entry-length",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_entry_about_a_cpu_that_is_too_long_is_refused() {
    let mut long = cpu(1, 0);
    long[1] = 24;
    long.resize(24, 0);
    Case {
        tables: vec![srat(&[vec![cpu(0, 0), long, cpu(2, 1), cpu(3, 1)], halves()].concat())],
        log: &["SRAT: SRAT not used."],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "srat-cpu-entry-length",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_entry_about_an_x2apic_that_is_too_short_is_refused() {
    let cpus = vec![x2apic(0, 0, 24), x2apic(1, 0, 24), x2apic(2, 1, 16), x2apic(3, 1, 24)];
    Case {
        tables: vec![srat(&[cpus, halves()].concat())],
        log: &["SRAT: SRAT not used."],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "srat-cpu-entry-length",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_domain_with_too_high_a_number_is_refused() {
    Case {
        tables: vec![srat(&[cpus(), vec![cpu(3, 5000)], halves()].concat())],
        log: &["SRAT: Too many proximity domains"],
        nodes: ONE_NODE,
        verdict: "refused-by-kernel",
        cause: "too-many-domains",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn entries_about_memory_that_are_disabled_are_none() {
    Case {
        tables: vec![srat_with_cpus(&[memory_with(0, 0, GIB, 0), memory_with(1, GIB, GIB, 0)])],
        log: &["No NUMA configuration found"],
        nodes: ONE_NODE,
        verdict: "withheld-by-hypervisor",
        cause: "srat-no-memory",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_node_without_memory_is_doubtful() {
    Case {
        tables: vec![srat_with_cpus(&[memory(0, 0, 2 * GIB)]), slit(2, &[10, 21, 21, 10])],
        nodes: "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 21 10, no memory\n",
        verdict: "visible-but-doubtful",
        cause: "cpu-only-node",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_node_without_cpus_is_doubtful() {
    Case {
        tables: vec![
            srat(&[vec![cpu(0, 0), cpu(1, 0), cpu(2, 0), cpu(3, 0)], halves()].concat()),
            slit(2, &[10, 21, 21, 10]),
        ],
        nodes: "node 0: CPUs 0-3, distances 10 21\nnode 1: CPUs , distances 21 10\n",
        verdict: "visible-but-doubtful",
        cause: "cpus-in-one-node",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_node_that_overlaps_itself_is_taken() {
    Case {
        tables: vec![
            srat_with_cpus(&[
                memory(0, 0, GIB / 2),
                memory(0, GIB / 4, 3 * GIB / 4),
                memory(1, GIB, GIB),
            ]),
            slit(2, &[10, 21, 21, 10]),
        ],
        log: &["overlaps with itself"],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "node-overlaps-itself",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_cpu_in_two_domains_is_in_the_later() {
    Case {
        tables: vec![
            srat(&[cpus(), vec![cpu(3, 0)], halves()].concat()),
            slit(2, &[10, 21, 21, 10]),
        ],
        nodes: "node 0: CPUs 0-1,3, distances 10 21\nnode 1: CPUs 2, distances 21 10\n",
        verdict: "visible-but-doubtful",
        cause: "srat-cpu-twice",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_range_of_no_bytes_is_passed_over() {
    Case {
        tables: vec![
            srat(&[cpus(), halves(), vec![memory(1, 4 * GIB, 0)]].concat()),
            slit(2, &[10, 21, 21, 10]),
        ],
        nodes: GOOD,
        verdict: "visible-but-doubtful",
        cause: "srat-empty-range",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn a_cache_across_two_nodes_is_reported() {
    Case {
        tables: vec![
            srat(&[vec![cpu(0, 0), cpu(1, 1), cpu(2, 0), cpu(3, 1)], halves()].concat()),
            slit(2, &[10, 21, 21, 10]),
        ],
        log: &["llc-sibling CPU #0 is not on the same node!"],
        // 6.12.95 does not log it any more.
        may_be_silent: true,
        nodes: "node 0: CPUs 0,2, distances 10 21\nnode 1: CPUs 1,3, distances 21 10\n",
        verdict: "visible-but-doubtful",
        cause: "siblings-on-two-nodes",
        ..Case::default()
    }
    .agree();
}

#[test]
#[ignore = "long: boots a guest"]
fn an_enabled_initiator_is_a_node_of_its_own() {
    Case {
        tables: vec![srat(&[cpus(), halves(), vec![initiator(2, true)]].concat())],
        nodes: "node 0: CPUs 0-1, distances 10 20 20\nnode 1: CPUs 2-3, distances 20 10 20\nnode \
                2: CPUs , distances 20 20 10, no memory\n",
        verdict: "visible-but-doubtful",
        cause: "slit-default",
        ..Case::default()
    }
    .agree();
}
