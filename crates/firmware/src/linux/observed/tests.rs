use nearfar_model::CpuId;

use super::*;

fn for_log(text: &str) -> ObservedNuma {
    ObservedNuma::new(None, None, &KernelLog::parse(text.as_bytes()))
}

/// Nodes with a CPU each.
fn sysfs(count: u32) -> SysfsNodes {
    let node = |id| ObservedNode {
        id: NodeId(id),
        cpus: [CpuId(id)].into_iter().collect(),
        memory_bytes: None,
    };
    SysfsNodes { numa_supported: true, online: (0..count).map(node).collect(), distances: None }
}

#[test]
fn the_rejecting_rule_decides() {
    let observed = for_log(
        "ACPI: SRAT: Unexpected header length: 32\nACPI: SRAT: SRAT not used.\nNo NUMA \
         configuration found\nFaking a node at [mem 0x0000000000000000-0x000000007ffdffff]\n",
    );
    assert_eq!(observed.outcome, NumaOutcome::Refused);
    assert_eq!(observed.deciding.unwrap().line, 1);
}

#[test]
fn missing_tables_and_numa_off_are_distinguished() {
    let faked = "No NUMA configuration found\nFaking a node at [mem 0x0-0x1fff]\n";
    assert_eq!(for_log(faked).outcome, NumaOutcome::Withheld);
    assert_eq!(
        for_log(&format!("Command line: acpi=off\n{faked}")).outcome,
        NumaOutcome::TurnedOff
    );
    assert_eq!(
        for_log("NUMA turned off\nFaking a node at [mem 0x0-0x1fff]\n").outcome,
        NumaOutcome::TurnedOff
    );
    assert_eq!(for_log("Faking node 0 at [mem 0x0-0x1fff] (1MB)\n").outcome, NumaOutcome::Emulated);
}

#[test]
fn nodes_with_memory_are_read_from_the_log() {
    let observed = for_log(
        "Linux version 6.1.0 (a)\n  node   1: [mem 0x2000-0x2fff]\n  node   0: [mem \
         0x1000-0x1fff]\n  node   1: [mem 0x4000-0x4fff]\n",
    );
    assert_eq!(observed.outcome, NumaOutcome::Visible);
    let memory: Vec<_> = observed.nodes.iter().map(|node| (node.id.0, node.memory_bytes)).collect();
    assert_eq!(memory, [(0, Some(0x1000)), (1, Some(0x2000))]);
}

#[test]
fn nodes_and_distances_are_read_from_sysfs() {
    let distances =
        DistanceMatrix::new([NodeId(0), NodeId(1)].into(), vec![vec![10, 20], vec![20, 10]]);
    let sysfs = SysfsNodes { distances: Some(distances.unwrap()), ..sysfs(2) };
    let observed = ObservedNuma::new(Some(sysfs), None, &KernelLog::default());
    assert_eq!(
        (observed.outcome, observed.distances_are_default),
        (NumaOutcome::Visible, Some(true))
    );
    assert_eq!(observed.nodes[1].cpus.to_string(), "1");
}

#[test]
fn failed_emulation_keeps_firmware_s_nodes() {
    let nodes = "  node   0: [mem 0x1000-0x1fff]\n  node   1: [mem 0x2000-0x2fff]\n";
    let asked = format!("Command line: numa=fake=100\n{nodes}");
    assert_eq!(for_log(&asked).outcome, NumaOutcome::Emulated);
    let failed = format!("{asked}Not enough memory for each node.  NUMA emulation disabled.\n");
    assert_eq!(for_log(&failed).outcome, NumaOutcome::Visible);
}

#[test]
fn one_node_without_a_log_is_unknown() {
    let outcome = |line: &str| {
        ObservedNuma::new(Some(sysfs(1)), Some(&CommandLine::parse(line)), &KernelLog::default())
            .outcome
    };
    assert_eq!(
        (outcome("quiet"), outcome("numa=off")),
        (NumaOutcome::Unknown, NumaOutcome::TurnedOff)
    );
    let none = SysfsNodes { numa_supported: false, ..sysfs(1) };
    assert_eq!(
        ObservedNuma::new(Some(none), None, &KernelLog::default()).outcome,
        NumaOutcome::Impossible
    );
}
