//! What is written to a vendor's support.

use nearfar_diagnose::{diagnose, letter};

use super::machine::{GIB, Machine, memory, srat, two_domains};

#[test]
fn the_letter_holds_the_evidence_and_nothing_private() {
    let mut machine = Machine::new(2, &["0-3"]);
    let mut entries = two_domains();
    entries[4] = memory(0, 0, GIB + (GIB >> 2));
    machine.table("SRAT", srat(&entries));
    machine.file("/proc/cmdline", "ro root=UUID=5e1f-secret hostname=mine");
    machine.file("/proc/version", "Linux version 6.1.0-28\u{1b}[2J\u{202e} (x)");
    machine.log("Oct  1 10:00:00 my-host kernel: node 0 [mem 0x00000000-0x4fffffff] overlaps with node 1 [mem 0x40000000-0x7fffffff]\n");
    let witnesses = machine.witnesses();
    let letter = letter(&diagnose(&witnesses), &witnesses);
    for wanted in ["Dell Inc. Precision T5810", "E5-2620", "SRAT", "offset 112", "01 28 00", "BYHAND", "Linux 6.1.0-28"]
    {
        assert!(letter.contains(wanted), "{wanted} is missing:\n{letter}");
    }
    for private in ["secret", "hostname", "my-host", "root="] {
        assert!(!letter.contains(private), "{private} is told:\n{letter}");
    }
    assert!(letter.lines().all(|line| line.chars().count() <= 100), "{letter}");
    assert!(!letter.contains(|c: char| c != '\n' && c.is_control() || c == '\u{202e}'), "{letter:?}");
}

#[test]
fn a_letter_accuses_no_vendor_of_what_the_command_line_did() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.table("SRAT", srat(&two_domains()));
    machine.file("/proc/cmdline", "ro numa=off");
    let witnesses = machine.witnesses();
    let letter = letter(&diagnose(&witnesses), &witnesses);
    assert!(letter.starts_with("Subject: How NUMA is presented"), "{letter}");
    assert!(letter.contains("Nothing: the kernel's own command line turns NUMA off."), "{letter}");
}
