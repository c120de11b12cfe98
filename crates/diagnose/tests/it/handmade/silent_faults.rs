//! Faults that Linux accepts without a message, on machines written by hand.

use nearfar_diagnose::{Advice, Diagnosis, DiagnosisVerdict, Severity, Witnesses, diagnose};
use nearfar_machine::Source;

use super::machine::{
    GIB, Machine, cpu, disabled_initiator, memory, slit, srat, table, two_domains,
};

/// The codes of a machine of two nodes.
fn codes(prepare: impl FnOnce(&mut Machine)) -> Vec<String> {
    let mut machine = Machine::new(2, &["0-1", "2-3"]);
    prepare(&mut machine);
    let diagnosis = machine.diagnosis();
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::VisibleButDoubtful, "{diagnosis:#?}");
    diagnosis.findings.into_iter().map(|finding| finding.code).collect()
}

fn with_slit(rows: &[&[u8]]) -> Vec<String> {
    codes(|machine| {
        machine.table("SRAT", srat(&two_domains()));
        machine.table("SLIT", slit(rows));
    })
}

#[test]
fn implausible_distances_are_doubted() {
    for (rows, wanted) in [
        ([&[10, 21][..], &[31, 10]], "slit-asymmetric"),
        ([&[10, 255], &[255, 10]], "slit-unreachable"),
        ([&[10, 20], &[20, 10]], "slit-default"),
        ([&[10, 10], &[10, 10]], "slit-invalid"),
        ([&[11, 20], &[20, 10]], "slit-invalid"),
    ] {
        let found = with_slit(&rows);
        assert!(found.iter().any(|code| code == wanted), "{wanted}: {found:?}");
    }
}

#[test]
fn distances_are_doubted_without_root() {
    let found = codes(|machine| {
        machine.file("/sys/devices/system/node/node0/distance", "10 255");
        machine.file("/sys/devices/system/node/node1/distance", "21 10");
    });
    assert!(found.iter().any(|code| code == "slit-asymmetric"), "{found:?}");
    assert!(found.iter().any(|code| code == "slit-unreachable"), "{found:?}");
}

/// The distances of Granite Rapids in SNC-3: they differ by direction between packages alone.
const GRANITE_RAPIDS: [&str; 6] = [
    "10 15 17 21 28 26",
    "15 10 15 23 26 23",
    "17 15 10 26 23 21",
    "21 28 26 10 15 17",
    "23 26 23 15 10 15",
    "26 23 21 17 15 10",
];

fn with_six_nodes(packages: usize, rows: [&str; 6]) -> Diagnosis {
    let system = "/sys/devices/system";
    let online = ["cpu", "node"].map(|of| (format!("{system}/{of}/online"), "0-5".to_owned()));
    let mut files = Vec::from(online);
    for (id, row) in rows.iter().enumerate() {
        let (node, cpu) = (format!("{system}/node/node{id}"), format!("{system}/cpu/cpu{id}"));
        let (package, each) = (id * packages / 6, 6 / packages);
        let last = package * each + each - 1;
        files.extend([
            (format!("{node}/cpulist"), id.to_string()),
            (format!("{node}/distance"), (*row).to_owned()),
            (format!("{cpu}/topology/physical_package_id"), package.to_string()),
            (format!("{cpu}/topology/package_cpus_list"), format!("{}-{last}", package * each)),
        ]);
    }
    diagnose(&Witnesses::read(&Source::from_files(files)))
}

#[test]
fn distances_by_direction_between_split_packages_are_by_design() {
    let is_doubtful = |packages, rows| {
        let found = with_six_nodes(packages, rows);
        let codes: Vec<&str> = found.findings.iter().map(|one| one.code.as_str()).collect();
        assert!(codes.contains(&"slit-asymmetric"), "{codes:?}");
        found.verdict == DiagnosisVerdict::VisibleButDoubtful
    };
    assert!(!is_doubtful(2, GRANITE_RAPIDS));
    let mut inside = GRANITE_RAPIDS;
    inside[1] = "16 10 15 23 26 23";
    assert!(is_doubtful(2, inside), "inside a package");
    assert!(is_doubtful(6, GRANITE_RAPIDS), "each node is a package");
}

#[test]
fn a_leading_disabled_initiator_is_reported() {
    let found = codes(|machine| {
        let mut entries = vec![disabled_initiator(1)];
        entries.extend(two_domains());
        machine.table("SRAT", srat(&entries));
    });
    assert!(found.iter().any(|code| code == "initiator-disabled-first"), "{found:?}");
}

#[test]
fn nodes_without_cpus_or_memory_are_reported() {
    let mut machine = Machine::new(1, &["0-2", ""]);
    machine.node(2, "3", 0);
    let found: Vec<String> =
        machine.diagnosis().findings.into_iter().map(|finding| finding.code).collect();
    for code in ["memory-only-node", "cpu-only-node"] {
        assert!(found.iter().any(|found| found == code), "{code}: {found:?}");
    }
    let found = codes(|machine| {
        let entries =
            [cpu(0, 0), cpu(1, 0), cpu(2, 0), cpu(3, 0), memory(0, 0, GIB), memory(1, GIB, GIB)];
        machine.table("SRAT", srat(&entries));
    });
    assert!(found.iter().any(|code| code == "cpus-in-one-node"), "{found:?}");
}

#[test]
fn buses_without_a_node_are_reported() {
    let found = codes(|machine| {
        machine.table("SRAT", srat(&two_domains()));
        machine.log("[    1.3] pci_bus 0000:00: Unknown NUMA node; performance will be reduced\n");
    });
    assert!(found.iter().any(|code| code == "pci-without-node"), "{found:?}");
}

#[test]
fn contradicting_tables_are_reported() {
    let found = codes(|machine| {
        machine.table("SRAT", srat(&two_domains()));
        // CPUs 0 and 1 only.
        let madt = [0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 1, 0, 0, 0, 0, 8, 1, 1, 1, 0, 0, 0];
        machine.table("APIC", table("APIC", 4, &madt));
    });
    assert!(found.iter().any(|code| code == "cpus-not-in-madt"), "{found:?}");
}

#[test]
fn wrong_checksums_and_damage_are_reported() {
    let found = codes(|machine| {
        let mut wrong = srat(&two_domains());
        wrong[9] ^= 1;
        machine.table("SRAT", wrong);
        machine.table("MSCT", table("MSCT", 1, &[1, 2]));
    });
    assert!(found.iter().any(|code| code == "bad-checksum"), "{found:?}");
    assert!(found.iter().any(|code| code == "table-damaged"), "{found:?}");
}

#[test]
fn unreadable_tables_are_reported_and_skipped() {
    use nearfar_firmware::{Firmware, ReadState, TableFile};
    let mut witnesses = Machine::new(2, &["0-1", "2-3"]).witnesses();
    let denied = TableFile {
        name: "SRAT".to_owned(),
        path: "/sys/firmware/acpi/tables/SRAT".to_owned(),
        line: None,
        bytes: Vec::new(),
        state: ReadState::Denied,
    };
    witnesses.firmware = Firmware { tables: vec![denied], ..Firmware::default() };
    let diagnosis = diagnose(&witnesses);
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Visible, "{diagnosis:#?}");
    let finding = &diagnosis.findings[0];
    assert_eq!((finding.code.as_str(), finding.severity), ("tables-unreadable", Severity::Note));
    assert_eq!(finding.evidence[0].excerpt, "present, unreadable: not root");
    assert_eq!(finding.advice, Some(Advice::OfCode));
}
