//! Tables of real machines with the log of Linux 6.1: the diagnosis of the tables alone agrees with
//! the log.

use nearfar_diagnose::{
    Diagnosis, DiagnosisFinding, DiagnosisVerdict, Witnesses, diagnose, performance,
};
use nearfar_firmware::Firmware;
use nearfar_firmware::linux::{KernelLog, MemoryMap};

use crate::corpus_folder::corpus;
use crate::kernel_logs::section;
use crate::machine_tables::remade;

/// The tables of that name, with the kernel's log or without.
fn witnesses(name: &str, log: &str) -> Witnesses {
    let folder = tempfile::tempdir().unwrap();
    for (number, table) in remade(name).into_iter().enumerate() {
        std::fs::write(folder.path().join(format!("table-{number}")), table).unwrap();
    }
    // RAM of the guests that logged them: 2 GiB. The H8DGU's table is of a larger board.
    let guests = MemoryMap::from_ram(&[(0, 0x9_fbff), (0x10_0000, 0x7ffd_ffff)]);
    let memory_map = Some(guests).filter(|_| name != "H8DGU");
    let firmware = Firmware::open(folder.path()).unwrap();
    let log = KernelLog::parse(log.as_bytes());
    Witnesses { firmware, memory_map, log, ..Witnesses::default() }
}

/// The diagnoses of the tables alone, and with the log; none without the corpus.
fn both(name: &str) -> Option<[Diagnosis; 2]> {
    let corpus = corpus()?;
    let logs =
        std::fs::read_to_string(corpus.join("oracle/linux-6.1.192-real-tables.log")).unwrap();
    let log = section(&logs, name).unwrap_or_else(|| panic!("no log of {name}"));
    let log = format!("Linux version 6.1.192 (oracle)\n{log}");
    Some(["", &log].map(|log| diagnose(&witnesses(name, log))))
}

fn finding<'d>(diagnosis: &'d Diagnosis, code: &str) -> &'d DiagnosisFinding {
    let found = diagnosis.findings.iter().find(|finding| finding.code == code);
    found.unwrap_or_else(|| panic!("no {code}: {diagnosis:#?}"))
}

fn codes(diagnosis: &Diagnosis) -> impl Iterator<Item = &str> {
    diagnosis.findings.iter().map(|finding| finding.code.as_str())
}

fn quotes(finding: &DiagnosisFinding, words: &str) -> bool {
    finding.evidence.iter().any(|one| one.source == "kernel log" && one.excerpt.contains(words))
}

#[test]
fn dell_5810_has_a_zero_length_entry() {
    let Some([tables, logged]) = both("Dell5810") else { return };
    for diagnosis in [&tables, &logged] {
        assert_eq!(diagnosis.verdict, DiagnosisVerdict::RefusedByKernel, "{diagnosis:#?}");
        let cause = diagnosis.cause.as_ref().unwrap();
        assert_eq!(
            (cause.code.as_str(), cause.table.as_deref(), cause.offset),
            ("srat-zero-length-entry", Some("SRAT"), Some(48))
        );
    }
    assert!(
        quotes(finding(&logged, "srat-zero-length-entry"), "[SRAT:0x00] Invalid zero length"),
        "{logged:#?}"
    );
}

#[test]
fn sapphire_rapids_hmat_has_an_unknown_domain() {
    let Some([tables, logged]) = both("hmat_spr") else { return };
    assert_eq!(tables.verdict, DiagnosisVerdict::VisibleButDoubtful, "{tables:#?}");
    assert!(!finding(&tables, "hmat-unknown-domain").evidence.is_empty());
    assert!(
        quotes(finding(&logged, "hmat-unknown-domain"), "acpi/hmat: Ignoring: Invalid table"),
        "{logged:#?}"
    );
    // The kernel rejects the whole table, and so do the claims.
    assert_eq!(performance(&witnesses("hmat_spr", "")), None);
}

#[test]
fn supermicro_hmat_uses_the_kernel_units() {
    let Some([tables, logged]) = both("hmat_smc_rev1") else { return };
    for diagnosis in [&tables, &logged] {
        assert_eq!(diagnosis.predicted.nodes, Some(2), "{diagnosis:#?}");
        finding(diagnosis, "hmat-revision-1-units");
    }
    let claimed = performance(&witnesses("hmat_smc_rev1", "")).unwrap();
    // "Initiator-Target[0-1]:13560 nsec" and "..:1790 MB/s" in the log.
    let cells = claimed.cells.iter().map(|cell| {
        (cell.initiator.0, cell.target.0, cell.read_latency_ns, cell.read_bandwidth_bytes_per_s)
    });
    let [near, far] = [7600, 13_560].map(Some);
    let bandwidth = Some(1_790_000_000);
    assert!(cells.eq([
        (0, 0, near, bandwidth),
        (0, 1, far, bandwidth),
        (1, 0, far, bandwidth),
        (1, 1, near, bandwidth)
    ]));
}

#[test]
fn accepted_tables_have_no_findings() {
    // The first has no SLIT: it was not sent, which is no fault of its tables.
    for name in ["cedt_intel", "bl870_slit"] {
        let Some([tables, logged]) = both(name) else { return };
        assert_eq!(tables.predicted.nodes, Some(2), "{name}: {tables:#?}");
        assert_eq!(codes(&tables).count(), 0, "{name}: {tables:#?}");
        // The guest's caches span its nodes, and its PCI bus has no node: no fault of the tables.
        let guests = ["siblings-on-two-nodes", "pci-without-node"];
        assert!(codes(&logged).all(|code| guests.contains(&code)), "{name}: {logged:#?}");
    }
}

#[test]
fn h8dgu_memory_is_in_two_of_four_domains() {
    let Some([tables, _]) = both("H8DGU") else { return };
    assert_eq!(tables.verdict, DiagnosisVerdict::VisibleButDoubtful, "{tables:#?}");
    let excerpts: Vec<&str> =
        finding(&tables, "cpu-only-node").evidence.iter().map(|one| one.excerpt.as_str()).collect();
    assert_eq!(excerpts, ["nodes 1-2 have CPUs and no memory"]);
}
