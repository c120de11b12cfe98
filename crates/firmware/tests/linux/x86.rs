//! Handmade tables, and the lines that Linux 6.1.192 logged for each.

use nearfar_firmware::linux::{DistanceOrigin, KernelVersion, NumaOutcome};
use nearfar_model::NodeId;

use super::board::{Board, LINUX_6_12, causes, doubts, message, places};
use super::table::{
    GIB, MIB, cedt, cpu, cpus, halves, initiator, memory, memory_with, slit, srat, srat_with_cpus,
    two_nodes, x2apic,
};

/// Checks the outcome, the CPUs' nodes, and the deciding message.
fn judged(table: Vec<u8>, outcome: NumaOutcome, cpus: &str, line: Option<&str>) {
    let prediction = Board::new(&[table]).predict();
    assert_eq!(
        (prediction.outcome, places(&prediction).as_str(), message(&prediction)),
        (outcome, cpus, line)
    );
}

fn refused(table: Vec<u8>, line: &str) {
    judged(table, NumaOutcome::Refused, "0:0-3", Some(line));
}

fn with(mut entries: Vec<Vec<u8>>, more: Vec<Vec<u8>>) -> Vec<u8> {
    entries.extend(more);
    srat(&entries)
}

#[test]
fn no_srat_means_no_numa() {
    let prediction = Board::new(&[]).predict();
    assert_eq!(
        (prediction.outcome, message(&prediction)),
        (NumaOutcome::Withheld, Some("No NUMA configuration found"))
    );
    let node = &prediction.nodes[0];
    assert_eq!((node.ranges[0].first, node.ranges[0].last), (0, 0x7ffd_ffff));
    assert_eq!(prediction.distances.unwrap().rows(), [[10]]);
}

#[test]
fn zero_length_entry_disables_the_srat() {
    let tail = vec![9, 0, 0, 0, 0, 0, 0, 0];
    refused(
        srat_with_cpus(&[halves(), vec![tail]].concat()),
        "ACPI: [SRAT:0x01] Invalid zero length",
    );
    // In the last two bytes the kernel does not see it.
    let unseen = srat_with_cpus(&[halves(), vec![vec![9, 0]]].concat());
    judged(unseen, NumaOutcome::Visible, "0:0-1 1:2-3", None);
}

#[test]
fn cpu_entries_have_a_fixed_length() {
    let mut long = cpu(1, 0);
    long[1] = 24;
    long.resize(24, 0);
    refused(with(vec![cpu(0, 0), long], halves()), "ACPI: SRAT: SRAT not used.");
    let short = vec![x2apic(0, 0, 24), x2apic(1, 0, 24), x2apic(2, 1, 16), x2apic(3, 1, 24)];
    refused(with(short, halves()), "ACPI: SRAT: SRAT not used.");
}

#[test]
fn domain_numbers_are_limited() {
    refused(with(vec![cpu(0, 0), cpu(2, 5000)], halves()), "SRAT: Too many proximity domains 1388");
    refused(
        with(vec![cpu(0, 0), cpu(2, 0x8000_0001)], halves()),
        "SRAT: Too many proximity domains 80000001",
    );
}

/// QEMU accepts no table that large: this message is from the source code.
#[test]
fn number_of_ranges_is_limited() {
    let many = (0..2049).map(|page| memory(0, page * 4096, 4096)).collect();
    refused(with(cpus(), many), "too many memblk ranges");
}

#[test]
fn gap_between_nodes_is_rejected_within_a_node_filled() {
    refused(
        srat_with_cpus(&[memory(0, 0, GIB / 2), memory(1, GIB, GIB)]),
        "NUMA: nodes only cover 1535MB of your 2047MB e820 RAM. Not used.",
    );
    let within = srat(&[
        cpu(0, 0),
        cpu(1, 0),
        cpu(2, 0),
        cpu(3, 0),
        memory(0, 0, GIB / 2),
        memory(0, GIB, GIB),
    ]);
    judged(within, NumaOutcome::OneDomain, "0:0-3", None);
}

/// Linux 6.1 crashed with half a MiB uncovered, before it logged anything; the place of the crash
/// shows that the table was accepted.
#[test]
fn small_gap_is_accepted_with_a_doubt() {
    let hole = |bytes| srat_with_cpus(&[memory(0, 0, GIB - bytes), memory(1, GIB, GIB)]);
    let small = Board::new(&[hole(MIB / 2)]).predict();
    assert_eq!((small.outcome, doubts(&small)), (NumaOutcome::Visible, vec!["ram-hole-forgiven"]));
    refused(hole(MIB), "NUMA: nodes only cover 2046MB of your 2047MB e820 RAM. Not used.");
    // Newer kernels accept all of it.
    let newer = |bytes| Board::new(&[hole(bytes)]).with_kernel(LINUX_6_12).predict();
    assert_eq!(newer(MIB).outcome, NumaOutcome::Visible);
    assert_eq!(message(&newer(2 * MIB)), Some("NUMA: no nodes coverage for 2MB of 2047MB RAM"));
}

#[test]
fn only_ranges_of_one_node_may_overlap() {
    refused(
        srat_with_cpus(&[memory(0, 0, GIB / 2), memory(1, GIB, GIB), memory(0, GIB / 2, GIB)]),
        "node 1 [mem 0x40000000-0x7ffdffff] overlaps with node 0 [mem 0x20000000-0x5fffffff]",
    );
    let itself = srat_with_cpus(&[
        memory(0, 0, GIB / 2),
        memory(0, GIB / 4, 3 * GIB / 4),
        memory(1, GIB, GIB),
    ]);
    let prediction = Board::new(&[itself]).predict();
    assert_eq!(
        (prediction.outcome, doubts(&prediction)),
        (NumaOutcome::Visible, vec!["node-overlaps-itself"])
    );
}

#[test]
fn newer_kernels_cut_ranges_at_the_first_ram() {
    let overlap = srat_with_cpus(&[memory(0, 0, GIB + MIB), memory(1, GIB, GIB)]);
    let prediction = Board::new(&[overlap]).with_kernel(LINUX_6_12).predict();
    let line =
        "node 0 [mem 0x00001000-0x400fffff] overlaps with node 1 [mem 0x40000000-0x7ffdffff]";
    assert_eq!(message(&prediction), Some(line));
    assert_eq!(prediction.causes[0].evidence.len(), 2);
}

#[test]
fn nodes_may_alternate_in_addresses() {
    let half = GIB / 2;
    let turns = (0..4).map(|turn| memory(turn as u32 % 2, turn * half, half)).collect();
    judged(with(cpus(), turns), NumaOutcome::Visible, "0:0-1 1:2-3", None);
}

#[test]
fn absent_memory_gives_a_cpu_node_or_none() {
    let beyond = memory_with(1, 4 * GIB, GIB, 3);
    judged(
        srat_with_cpus(&[memory(0, 0, 2 * GIB), beyond.clone()]),
        NumaOutcome::Visible,
        "0:0-1 1:2-3",
        None,
    );
    let alone = vec![cpu(0, 0), cpu(1, 0), cpu(2, 0), cpu(3, 0), memory(0, 0, 2 * GIB), beyond];
    let prediction = Board::new(&[srat(&alone)]).predict();
    assert_eq!(
        (prediction.outcome, places(&prediction).as_str()),
        (NumaOutcome::OneDomain, "0:0-3")
    );
    assert!(!prediction.nodes[1].online && prediction.nodes[1].ranges[0].hot_pluggable);
    let empty = srat_with_cpus(&[memory(0, 0, 2 * GIB), memory(1, 2 * GIB, 0)]);
    judged(empty, NumaOutcome::Visible, "0:0-1 1:2-3", None);
    let disabled = srat_with_cpus(&[memory(0, 0, 2 * GIB), memory_with(1, 2 * GIB, GIB, 0)]);
    judged(disabled, NumaOutcome::Visible, "0:0-1 1:2-3", None);
}

#[test]
fn initiator_gets_a_node_in_table_order() {
    judged(
        with(cpus(), [halves(), vec![initiator(2, true)]].concat()),
        NumaOutcome::Visible,
        "0:0-1 1:2-3 2:",
        None,
    );
    let first = with(vec![initiator(2, true)], [cpus(), halves()].concat());
    judged(first, NumaOutcome::Visible, "0: 1:0-1 2:2-3", None);
}

/// QEMU's default CPU is an AMD: all four CPUs are in node 0, that of their last-level cache.
#[test]
fn disabled_initiator_before_cpus_loses_their_nodes() {
    let table = with(vec![initiator(2, false)], [cpus(), halves()].concat());
    let prediction = Board::new(&[table]).predict();
    assert_eq!(
        (prediction.outcome, places(&prediction).as_str()),
        (NumaOutcome::Visible, "0:0,2 1:1,3")
    );
    let doubt =
        prediction.doubts.iter().find(|doubt| doubt.code == "initiator-disabled-first").unwrap();
    assert_eq!((doubt.evidence[0].offset, doubt.evidence[0].bytes.0[0]), (Some(48), 5));
    assert!(doubt.what.contains("precedes 4 CPU entries"), "{}", doubt.what);
    assert!(prediction.undecided[0].contains("AMD and Hygon"), "{:?}", prediction.undecided);
    let last =
        Board::new(&[with(cpus(), [halves(), vec![initiator(2, false)]].concat())]).predict();
    assert_eq!((places(&last).as_str(), doubts(&last)), ("0:0-1 1:2-3", vec![]));
}

#[test]
fn later_entry_of_a_cpu_wins() {
    let table = with(cpus(), [vec![cpu(3, 0)], halves()].concat());
    let prediction = Board::new(&[table]).predict();
    assert_eq!(
        (places(&prediction).as_str(), doubts(&prediction)),
        ("0:0-1,3 1:2", vec!["srat-cpu-twice"])
    );
}

/// Distances of two nodes, as sysfs shows them.
fn distances(rows: [u8; 4]) -> (Vec<Vec<u32>>, DistanceOrigin, Vec<&'static str>) {
    let prediction = Board::new(&[two_nodes(), slit(2, &rows)]).predict();
    assert_eq!(prediction.outcome, NumaOutcome::Visible);
    (
        prediction.distances.as_ref().unwrap().rows().to_vec(),
        prediction.distance_origin,
        causes(&prediction),
    )
}

#[test]
fn slit_is_used_as_a_whole_or_ignored() {
    assert_eq!(
        distances([10, 21, 31, 10]),
        (vec![vec![10, 21], vec![31, 10]], DistanceOrigin::Firmware, vec![])
    );
    for wrong in [[11, 21, 21, 10], [10, 10, 10, 10], [10, 9, 21, 10]] {
        let usual = vec![vec![10, 20], vec![20, 10]];
        assert_eq!(distances(wrong), (usual, DistanceOrigin::Default, vec!["slit-invalid"]));
    }
    let invalid = Board::new(&[two_nodes(), slit(2, &[10, 21, 21, 11])]).predict();
    let cause = &invalid.causes[0];
    assert_eq!(cause.message.as_deref(), Some("ACPI: SLIT table looks invalid. Not used."));
    assert_eq!((cause.evidence[0].offset, &*cause.evidence[0].bytes.0), (Some(47), &[11][..]));
    assert_eq!(message(&invalid), None);
}

#[test]
fn slit_rows_are_domains() {
    let sparse =
        srat(&[cpu(0, 2), cpu(1, 2), cpu(2, 0), cpu(3, 0), memory(2, 0, GIB), memory(0, GIB, GIB)]);
    let rows = [10, 15, 21, 15, 10, 15, 31, 15, 10];
    let prediction = Board::new(&[sparse, slit(3, &rows)]).predict();
    let distances = prediction.distances.unwrap();
    assert_eq!(
        (distances.between(NodeId(0), NodeId(1)), distances.between(NodeId(1), NodeId(0))),
        (Some(31), Some(21))
    );
}

#[test]
fn cxl_window_gives_an_offline_node() {
    let window = |base, size| Board::new(&[two_nodes(), cedt(base, size)]);
    let prediction = window(64 * GIB, GIB).predict();
    assert_eq!((prediction.nodes.len(), prediction.nodes[2].online), (3, false));
    assert!(doubts(&prediction).is_empty());
    assert_eq!(doubts(&window(64 * GIB + MIB, GIB).predict()), ["cfmws-alignment"]);
    // A window that overlaps the SRAT only extends its range.
    let touching = window(3 * GIB / 2, 4 * GIB).with_kernel(KernelVersion::new(7, 0)).predict();
    assert_eq!((touching.nodes.len(), touching.nodes[1].ranges[0].last), (2, 11 * GIB / 2 - 1));
}
