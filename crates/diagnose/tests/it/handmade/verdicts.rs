//! Each verdict, on machines written by hand.

use nearfar_diagnose::{
    Advice, Confidence, Diagnosis, DiagnosisReason, DiagnosisVerdict, MemorySplit, Vendor,
    WitnessAvailability,
};

use super::machine::{GIB, Machine, cpu, memory, slit, srat, two_domains};

const FAKED: &str = "[    0.000000] No NUMA configuration found\n[    0.000000] Faking a node at \
                     [mem 0x0-0x7fffffff]\n";

fn code(diagnosis: &Diagnosis) -> Option<&str> {
    diagnosis.cause.as_ref().map(|cause| cause.code.as_str())
}

fn codes(diagnosis: &Diagnosis) -> Vec<&str> {
    diagnosis.findings.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn one_package_with_one_memory_is_uniform() {
    let mut machine = Machine::new(1, &["0-3"]);
    machine.log(FAKED);
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, diagnosis.confidence),
        (DiagnosisVerdict::Uniform, Confidence::Likely),
        "{diagnosis:#?}"
    );
}

#[test]
fn packages_behind_one_bus_are_uniform() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.model("Intel(R) Xeon(R) CPU E5430 @ 2.66GHz", false);
    machine.log(FAKED);
    assert_eq!(machine.diagnosis().verdict, DiagnosisVerdict::Uniform);
}

#[test]
fn two_packages_without_srat_are_withheld() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.log(FAKED);
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, diagnosis.confidence),
        (DiagnosisVerdict::WithheldByFirmware, Confidence::Certain)
    );
    assert_eq!(code(&diagnosis), Some("no-srat"));
    assert_eq!(diagnosis.predicted.cause, diagnosis.observed.cause);
    let finding = &diagnosis.findings[0];
    assert_eq!(finding.advice, Some(Advice::ShowNodes { vendor: Some(Vendor::Dell), split: None }));
    assert_eq!(
        diagnosis.reason,
        Some(DiagnosisReason::MemoryOfPackages { packages: 2, likely: false })
    );
    assert!(
        finding.evidence.iter().any(|one| one.source == "ACPI tables" && one.excerpt == "DSDT"),
        "{finding:#?}"
    );
    assert!(
        finding.evidence.iter().any(|one| one.place == "/var/log/dmesg, line 2"),
        "{finding:#?}"
    );
}

#[test]
fn two_packages_in_one_domain_are_withheld() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine
        .table("SRAT", srat(&[cpu(0, 0), cpu(1, 0), cpu(2, 0), cpu(3, 0), memory(0, 0, 2 * GIB)]));
    machine.log("[    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n");
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, code(&diagnosis)),
        (DiagnosisVerdict::WithheldByFirmware, Some("one-domain")),
        "{diagnosis:#?}"
    );
    assert!(codes(&diagnosis).contains(&"one-domain"));
}

#[test]
fn an_interleaving_northbridge_is_proof() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.model("AMD Opteron(tm) Processor 8218", false);
    machine.log(&format!("[    0.0] Node 1 using interleaving mode 1/0\n{FAKED}"));
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, code(&diagnosis)),
        (DiagnosisVerdict::WithheldByFirmware, Some("node-interleaving"))
    );
}

#[test]
fn a_package_of_four_dies_in_one_node_is_not_uniform() {
    let mut machine = Machine::new(1, &["0-3"]);
    machine.model("AMD EPYC 7451 24-Core Processor", false);
    machine.table("SRAT", srat(&[cpu(0, 0), memory(0, 0, 2 * GIB)]));
    machine.log("[    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n");
    let diagnosis = machine.diagnosis();
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::WithheldByFirmware);
    let (vendor, split) = (Some(Vendor::Dell), MemorySplit::DieInterleaving);
    assert_eq!(diagnosis.findings[0].advice, Some(Advice::SplitPackage { vendor, split }));
    assert_eq!(diagnosis.reason, Some(DiagnosisReason::MemoryOfDies { packages: 1, dies: 4 }));
}

#[test]
fn a_guest_without_srat_is_withheld() {
    let mut machine = Machine::new(1, &["0-3"]);
    machine.model("QEMU Virtual CPU version 2.5+", true);
    machine.log(FAKED);
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, diagnosis.confidence),
        (DiagnosisVerdict::WithheldByHypervisor, Confidence::Certain)
    );
    assert_eq!(code(&diagnosis), Some("no-srat"));
    assert_eq!(
        diagnosis.reason,
        Some(DiagnosisReason::Guest { hypervisor: Some("QEMU".to_owned()) })
    );
}

#[test]
fn guests_without_tree_nodes_are_withheld() {
    let mut machine = Machine::new(1, &["0-3"]);
    machine.file("/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd03\n");
    let tree = "/sys/firmware/devicetree/base";
    for node in ["memory@40000000", "cpus", "cpus/cpu@0"] {
        machine.file(&format!("{tree}/{node}/name"), "node\0");
    }
    machine.file(&format!("{tree}/compatible"), "linux,dummy-virt\0");
    machine.file(&format!("{tree}/memory@40000000/device_type"), "memory\0");
    machine.bytes(
        &format!("{tree}/memory@40000000/reg"),
        [&[0, 0, 0, 0, 0x40, 0, 0, 0], &[0u8, 0, 0, 0, 0x80, 0, 0, 0][..]].concat(),
    );
    machine.bytes(&format!("{tree}/cpus/cpu@0/reg"), vec![0; 4]);
    machine.file(&format!("{tree}/cpus/cpu@0/device_type"), "cpu\0");
    let diagnosis = machine.diagnosis();
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::WithheldByHypervisor, "{diagnosis:#?}");
    assert_eq!(code(&diagnosis), Some("tree-names-no-node"), "{diagnosis:#?}");
}

#[test]
fn rejected_nodes_have_a_table_offset() {
    let mut machine = Machine::new(2, &["0-3"]);
    let mut entries = two_domains();
    entries[4] = memory(0, 0, GIB + (GIB >> 2));
    machine.table("SRAT", srat(&entries));
    machine.log(&format!(
        "[    0.0] node 0 [mem 0x00000000-0x4fffffff] overlaps with node 1 [mem \
         0x40000000-0x7fffffff]\n{FAKED}"
    ));
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, diagnosis.confidence),
        (DiagnosisVerdict::RefusedByKernel, Confidence::Certain)
    );
    let cause = diagnosis.cause.as_ref().unwrap();
    assert_eq!((cause.code.as_str(), cause.table.as_deref()), ("nodes-overlap", Some("SRAT")));
    assert!(cause.offset.is_some_and(|offset| offset >= 112), "{cause:?}");
    assert!(cause.message.as_ref().is_some_and(|message| message.contains("overlaps with node 1")));
    let finding =
        diagnosis.findings.iter().find(|finding| finding.code == "nodes-overlap").unwrap();
    assert!(
        finding
            .evidence
            .iter()
            .any(|one| one.source == "SRAT" && one.excerpt.starts_with("01 28 ")),
        "{finding:#?}"
    );
    assert!(finding.evidence.iter().any(|one| one.source == "kernel log"), "{finding:#?}");
}

#[test]
fn disabling_options_are_the_cause() {
    for (word, wanted) in
        [("numa=off", "numa-off"), ("numa=noacpi", "numa-noacpi"), ("acpi=off", "acpi-off")]
    {
        let mut machine = Machine::new(2, &["0-3"]);
        machine.table("SRAT", srat(&two_domains()));
        machine.file("/proc/cmdline", &format!("ro {word} quiet"));
        let diagnosis = machine.diagnosis();
        assert_eq!(
            (diagnosis.verdict, code(&diagnosis)),
            (DiagnosisVerdict::TurnedOff, Some(wanted)),
            "{word}: {diagnosis:#?}"
        );
        let finding = diagnosis.findings.iter().find(|finding| finding.code == wanted).unwrap();
        assert!(
            finding.evidence.iter().any(|one| one.source == "command line" && one.excerpt == word),
            "{finding:#?}"
        );
    }
}

#[test]
fn kernels_without_numa_are_reported() {
    let mut machine = Machine::new(2, &[]);
    machine.table("SRAT", srat(&two_domains()));
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, code(&diagnosis)),
        (DiagnosisVerdict::ImpossibleInKernel, Some("no-config-numa"))
    );
}

#[test]
fn two_believable_nodes_are_visible() {
    let mut machine = Machine::new(2, &["0-1", "2-3"]);
    machine.table("SRAT", srat(&two_domains()));
    machine.table("SLIT", slit(&[&[10, 21], &[21, 10]]));
    machine.file("/sys/devices/system/node/node0/distance", "10 21");
    machine.file("/sys/devices/system/node/node1/distance", "21 10");
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, diagnosis.confidence),
        (DiagnosisVerdict::Visible, Confidence::Certain),
        "{diagnosis:#?}"
    );
    assert_eq!((diagnosis.cause.as_ref(), diagnosis.findings.len()), (None, 0));
    assert_eq!((diagnosis.predicted.nodes, diagnosis.observed.nodes), (Some(2), Some(2)));
}

#[test]
fn emulated_nodes_are_doubtful() {
    let mut machine = Machine::new(1, &["0-1", "2-3"]);
    machine.file("/proc/cmdline", "ro numa=fake=2");
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, code(&diagnosis)),
        (DiagnosisVerdict::VisibleButDoubtful, Some("numa-fake")),
        "{diagnosis:#?}"
    );
}

#[test]
fn missing_nodes_without_a_log_are_unexplained() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.table("SRAT", srat(&two_domains()));
    let diagnosis = machine.diagnosis();
    assert_eq!(
        (diagnosis.verdict, diagnosis.confidence),
        (DiagnosisVerdict::RefusedByKernel, Confidence::Possible)
    );
    assert_eq!(code(&diagnosis), Some("fewer-nodes-than-promised"));
}

#[test]
fn captures_without_tables_are_undetermined() {
    let mut witnesses = Machine::new(2, &["0-3"]).witnesses();
    witnesses.firmware = nearfar_firmware::Firmware::default();
    let diagnosis = nearfar_diagnose::diagnose(&witnesses);
    assert_eq!((diagnosis.verdict, code(&diagnosis)), (DiagnosisVerdict::Unknown, None));
    assert_eq!(diagnosis.witnesses[0].availability, WitnessAvailability::Absent);
}
