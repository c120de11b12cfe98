//! The kinds of messages that a capture keeps are those that rules read.

use std::fs;
use std::path::Path;

use nearfar_firmware::linux::{KernelLog, LogEventKind};

/// A message of each kind without a code.
const MESSAGES: [&str; 27] = [
    "Linux version 6.1.0 (x)",
    "Command line: numa=off",
    "Hypervisor detected: KVM",
    "Booting paravirtualized kernel on KVM",
    "BIOS-e820: [mem 0x0-0xfff] usable",
    "ACPI: SRAT 0x7FFE2650 0000C0 (v03 NUMLAB SYNTH 00000001 NLAB 00000001)",
    "SRAT: Node 1 PXM 1 [mem 0x0-0xfff]",
    "SRAT: PXM 3 -> APIC 0x0102 -> Node 1",
    "  node   1: [mem 0x0-0xfff]",
    "Faking a node at [mem 0x0-0xfff]",
    "NUMA: Failed to initialise from firmware",
    "Faking node 2 at [mem 0x0-0xfff] (4MB)",
    "NUMA: Node 0 [mem 0x0-0xfff] + [mem 0x1000-0x1fff] -> [mem 0x0-0x1fff]",
    "NUMA: Initialized distance table, cnt=2",
    "NUMA: Warning: invalid distance parameter",
    "acpi/hmat: Memory Flags:0003 Processor Domain:1 Memory Domain:0",
    "acpi/hmat: Locality: Flags:00 Type:Read Latency Initiator Domains:2 Target Domains:3 Base:100",
    "acpi/hmat:   Initiator-Target[1-0]:13560 nsec",
    "acpi/hmat: Cache: Domain:0 Size:4096",
    "pci_bus 0000:80: on NUMA node 1",
    "ACPI: PCI Root Bridge [PC07] (domain 0000 [bus 85-ad])",
    "acpi PNP0A03:03: [Firmware Bug]: no _PXM; falling back to node 7 from hardware",
    "pci 0000:21:00.0: [Firmware Bug]: Overriding NUMA node to 0",
    "OF: NUMA: parsing numa-distance-map-v1",
    "b invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
    "Node 0 Normal free:1000kB boost:0kB min:2000kB low:2500kB high:3000kB managed:99kB",
    "oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=0,cpuset=/,mems_allowed=0-1,global_oom,\
     task_memcg=/a,task=b,pid=7,uid=0",
];
/// Kinds that are compared as text alone: with the messages of predicted causes.
const BY_TEXT: [&str; 1] = ["DistanceIgnored"];

/// The sources of all rules: all but those of the log's reader, and tests.
fn rules(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !matches!(name.as_str(), "tests" | "benches" | "log" | "fuzz") {
            rules(&path, text);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

fn name(kind: &LogEventKind) -> String {
    format!("{kind:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
}

#[test]
fn kinds_are_kept_if_a_rule_reads_them() {
    let mut text = String::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    rules(&crates, &mut text);
    // A rule that stands beside the reader, for others than diagnose.
    text += &fs::read_to_string(crates.join("firmware/src/linux/log/node_kill.rs")).unwrap();
    for message in MESSAGES {
        let log = KernelLog::parse(message.as_bytes());
        let kind = &log.events.first().unwrap_or_else(|| panic!("{message}")).kind;
        assert_eq!(kind.code(), None, "{message}: kinds with a code are findings");
        let name = name(kind);
        let is_named = text.contains(&format!("LogEventKind::{name}"))
            || name == "CommandLine"
            || name == "LinuxVersion";
        let is_read = is_named || BY_TEXT.contains(&name.as_str());
        assert_eq!(kind.is_read(), is_read, "{name}");
    }
}
