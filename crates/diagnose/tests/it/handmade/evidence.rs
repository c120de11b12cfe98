//! Verdicts need evidence: each of these machines once got a verdict without any.

use nearfar_diagnose::{
    Advice, Diagnosis, DiagnosisReason, DiagnosisVerdict, FindingDetail, NodeMemoryShare,
    OpenQuestion, OutsideNode, Severity, WitnessStatement, Witnesses, diagnose,
};
use nearfar_firmware::Firmware;
use nearfar_firmware::linux::KernelLog;
use nearfar_model::NodeId;

use super::machine::{
    GIB, Machine, cpu, disabled_initiator, memory, slit, srat, table, two_domains,
};

const NODE: &str = "/sys/devices/system/node";

/// Sent tables, as files of a folder.
fn sent(files: &[(&str, Vec<u8>)], log: &str) -> Diagnosis {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let firmware = Firmware::open(folder.path()).unwrap();
    diagnose(&Witnesses::for_tables(firmware, KernelLog::parse(log.as_bytes())))
}

fn fadt(profile: u8) -> Vec<u8> {
    let mut content = vec![0; 80];
    content[9] = profile;
    table("FACP", 4, &content)
}

fn madt(cpus: u8) -> Vec<u8> {
    let mut content = vec![0; 8];
    (0..cpus).for_each(|id| content.extend([0, 8, id, id, 1, 0, 0, 0]));
    table("APIC", 4, &content)
}

fn has(diagnosis: &Diagnosis, code: &str) -> bool {
    diagnosis.findings.iter().any(|finding| finding.code == code)
}

#[test]
fn tables_without_srat_need_hardware_evidence() {
    for (profile, cpus, verdict) in [
        (0, 8, DiagnosisVerdict::Unknown),
        // Boards of servers have this profile, too.
        (1, 8, DiagnosisVerdict::Unknown),
        (2, 8, DiagnosisVerdict::Uniform),
        (4, 40, DiagnosisVerdict::Unknown),
        (8, 4, DiagnosisVerdict::Uniform),
        (0, 1, DiagnosisVerdict::Uniform),
    ] {
        let diagnosis = sent(&[("apic.dat", madt(cpus)), ("facp.dat", fadt(profile))], "");
        assert_eq!(diagnosis.verdict, verdict, "profile {profile}, {cpus} CPUs: {diagnosis:#?}");
        assert!(
            diagnosis.findings.iter().all(|finding| finding.severity == Severity::Note),
            "{diagnosis:#?}"
        );
        let advice = diagnosis.findings[0].advice.as_ref();
        assert!(matches!(advice, None | Some(Advice::ShowNodesIfSeveral { .. })), "{advice:?}");
    }
}

#[test]
fn models_of_notebooks_and_desktops_have_one_memory() {
    for model in [
        "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz",
        "AMD Ryzen 7 5800X 8-Core Processor",
        "Intel(R) N100",
    ] {
        let mut machine = Machine::new(1, &["0-3"]);
        machine.model(model, false);
        machine.log("[    0.0] No NUMA configuration found\n");
        let diagnosis = machine.diagnosis();
        assert_eq!(diagnosis.verdict, DiagnosisVerdict::Uniform, "{model}: {diagnosis:#?}");
    }
}

#[test]
fn clusters_without_acpi_are_no_packages() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine
        .file("/proc/cpuinfo", "CPU implementer : 0x41\nCPU architecture: 8\nCPU part : 0xd03\n");
    machine.log("[    0.0] NUMA: No NUMA configuration found\n");
    let mut witnesses = machine.witnesses();
    witnesses.firmware = Firmware::default();
    let diagnosis = diagnose(&witnesses);
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Unknown, "{diagnosis:#?}");
}

#[test]
fn nodes_with_equal_cpus_are_doubted() {
    let mut machine = Machine::new(2, &["0-3", "0-3"]);
    machine.model("Intel(R) Xeon(R) CPU E5430 @ 2.66GHz", false);
    for node in 0..2 {
        machine.file(&format!("{NODE}/node{node}/distance"), "10 10");
    }
    let diagnosis = machine.diagnosis();
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::VisibleButDoubtful, "{diagnosis:#?}");
    assert!(
        has(&diagnosis, "nodes-share-cpus") && has(&diagnosis, "distance-of-local"),
        "{diagnosis:#?}"
    );
}

#[test]
fn an_offline_node_makes_one_node_incomplete() {
    let mut machine = Machine::new(2, &["0-1", "2-3"]);
    machine.file(&format!("{NODE}/online"), "0");
    machine.log("[    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x3fffffff]\n");
    let diagnosis = machine.diagnosis();
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Unknown, "{diagnosis:#?}");
    let outside = OutsideNode::Cpus { cpus: "2-3".parse().unwrap(), node: NodeId(0) };
    assert_eq!(diagnosis.reason, Some(DiagnosisReason::Incomplete { outside }));
    assert!(has(&diagnosis, "outside-the-nodes"), "{diagnosis:#?}");
    let memory = NodeMemoryShare::Part { bytes: GIB, of_bytes: 2 * GIB };
    let offline = [NodeId(1)].into_iter().collect();
    let one = WitnessStatement::OneNode {
        node: NodeId(0),
        cpus: Some(2),
        cpus_online: 4,
        memory,
        offline,
    };
    assert_eq!(diagnosis.witnesses[4].statements[0], one);
}

#[test]
fn nodes_without_cpus_by_design_are_accepted() {
    let mut machine = Machine::new(1, &["0-3", ""]);
    machine.file(&format!("{NODE}/node0/distance"), "10 17");
    machine.file(&format!("{NODE}/node1/distance"), "17 10");
    let mut witnesses = machine.witnesses();
    witnesses.firmware = Firmware::default();
    let diagnosis = diagnose(&witnesses);
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Visible, "{diagnosis:#?}");
    assert!(has(&diagnosis, "memory-only-node"));
    // A CPU has no node: node 1 may have lost its own.
    let mut machine = Machine::new(1, &["0-3", ""]);
    machine.file("/proc/cmdline", "ro maxcpus=4");
    assert_eq!(machine.diagnosis().verdict, DiagnosisVerdict::VisibleButDoubtful);
}

#[test]
fn persistent_memory_without_cpus_is_accepted() {
    let volatile = [cpu(0, 0), memory(0, 0, GIB), memory(1, GIB, GIB)];
    let mut persistent = volatile.clone();
    persistent[2][28] |= 4;
    let distances = || ("slit.dat", slit(&[&[10, 17], &[17, 10]]));
    let diagnosis = sent(&[("srat.dat", srat(&persistent)), distances()], "");
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Visible, "{diagnosis:#?}");
    let diagnosis = sent(&[("srat.dat", srat(&volatile)), distances()], "");
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::VisibleButDoubtful, "{diagnosis:#?}");
}

#[test]
fn initiators_are_no_nodes_without_memory() {
    let mut entries = two_domains();
    let mut initiator = disabled_initiator(2);
    initiator[24] = 1;
    entries.push(initiator);
    let diagnosis =
        sent(&[("srat.dat", srat(&entries)), ("slit.dat", slit(&[&[10, 21], &[21, 10]]))], "");
    assert!(
        !has(&diagnosis, "memory-only-node") && !has(&diagnosis, "cpu-only-node"),
        "{diagnosis:#?}"
    );
}

#[test]
fn a_guest_in_one_domain_has_unknown_memories() {
    let mut machine = Machine::new(1, &["0-3"]);
    machine.model("QEMU Virtual CPU version 2.5+", true);
    machine.table("SRAT", srat(&[cpu(0, 0), memory(0, 0, 2 * GIB)]));
    machine.log("[    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n");
    let diagnosis = machine.diagnosis();
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::WithheldByHypervisor);
    let one = diagnosis.findings.iter().find(|finding| finding.code == "one-domain").unwrap();
    assert_eq!((one.severity, &one.what), (Severity::Note, &Some(FindingDetail::OneDomainOfGuest)));
}

#[test]
fn a_srat_alone_has_no_distances() {
    let diagnosis = sent(&[("srat.dat", srat(&two_domains()))], "");
    assert!(!has(&diagnosis, "slit-default"), "{diagnosis:#?}");
    assert!(diagnosis.predicted.why.contains(&OpenQuestion::SlitNotSent), "{diagnosis:#?}");
    // With the MADT the tables are complete: this machine has no SLIT.
    let diagnosis = sent(&[("srat.dat", srat(&two_domains())), ("apic.dat", madt(4))], "");
    assert!(has(&diagnosis, "slit-default"), "{diagnosis:#?}");
}

#[test]
fn a_slit_without_srat_is_incomplete() {
    let diagnosis = sent(&[("apic.dat", madt(4)), ("slit.dat", slit(&[&[10, 21], &[21, 10]]))], "");
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Unknown);
    let question = OpenQuestion::SratNotSent { domains: 2 };
    assert_eq!(diagnosis.reason, Some(DiagnosisReason::Undecided { nodes: 0, question }));
}

#[test]
fn contradicting_logs_are_undetermined() {
    let log = "[    0.0] Linux version 6.1.0 (x)\n[    0.1] No NUMA configuration found\n";
    let diagnosis = sent(&[("srat.dat", srat(&two_domains()))], log);
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Unknown, "{diagnosis:#?}");
    assert_eq!(diagnosis.reason, Some(DiagnosisReason::Contradiction { nodes: 2 }));
    let differs =
        diagnosis.findings.iter().find(|finding| finding.code == "prediction-differs").unwrap();
    assert_eq!(differs.evidence[0].excerpt, "No NUMA configuration found");
}

#[test]
fn truncated_srats_are_undetermined() {
    let whole = srat(&two_domains());
    for length in [64, 80, 100, whole.len() - 1] {
        let cut = whole[..length].to_vec();
        let diagnosis = sent(&[("srat.dat", cut), ("apic.dat", madt(64))], "");
        assert_eq!(diagnosis.verdict, DiagnosisVerdict::Unknown, "{length}: {diagnosis:#?}");
        let Some(DiagnosisReason::Undecided { nodes: 0, question: OpenQuestion::Rule { text } }) =
            &diagnosis.reason
        else {
            panic!("{length}: {diagnosis:#?}");
        };
        assert!(text.contains(&format!("{length} of its {} bytes", whole.len())), "{text}");
        assert!(
            has(&diagnosis, "srat-unreadable") && !has(&diagnosis, "cpus-without-domain"),
            "{diagnosis:#?}"
        );
    }
}

#[test]
fn invalid_srat_files_are_reported() {
    use std::os::unix::fs::symlink;
    type Make = fn(&std::path::Path);
    let bad: [(Make, &str); 5] = [
        (|path| std::fs::write(path, "").unwrap(), "it is empty"),
        (|path| std::fs::write(path, "not a table\n").unwrap(), "it is text"),
        (|path| std::fs::write(path, [0xff; 64]).unwrap(), "no known firmware format"),
        (|path| std::fs::create_dir(path).unwrap(), "it is a folder"),
        (|path| symlink("nowhere", path).unwrap(), "No such file"),
    ];
    for (make, why) in bad {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("apic.dat"), madt(4)).unwrap();
        make(&folder.path().join("srat.dat"));
        let firmware = Firmware::open(folder.path()).unwrap();
        let diagnosis = diagnose(&Witnesses::for_tables(firmware, KernelLog::default()));
        assert_eq!(diagnosis.verdict, DiagnosisVerdict::Unknown, "{why}: {diagnosis:#?}");
        let reason = format!("{:?}", diagnosis.reason);
        assert!(reason.contains("srat.dat") && reason.contains(why), "{why}: {reason}");
        let finding =
            diagnosis.findings.iter().find(|finding| finding.code == "srat-unreadable").unwrap();
        assert!(
            finding.evidence[0].place.ends_with("srat.dat")
                && finding.evidence[0].excerpt.contains(why)
        );
    }
}

#[test]
fn empty_files_may_be_the_srat() {
    let diagnosis = sent(&[("apic.dat", madt(4)), ("table17.dat", Vec::new())], "");
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Unknown);
    let Some(DiagnosisReason::Undecided {
        question: OpenQuestion::UnreadableSrat { path, .. },
        ..
    }) = &diagnosis.reason
    else {
        panic!("{diagnosis:#?}");
    };
    assert!(path.ends_with("table17.dat"), "{path}");
    // Beside a complete SRAT the file is ignored.
    let diagnosis = sent(&[("srat.dat", srat(&two_domains())), ("srat.dsl", b"text".to_vec())], "");
    assert!(!has(&diagnosis, "srat-unreadable"), "{diagnosis:#?}");
}
