//! Arm: device trees of QEMU's `virt`, with the log of Debian's Linux 6.1.192 for arm64 for each,
//! and ACPI tables.

use nearfar_firmware::device_tree::{
    DeviceTree, DistanceMap, MapEntry, TreeCpu, TreeMemory, TreeRange,
};
use nearfar_firmware::linux::{
    Architecture, CommandLine, KernelVersion, MemoryMap, NumaOutcome, Prediction, PredictionInput,
    PresentCpu, predict,
};
use nearfar_firmware::{Firmware, FirmwareFile, ReadState};
use nearfar_model::{CpuId, NodeId};

use super::board::{LINUX_6_1, LINUX_6_12, causes, doubts, file, message, places};
use super::table::{GIB, gicc, initiator, memory, srat};

/// Two GiB in two halves, from 1 GiB on, and their nodes.
fn halves(nodes: [Option<u32>; 2]) -> Vec<TreeMemory> {
    let half = |(node, number): (Option<u32>, u64)| TreeMemory {
        path: format!("/memory@{:x}", number * GIB),
        typed: true,
        node: node.map(NodeId),
        ranges: vec![TreeRange { base_address: number * GIB, size_bytes: GIB }],
        status: None,
    };
    nodes.into_iter().zip(1..).map(half).collect()
}

/// Four CPUs; with `cpus_name_nodes` the first two are in node 0 and the others in node 1.
fn tree(memory: Vec<TreeMemory>, cpus_name_nodes: bool, distances: &[(u32, u32, u32)]) -> Firmware {
    let cpu = |number: u32| TreeCpu {
        path: format!("/cpus/cpu@{number}"),
        hardware_id: Some(number.into()),
        node: cpus_name_nodes.then_some(NodeId(number / 2)),
        status: None,
    };
    let entry = |&(from, to, distance): &(u32, u32, u32)| MapEntry {
        from: NodeId(from),
        to: NodeId(to),
        distance,
    };
    let entries: Vec<MapEntry> = distances.iter().map(entry).collect();
    let tree = DeviceTree {
        model: None,
        compatible: vec!["linux,dummy-virt".to_owned()],
        memory,
        cpus: (0..4).map(cpu).collect(),
        others: Vec::new(),
        distance_map: (!entries.is_empty())
            .then(|| DistanceMap { path: "/distance-map".to_owned(), entries }),
        faults: Vec::new(),
    };
    let device_tree = Some(FirmwareFile {
        path: "/sys/firmware/fdt".to_owned(),
        state: ReadState::Decoded(tree),
    });
    Firmware { device_tree, ..Firmware::default() }
}

fn predicted(firmware: &Firmware, kernel: KernelVersion, line: &str) -> Prediction {
    let map = MemoryMap::from_ram(&[(GIB, 3 * GIB - 1)]);
    predict(&PredictionInput {
        kernel,
        command_line: CommandLine::parse(line),
        memory_map: Some(&map),
        ..PredictionInput::new(firmware, Architecture::Arm64)
    })
}

const TWO: [Option<u32>; 2] = [Some(0), Some(1)];
const FAKING: &str = "NUMA: Faking a node at [mem 0x0000000040000000-0x00000000bfffffff]";

#[test]
fn tree_with_nodes_is_used() {
    let firmware = tree(halves(TWO), true, &[(0, 0, 10), (0, 1, 31), (1, 0, 31), (1, 1, 10)]);
    for kernel in [LINUX_6_1, LINUX_6_12] {
        let prediction = predicted(&firmware, kernel, "");
        assert_eq!(
            (prediction.outcome, places(&prediction).as_str()),
            (NumaOutcome::Visible, "0:0-1 1:2-3")
        );
        assert_eq!(prediction.distances.unwrap().rows(), [[10, 31], [31, 10]]);
        assert_eq!(prediction.nodes[1].ram_bytes, Some(GIB));
    }
}

#[test]
fn missing_reverse_distances_are_filled_in() {
    let distances = |map: &[(u32, u32, u32)]| {
        predicted(&tree(halves(TWO), true, map), LINUX_6_1, "").distances.unwrap()
    };
    assert_eq!(distances(&[(0, 0, 10), (1, 0, 31), (1, 1, 10)]).rows(), [[10, 20], [31, 10]]);
    assert_eq!(distances(&[(0, 1, 31)]).rows(), [[10, 31], [31, 10]]);
    assert_eq!(distances(&[]).rows(), [[10, 20], [20, 10]]);
}

#[test]
fn tree_without_nodes_means_no_numa() {
    let firmware = tree(halves([None, None]), false, &[]);
    let old = predicted(&firmware, LINUX_6_1, "");
    assert_eq!((old.outcome, causes(&old)), (NumaOutcome::Withheld, vec!["tree-names-no-node"]));
    assert_eq!(message(&old), Some("NUMA: No NUMA configuration found"));
    assert_eq!(message(&predicted(&firmware, LINUX_6_12, "")), Some(FAKING));
}

#[test]
fn memory_without_a_node_discards_all() {
    let line = |firmware: &Firmware, kernel| {
        let prediction = predicted(firmware, kernel, "");
        (prediction.outcome, message(&prediction).map(str::to_owned))
    };
    let logged = |outcome, text: &str| (outcome, Some(text.to_owned()));
    let cpus_only = tree(halves([None, None]), true, &[]);
    let whole = "NUMA: Warning: invalid memblk node 16 [mem 0x0000000040000000-0x00000000bfffffff]";
    assert_eq!(line(&cpus_only, LINUX_6_1), logged(NumaOutcome::Refused, whole));
    assert_eq!(line(&cpus_only, LINUX_6_12), logged(NumaOutcome::Withheld, FAKING));
    let half = tree(halves([Some(0), None]), true, &[]);
    let second =
        "NUMA: Warning: invalid memblk node 16 [mem 0x0000000080000000-0x00000000bfffffff]";
    assert_eq!(line(&half, LINUX_6_1), logged(NumaOutcome::Refused, second));
    assert_eq!(
        line(&half, LINUX_6_12),
        logged(NumaOutcome::Refused, "NUMA: no nodes coverage for 1024MB of 2048MB RAM")
    );
}

#[test]
fn one_invalid_distance_discards_all() {
    let prediction = predicted(&tree(halves(TWO), true, &[(0, 0, 10), (0, 1, 10)]), LINUX_6_1, "");
    assert_eq!((prediction.outcome, prediction.nodes.len()), (NumaOutcome::Refused, 1));
    assert_eq!(message(&prediction), Some("OF: NUMA: Invalid distance[node0 -> node1] = 10"));
    assert_eq!(prediction.causes[0].evidence[0].path, "/distance-map");
}

#[test]
fn node_numbers_and_ranges_are_checked() {
    let large = predicted(&tree(halves([Some(0), Some(0x700)]), true, &[]), LINUX_6_1, "");
    assert_eq!(message(&large), Some("OF: NUMA: bad property in memory node"));
    let mut memory = halves(TWO);
    memory[1].ranges.clear();
    let bare = predicted(&tree(memory, true, &[]), LINUX_6_1, "");
    assert_eq!(
        (bare.outcome, causes(&bare)),
        (NumaOutcome::Refused, vec!["tree-property-invalid"])
    );
}

#[test]
fn node_with_only_cpus_is_online() {
    let mut memory = halves([Some(0), Some(0)]);
    memory[0].ranges[0].size_bytes = GIB;
    let prediction = predicted(&tree(memory, true, &[]), LINUX_6_1, "");
    assert_eq!(
        (prediction.outcome, places(&prediction).as_str()),
        (NumaOutcome::Visible, "0:0-1 1:2-3")
    );
    assert_eq!(
        (prediction.nodes[1].ram_bytes, doubts(&prediction)),
        (Some(0), vec!["cpu-only-node"])
    );
}

#[test]
fn numa_off_has_arm_s_message() {
    let prediction = predicted(&tree(halves(TWO), true, &[]), LINUX_6_1, "numa=off");
    assert_eq!(
        (prediction.outcome, message(&prediction)),
        (NumaOutcome::TurnedOff, Some("NUMA: NUMA disabled"))
    );
    assert_eq!(prediction.nodes[0].cpus.to_string(), "0-3");
}

/// A SRAT, and four CPUs with UIDs 0 to 3 in the MADT.
fn by_tables(entries: &[Vec<u8>], kernel: KernelVersion) -> Prediction {
    let firmware = Firmware { tables: vec![file(srat(entries))], ..Firmware::default() };
    let map = MemoryMap::from_ram(&[(GIB, 3 * GIB - 1)]);
    let cpu = |number: u32| PresentCpu {
        id: CpuId(number),
        hardware_id: u64::from(number) << 8,
        processor_uid: Some(number),
    };
    predict(&PredictionInput {
        kernel,
        memory_map: Some(&map),
        cpus: (0..4).map(cpu).collect(),
        ..PredictionInput::new(&firmware, Architecture::Arm64)
    })
}

fn cpus() -> Vec<Vec<u8>> {
    (0..4).map(|number| gicc(number, number / 2)).collect()
}

#[test]
fn srat_cpus_use_madt_uids() {
    let entries = [cpus(), vec![memory(0, GIB, GIB), memory(1, 2 * GIB, GIB)]].concat();
    let prediction = by_tables(&entries, LINUX_6_1);
    assert_eq!(
        (prediction.outcome, places(&prediction).as_str()),
        (NumaOutcome::Visible, "0:0-1 1:2-3")
    );
}

#[test]
fn later_range_wins_before_6_12() {
    let entries = [cpus(), vec![memory(0, GIB, 3 * GIB / 2), memory(1, 2 * GIB, GIB)]].concat();
    let old = by_tables(&entries, LINUX_6_1);
    assert_eq!(
        (old.outcome, doubts(&old)),
        (NumaOutcome::Visible, vec!["nodes-overlap-unnoticed"])
    );
    let new = by_tables(&entries, LINUX_6_12);
    assert_eq!((new.outcome, causes(&new)), (NumaOutcome::Refused, vec!["nodes-overlap"]));
}

#[test]
fn arm_rejects_any_gap() {
    let entries = [cpus(), vec![memory(0, GIB, GIB - 4096), memory(1, 2 * GIB, GIB)]].concat();
    assert_eq!(
        message(&by_tables(&entries, LINUX_6_12)),
        Some("NUMA: no nodes coverage for 0MB of 2048MB RAM")
    );
}

#[test]
fn short_cpu_entries_are_rejected() {
    let mut short = gicc(1, 0);
    short[1] = 17;
    short.truncate(17);
    let prediction = by_tables(&[gicc(0, 0), short, memory(0, GIB, 2 * GIB)], LINUX_6_1);
    assert_eq!(message(&prediction), Some("ACPI: NUMA: SRAT: Invalid SRAT header length: 17"));
}

#[test]
fn disabled_initiator_keeps_arm_cpu_nodes() {
    let entries =
        [vec![initiator(2, false)], cpus(), vec![memory(0, GIB, GIB), memory(1, 2 * GIB, GIB)]]
            .concat();
    let prediction = by_tables(&entries, LINUX_6_1);
    assert_eq!(places(&prediction), "0:0-1 1:2-3");
}

#[test]
fn without_tables_the_message_depends_on_the_version() {
    let message_of = |kernel| {
        let prediction = predicted(&Firmware::default(), kernel, "");
        assert_eq!(
            (prediction.outcome, causes(&prediction)),
            (NumaOutcome::Withheld, vec!["no-srat"])
        );
        message(&prediction).map(str::to_owned)
    };
    assert_eq!(message_of(LINUX_6_1).as_deref(), Some("NUMA: Failed to initialise from firmware"));
    assert_eq!(message_of(LINUX_6_12).as_deref(), Some(FAKING));
}
