//! Diagnoses of handmade machines: on the screen, and as a letter.

use nearfar_diagnose::text::{support_report, text};
use nearfar_diagnose::{Witnesses, diagnose};
use nearfar_firmware::Firmware;
use nearfar_firmware::linux::KernelLog;
use nearfar_machine::{Source, firmware_tables};
use proptest::prelude::*;

use crate::arbitrary_machines;
use crate::corpus_folder::{corpus, files_below};
use crate::handmade::machine::{GIB, Machine, memory, slit, srat, table, two_domains};

const NODE: &str = "/sys/devices/system/node";
const FAKED: &str =
    "[    0.0] No NUMA configuration found\n[    0.0] Faking a node at [mem 0x0-0x7fffffff]\n";

/// The screen, without line breaks and bold.
fn screen(witnesses: &Witnesses) -> String {
    text(&diagnose(witnesses)).plain().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sent(files: &[(&str, Vec<u8>)], log: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let firmware = Firmware::open(folder.path()).unwrap();
    screen(&Witnesses::for_tables(firmware, KernelLog::parse(log.as_bytes())))
}

fn assert_contains(screen: &str, expected: &[&str]) {
    for text in expected {
        assert!(screen.contains(text), "{text} is missing: {screen}");
    }
}

#[test]
fn withheld_nodes_come_with_the_vendors_settings() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.log(FAKED);
    assert_contains(
        &screen(&machine.witnesses()),
        &[
            "no SRAT: firmware withholds the nodes of a machine with 2 packages, each with its \
             own memory.",
            "In the setup of this Dell machine: Node Interleaving: Disabled.",
            "no SRAT among 1 table: DSDT",
            "one node (0) with all CPUs and all memory; 1 GiB of memory",
        ],
    );
    let mut machine = Machine::new(1, &["0-3"]);
    machine.model("AMD EPYC 7451 24-Core Processor", false);
    machine.table("SRAT", srat(&[memory(0, 0, 2 * GIB)]));
    machine.log("[    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n");
    assert_contains(
        &screen(&machine.witnesses()),
        &["1 package of 4 dies, each with its own memory.", "Die Interleaving"],
    );
    let mut machine = Machine::new(1, &["0-3"]);
    machine.model("QEMU Virtual CPU version 2.5+", true);
    machine.log(FAKED);
    assert_contains(
        &screen(&machine.witnesses()),
        &[
            "no SRAT: a virtual machine without vNUMA.",
            "On the host: give the machine virtual nodes",
        ],
    );
}

#[test]
fn open_questions_are_listed() {
    let mut machine = Machine::new(2, &["0-1", "2-3"]);
    machine.file(&format!("{NODE}/online"), "0");
    machine.log("[    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x3fffffff]\n");
    assert_contains(
        &screen(&machine.witnesses()),
        &[
            "One node is online, and it is not the whole machine: CPUs 2-3 are online but not \
             in node 0.",
            "one node (0) with 2 of 4 CPUs and 1 GiB of the machine's 2 GiB of memory; offline: 1",
        ],
    );
    let log = "[    0.0] Linux version 6.1.0 (x)\n[    0.1] No NUMA configuration found\n";
    assert_contains(
        &sent(&[("srat.dat", srat(&two_domains()))], log),
        &[
            "They may come from different boots or machines.",
            "The tables define 2 nodes by the kernel's rules, but its log found none.",
        ],
    );
    let madt = || {
        (
            "apic.dat",
            table(
                "APIC",
                4,
                &[0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 1, 0, 0, 0, 0, 8, 1, 1, 1, 0, 0, 0],
            ),
        )
    };
    assert_contains(
        &sent(&[madt()], ""),
        &[
            "Firmware lists no nodes, which may be right: its CPU model and its number of packages \
             are unknown",
            "No action, unless this machine has several packages",
        ],
    );
    assert_contains(
        &sent(&[madt(), ("table17.dat", Vec::new())], ""),
        &["table17.dat may be the SRAT, but could not be read"],
    );
}

#[test]
fn the_letter_has_evidence_and_no_private_data() {
    let mut machine = Machine::new(2, &["0-3"]);
    let mut entries = two_domains();
    entries[4] = memory(0, 0, GIB + (GIB >> 2));
    machine.table("SRAT", srat(&entries));
    machine.file("/proc/cmdline", "ro root=UUID=5e1f-secret hostname=mine");
    machine.file("/proc/version", "Linux version 6.1.0-28\u{1b}[2J\u{202e} (x)");
    machine.log(
        "Oct  1 10:00:00 my-host kernel: node 0 [mem 0x00000000-0x4fffffff] overlaps with node 1 \
         [mem 0x40000000-0x7fffffff]\n",
    );
    let witnesses = machine.witnesses();
    let letter = support_report(&diagnose(&witnesses), &witnesses);
    for expected in [
        "Dell Inc. Precision T5810",
        "E5-2620",
        "SRAT",
        "offset 112",
        "01 28 00",
        "BYHAND",
        "Linux 6.1.0-28",
    ] {
        assert!(letter.contains(expected), "{expected} is missing:\n{letter}");
    }
    for private in ["secret", "hostname", "my-host", "root="] {
        assert!(!letter.contains(private), "{private} is in it:\n{letter}");
    }
    assert!(letter.lines().all(|line| line.chars().count() <= 100), "{letter}");
    assert!(
        !letter.contains(|c: char| c != '\n' && c.is_control() || c == '\u{202e}'),
        "{letter:?}"
    );
}

#[test]
fn a_letter_about_numa_off_asks_for_nothing() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.table("SRAT", srat(&two_domains()));
    machine.file("/proc/cmdline", "ro numa=off");
    let witnesses = machine.witnesses();
    let letter = support_report(&diagnose(&witnesses), &witnesses);
    assert!(letter.starts_with("Subject: How NUMA is presented"), "{letter}");
    assert!(letter.contains("Nothing: the kernel's own command line turns NUMA off."), "{letter}");
}

/// Whether the verdict has a sentence and the letter a subject.
fn has_texts(witnesses: &Witnesses) -> bool {
    let diagnosis = diagnose(witnesses);
    let sentence = text(&diagnosis).first.lines().nth(1).is_some_and(|line| line.len() > 20);
    sentence && support_report(&diagnosis, witnesses).starts_with("Subject: ")
}

proptest! {
    #[test]
    fn every_machine_has_a_sentence_and_a_letter(witnesses in arbitrary_machines::witnesses()) {
        prop_assert!(has_texts(&witnesses));
    }
}

#[test]
fn captured_machines_have_a_sentence_and_a_letter() {
    let Some(corpus) = corpus() else { return };
    for path in std::fs::read_dir(corpus.join("acpi/linuxhw"))
        .unwrap()
        .map(|machine| machine.unwrap().path())
    {
        let firmware = firmware_tables::open(&path).unwrap();
        assert!(
            has_texts(&Witnesses::for_tables(firmware, KernelLog::default())),
            "{}",
            path.display()
        );
    }
    for path in files_below(&corpus.join("sysfs")) {
        let Ok(source) = Source::open(&path) else { continue };
        assert!(has_texts(&Witnesses::read(&source)), "{}", path.display());
    }
}

#[test]
fn a_slit_and_a_hmat_alone_are_rejected() {
    let rejected = sent(&[("slit.dat", slit(&[&[11, 21], &[21, 10]]))], "");
    assert!(rejected.starts_with("NUMA: undetermined These files hold neither"), "{rejected}");
    assert_contains(
        &rejected,
        &["Linux rejects the SLIT: entry 0,0 is 11, not 10. [error, slit-invalid]"],
    );
    assert!(!rejected.contains("agree") && !rejected.contains("uses the table"), "{rejected}");
    let mut hmat = table("HMAT", 0, &[0; 4]);
    hmat[9] ^= 1;
    assert_contains(
        &sent(&[("hmat.dat", hmat)], ""),
        &[
            "Linux ignores the HMAT: its revision is 0, not 1 or 2.",
            "The checksum of the HMAT is wrong, which Linux does not check.",
            "nearfar diagnose --support-report > report.txt # the evidence",
        ],
    );
    let good = sent(&[("slit.dat", slit(&[&[10, 21], &[21, 10]]))], "");
    assert!(!good.contains("rejects"), "{good}");
}

/// A machine without any table: two nodes with CPUs, and what is added.
fn without_tables(files: &[(&str, &str)]) -> Witnesses {
    let base = [
        ("/sys/devices/system/cpu/online", "0-3"),
        ("/sys/devices/system/node/node0/cpulist", "0-1"),
        ("/sys/devices/system/node/node1/cpulist", "2-3"),
    ];
    let all = base.iter().chain(files);
    Witnesses::read(&Source::from_files(all.map(|(path, text)| (*path, *text))))
}

#[test]
fn distances_of_20_are_no_defect_where_no_table_was_read() {
    let distances = [
        ("/sys/devices/system/node/node0/distance", "10 20"),
        ("/sys/devices/system/node/node1/distance", "20 10"),
    ];
    let unread = screen(&without_tables(&distances));
    assert_contains(
        &unread,
        &[
            "NUMA: visible (certain)",
            "All distances between nodes are 20. Whether the SLIT has them or the kernel assumes \
             them is unknown. [note, slit-default]",
            "From firmware tables: unknown: no firmware table was read.",
            "No kernel log was read.",
        ],
    );
    assert!(!unread.contains("defect") && !unread.contains("Not certain"), "{unread}");
}

#[test]
fn nodes_without_cpus_or_memory_are_named_together() {
    let meminfo = |node: u32, kib: u32| format!("Node {node} MemTotal: {kib} kB");
    let (zero, one, two) = (meminfo(0, 0), meminfo(1, 0), meminfo(2, 1 << 20));
    let unknown = [("/sys/devices/system/node/node2/cpulist", "")];
    let text = screen(&without_tables(&unknown));
    assert!(!text.contains("memory and no CPUs"), "its memory is unknown: {text}");
    let apart = [
        ("/sys/devices/system/node/node2/cpulist", ""),
        ("/sys/devices/system/node/node0/meminfo", zero.as_str()),
        ("/sys/devices/system/node/node1/meminfo", &one),
        ("/sys/devices/system/node/node2/meminfo", &two),
    ];
    let text = screen(&without_tables(&apart));
    let expected = "Nodes 0-1 have CPUs and no memory; all memory is in node 2. [note,";
    assert_contains(&text, &[expected, "NUMA: visible (certain)"]);
    assert!(!text.contains("Put modules"), "{text}");
    let (local, empty) = (meminfo(0, 1 << 20), meminfo(1, 0));
    let missing = [
        ("/sys/devices/system/node/node0/meminfo", local.as_str()),
        ("/sys/devices/system/node/node1/meminfo", &empty),
    ];
    let expected = "Node 1 has CPUs and no memory; all memory is in node 0. [warning,";
    assert_contains(&screen(&without_tables(&missing)), &[expected, "Put modules"]);
}

/// The numbers of advice are those of findings; vendors have a line each, once.
#[test]
fn advice_names_its_finding_and_is_printed_once() {
    let mut machine = Machine::new(2, &["0-3"]);
    machine.file("/sys/class/dmi/id/sys_vendor", "Example");
    machine.file("/sys/class/dmi/id/product_name", "Board");
    machine.model("AMD EPYC 7763 64-Core Processor", false);
    machine.table("SRAT", srat(&[memory(0, 0, 2 * GIB)]));
    machine.log("[    0.0] ACPI: SRAT: Node 0 PXM 0 [mem 0x00000000-0x7fffffff]\n");
    let shown = text(&diagnose(&machine.witnesses())).plain();
    assert_eq!(shown.matches("Lenovo").count(), 1, "{shown}");
    let lines: Vec<&str> = shown.lines().map(str::trim_start).collect();
    for start in ["- Dell: ", "- HPE: ", "- Lenovo, Cisco: ", "- others: AMD CBS"] {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}: {shown}");
    }
    assert!(!shown.contains("newer BIOS"), "{shown}");
}
