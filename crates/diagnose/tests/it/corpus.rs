//! Machines of the corpus: each case gets a verdict, and the tables predict the kernel's log.

use std::path::Path;

use nearfar_diagnose::{
    Diagnosis, DiagnosisReason, DiagnosisVerdict, OpenQuestion, Witnesses, diagnose,
};
use nearfar_firmware::linux::{KernelLog, MemoryMap};
use nearfar_firmware::{Firmware, FirmwareError};
use nearfar_machine::firmware_tables;

use crate::corpus_folder::{corpus, files_below};
use crate::kernel_logs::section;

/// RAM of the guests whose logs are in the corpus: 2 GiB, as in their firmware's map.
fn ram_of_2_gib() -> MemoryMap {
    MemoryMap::from_ram(&[(0, 0x9_fbff), (0x10_0000, 0x7ffd_ffff)])
}

/// Tables of the corpus under one name, without a kernel.
fn tables(paths: &[&Path]) -> Witnesses {
    let mut firmware = Firmware::default();
    for path in paths {
        firmware.tables.extend(Firmware::open(path).unwrap().tables);
    }
    Witnesses { firmware, memory_map: Some(ram_of_2_gib()), ..Witnesses::default() }
}

fn code(account: &nearfar_diagnose::SourceVerdict) -> Option<&str> {
    account.cause.as_ref().map(|cause| cause.code.as_str())
}

/// The case's SRAT with the log of a kernel that booted with it.
fn oracle(folder: &Path, case: &str) -> Diagnosis {
    let log = std::fs::read_to_string(folder.join("linux-6.1.192-injected-SRAT.log")).unwrap();
    let log = section(&log, case).unwrap_or_else(|| panic!("no log of {case}"));
    let log = format!("Linux version 6.1.192 (oracle)\n{log}");
    let mut witnesses = tables(&[&folder.join(case)]);
    witnesses.log = KernelLog::parse(log.as_bytes());
    diagnose(&witnesses)
}

#[test]
fn tables_predict_the_oracle_log() {
    let Some(folder) = corpus().map(|corpus| corpus.join("oracle")) else { return };
    for (case, wanted, verdict) in [
        ("srat_overlap", "nodes-overlap", DiagnosisVerdict::RefusedByKernel),
        ("srat_nocover", "ram-not-covered", DiagnosisVerdict::RefusedByKernel),
        ("srat_nomem", "srat-no-memory", DiagnosisVerdict::WithheldByFirmware),
        ("srat_manypxm", "too-many-domains", DiagnosisVerdict::RefusedByKernel),
        ("srat_shortmem", "srat-memory-entry-length", DiagnosisVerdict::RefusedByKernel),
        ("srat_single", "one-domain", DiagnosisVerdict::Uniform),
    ] {
        let diagnosis = oracle(&folder, case);
        assert_eq!(code(&diagnosis.predicted), Some(wanted), "{case}: {diagnosis:#?}");
        assert_eq!(code(&diagnosis.observed), Some(wanted), "{case}: {diagnosis:#?}");
        assert_eq!(
            diagnosis.cause.as_ref().map(|cause| cause.code.as_str()),
            Some(wanted),
            "{case}"
        );
        assert_eq!((diagnosis.predicted.verdict, diagnosis.verdict), (verdict, verdict), "{case}");
    }
}

#[test]
fn silently_accepted_faults_are_doubted() {
    let Some(folder) = corpus().map(|corpus| corpus.join("oracle")) else { return };
    for (case, wanted) in [
        ("srat_memless", "cpu-only-node"),
        ("srat_cpuless", "memory-only-node"),
        ("srat_rev1_hi", "srat-domain-cut"),
        ("srat_badsum", "bad-checksum"),
        ("srat_gi_disabled_first", "initiator-disabled-first"),
    ] {
        let diagnosis = diagnose(&tables(&[&folder.join(case)]));
        assert_eq!(
            diagnosis.verdict,
            DiagnosisVerdict::VisibleButDoubtful,
            "{case}: {diagnosis:#?}"
        );
        assert!(
            diagnosis.findings.iter().any(|finding| finding.code == wanted),
            "{case}: {diagnosis:#?}"
        );
    }
    for (case, wanted) in [
        ("slit_diag", "slit-invalid"),
        ("slit_all10", "slit-invalid"),
        ("slit_20", "slit-default"),
        ("slit_ff", "slit-unreachable"),
        ("slit_asym", "slit-asymmetric"),
    ] {
        let diagnosis = diagnose(&tables(&[&folder.join("srat_two"), &folder.join(case)]));
        assert_eq!(
            diagnosis.verdict,
            DiagnosisVerdict::VisibleButDoubtful,
            "{case}: {diagnosis:#?}"
        );
        assert!(
            diagnosis.findings.iter().any(|finding| finding.code == wanted),
            "{case}: {diagnosis:#?}"
        );
    }
    let diagnosis = diagnose(&tables(&[&folder.join("srat_two"), &folder.join("slit_ok")]));
    assert_eq!(diagnosis.verdict, DiagnosisVerdict::Visible, "{diagnosis:#?}");
}

#[test]
fn a_slit_alone_proves_no_missing_srat() {
    let Some(folder) = corpus().map(|corpus| corpus.join("oracle")) else { return };
    let diagnosis = diagnose(&tables(&[&folder.join("slit_ok")]));
    assert_eq!((diagnosis.verdict, diagnosis.cause), (DiagnosisVerdict::Unknown, None));
    assert_eq!(
        diagnosis.reason,
        Some(DiagnosisReason::Undecided { nodes: 0, question: OpenQuestion::NoSratNoMadt })
    );
}

#[test]
fn shown_nodes_are_not_one_node() {
    let Some(folder) = corpus().map(|corpus| corpus.join("oracle")) else { return };
    for case in
        ["srat_two", "srat_memless", "srat_cpuless", "srat_sparse", "srat_badsum", "srat_rev1_hi"]
    {
        let diagnosis = oracle(&folder, case);
        // Its PCI bus has no node, and its virtual caches span two nodes.
        assert_eq!(
            diagnosis.verdict,
            DiagnosisVerdict::VisibleButDoubtful,
            "{case}: {diagnosis:#?}"
        );
        assert_eq!(diagnosis.observed.verdict, diagnosis.verdict, "{case}: {diagnosis:#?}");
        assert_eq!(diagnosis.predicted.nodes, Some(2), "{case}");
    }
}

#[test]
fn every_machine_and_every_table_gets_a_verdict() {
    let Some(corpus) = corpus() else { return };
    let mut diagnosed = 0;
    for path in files_below(&corpus.join("acpi")) {
        match firmware_tables::open(&path) {
            Ok(firmware) => drop(diagnose(&Witnesses::for_tables(firmware, KernelLog::default()))),
            Err(FirmwareError::NotFirmware { .. }) => continue,
            Err(error) => panic!("{error}"),
        }
        diagnosed += 1;
    }
    for machine in std::fs::read_dir(corpus.join("acpi/linuxhw")).unwrap() {
        let path = machine.unwrap().path();
        let diagnosis = diagnose(&Witnesses::for_tables(
            firmware_tables::open(&path).unwrap(),
            KernelLog::default(),
        ));
        // These tables have neither model nor packages nor a mobile profile.
        let is_open = diagnosis.verdict == DiagnosisVerdict::Unknown;
        assert_eq!(is_open, !path.join("srat.dat").exists(), "{}: {diagnosis:#?}", path.display());
        diagnosed += 1;
    }
    assert!(diagnosed > 100, "{diagnosed} tables and machines");
}

#[test]
fn captured_machines_get_a_verdict() {
    let Some(corpus) = corpus() else { return };
    let mut captured = 0;
    for path in files_below(&corpus.join("sysfs")) {
        let Ok(source) = nearfar_machine::Source::open(&path) else { continue };
        let diagnosis = diagnose(&Witnesses::read(&source));
        assert!(diagnosis.witnesses.len() == 5, "{}", path.display());
        captured += 1;
    }
    assert!(captured > 25, "{captured} machines");
}
