//! Logs of several kernels in one file, and such that end too early.

use nearfar_diagnose::{Diagnosis, DiagnosisVerdict, Witnesses, diagnose};

/// The log below the line "=== NAME".
pub(crate) fn section<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("=== {name}\n"))? + name.len() + 5;
    let rest = &text[start..];
    Some(&rest[..rest.find("\n=== ").map_or(rest.len(), |end| end + 1)])
}

/// What the kernel made of the tables comes after it read them.
#[test]
fn a_log_that_ends_in_the_tables_shows_no_nodes() {
    let entries = "[    0.000000] Linux version 5.4.0-90-generic (x@y)\n\
                   [    0.000000] SRAT: PXM 0 -> APIC 0x00 -> Node 0\n";
    let second = "[    0.000000] SRAT: PXM 1 -> APIC 0x10 -> Node 1\n";
    let cut = "[    0.000000] ACPI: S";
    let both = format!("{entries}{second}");
    let line = "[    0.000000] ACPI: SRAT: Node 0 PXM 0 [mem 0x";
    let ends = [cut, line, "[    0.0", ""].map(|end| format!("{both}{end}"));
    for text in ends.into_iter().chain([format!("{entries}{cut}")]) {
        let found = of_sent(&text);
        assert_eq!(found.verdict, DiagnosisVerdict::Unknown, "{text}: {found:#?}");
        let off = text.replacen('\n', "\n[    0.000000] Command line: ro numa=off\n", 1);
        let found = of_sent(&off);
        assert_eq!(found.verdict, DiagnosisVerdict::TurnedOff, "{off}: {found:#?}");
        let codes: Vec<&str> = found.findings.iter().map(|one| one.code.as_str()).collect();
        assert_eq!(codes, ["numa-off"], "{off}");
    }
    let later = "[    0.000000] Zone ranges:\n[    0.000000]   DMA [mem 0x1000-0xffffff]\n";
    for later in [later, "[    0.000000] NUMA: NODE_DATA [mem 0x83fffffe300-0x83fffffffff]\n"] {
        let found = of_sent(&format!("{both}{later}"));
        assert_eq!(found.verdict, DiagnosisVerdict::Visible, "{later}: {found:#?}");
    }
    let excerpt = both.replacen("[    0.000000] Linux version 5.4.0-90-generic (x@y)\n", "", 1);
    assert_eq!(of_sent(&excerpt).verdict, DiagnosisVerdict::Visible, "no boot begins in it");
}

fn of_sent(text: &str) -> Diagnosis {
    diagnose(&Witnesses::read(&nearfar_machine::sent::parse(text.as_bytes()).unwrap().source))
}
