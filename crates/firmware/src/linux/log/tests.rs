use nearfar_model::{CpuId, NodeId, ProximityDomain};
use proptest::prelude::*;

use super::builder::MAX_EVENTS;
use super::*;
use crate::linux::MemoryKind;

fn only(text: &str) -> LogEventKind {
    let log = KernelLog::parse(text.as_bytes());
    assert_eq!(log.events.len(), 1, "{text}");
    log.events[0].kind.clone()
}

#[test]
fn boot_messages_are_recognised() {
    let log = KernelLog::parse(
        b"[    0.000000] Linux version 6.1.0-28-amd64 (debian-kernel@lists.debian.org) (gcc-12)\n\
          [    0.000000] Command line: BOOT_IMAGE=/vmlinuz ro numa=off\n\
          [    0.000000] BIOS-e820: [mem 0x0000000000100000-0x000000007ffdffff] usable\n\
          [    0.000000] something else\n\
          [    0.000000] Hypervisor detected: KVM\n",
    );
    assert_eq!(
        (log.release(), log.command_line()),
        (Some("6.1.0-28-amd64"), Some("BOOT_IMAGE=/vmlinuz ro numa=off"))
    );
    assert_eq!((log.lines, log.boots, log.events[3].line), (5, 1, 5));
    let kind = MemoryKind::Ram;
    assert_eq!(
        log.events[2].kind,
        LogEventKind::MemoryRange { first: 0x10_0000, last: 0x7ffd_ffff, kind, efi: false }
    );
}

#[test]
fn efi_map_has_reserved_ranges() {
    let plain = "efi: mem03: [Conventional Memory|   |  |  |  |  |  |  |  |   |WB|WT|WC|UC] \
                 range=[0x0000000040000000-0x000000007fffffff] (1024MB)";
    let special = plain.replace("|   |  |  |", "|   |SP|  |");
    let kind = |text: &str| match only(text) {
        LogEventKind::MemoryRange { kind, efi: true, .. } => kind,
        other => panic!("{other:?}"),
    };
    assert_eq!((kind(plain), kind(&special)), (MemoryKind::Ram, MemoryKind::SpecialPurpose));
}

#[test]
fn tables_are_listed_with_their_vendors() {
    let kind =
        only("ACPI: HMAT 0x000000007FFE250C 0001F8 (v01 SUPERM SMCI--MB 00000001 INTL 20091013)");
    let maker = "SUPERM SMCI--MB 00000001 INTL 20091013".to_owned();
    let signature = "HMAT".to_owned();
    assert_eq!(
        kind,
        LogEventKind::Table {
            signature,
            address: 0x7ffe_250c,
            length_bytes: 0x1f8,
            revision: 1,
            maker
        }
    );
}

#[test]
fn srat_messages_are_parsed() {
    let (node, domain) = (NodeId(1), ProximityDomain(3));
    assert_eq!(
        only("ACPI: SRAT: Node 1 PXM 3 [mem 0x40000000-0x7fffffff] hotplug"),
        LogEventKind::MemoryAffinity {
            node,
            domain,
            first: 0x4000_0000,
            last: 0x7fff_ffff,
            hot_pluggable: true,
            non_volatile: false
        }
    );
    let cpu = LogEventKind::CpuAffinity { domain, hardware_id: 0x102, node };
    assert_eq!(only("SRAT: PXM 3 -> APIC 0x0102 -> Node 1"), cpu);
    assert_eq!(only("ACPI: NUMA: SRAT: PXM 3 -> MPIDR 0x102 -> Node 1"), cpu);
}

#[test]
fn each_rejection_has_its_code() {
    for (text, code) in [
        ("No NUMA configuration found", "no-numa-configuration"),
        ("NUMA: No NUMA configuration found", "no-numa-configuration"),
        ("NUMA turned off", "numa-off"),
        ("NUMA: NUMA disabled", "numa-off"),
        ("ACPI: SRAT: SRAT not used.", "srat-not-used"),
        ("SRAT: SRAT not used.", "srat-not-used"),
        ("ACPI: SRAT: Unexpected header length: 32", "srat-memory-entry-length"),
        ("ACPI: NUMA: SRAT: Invalid SRAT header length: 17", "srat-cpu-entry-length"),
        ("SRAT: Too many proximity domains 1388", "too-many-domains"),
        ("too many memblk ranges", "too-many-ranges"),
        (
            "ACPI: SRAT: Failed to add memblk to node 4 [mem 0x00000000-0x3fffffff]",
            "too-many-ranges",
        ),
        ("ACPI: [SRAT:0x01] Invalid zero length", "srat-zero-length-entry"),
        ("NUMA: nodes only cover 1535MB of your 2047MB e820 RAM. Not used.", "ram-not-covered"),
        ("NUMA: no nodes coverage for 512MB of 2047MB RAM", "ram-not-covered"),
        (
            "NUMA: Warning: invalid memblk node 16 [mem 0x0000000040000000-0x000000007fffffff]",
            "ram-not-covered",
        ),
        ("Node alignment 64MB < min 128MB, rejecting NUMA config", "node-alignment"),
        ("Node 1 using interleaving mode 1/0", "node-interleaving"),
        ("OF: NUMA: Invalid distance[node0 -> node1] = 10", "tree-distance-invalid"),
        ("OF: NUMA: bad property in memory node", "tree-property-invalid"),
    ] {
        let kind = only(text);
        assert_eq!(kind.code(), Some(code), "{text}");
        let turns_off = matches!(kind, LogEventKind::NothingFound | LogEventKind::TurnedOff);
        assert_eq!(kind.refuses(), !turns_off, "{text}");
    }
}

#[test]
fn other_faults_do_not_reject_nodes() {
    for (text, code) in [
        ("ACPI: SLIT table looks invalid. Not used.", "slit-invalid"),
        ("acpi/hmat: Ignoring: Invalid table", "hmat-invalid"),
        ("acpi/hmat: Ignoring: Unknown revision:3", "hmat-revision"),
        ("acpi/hmat: Unexpected locality header length: 8", "hmat-structure-length"),
        ("ACPI: [HMAT:0x00] Invalid zero length", "hmat-zero-length-entry"),
        ("ACPI: CFMWS: [BIOS BUG] base/size alignment violates spec", "cfmws-alignment"),
        ("pci_bus 0000:00: Unknown NUMA node; performance will be reduced", "pci-without-node"),
        (
            "Warning: node 0 [mem 0x0-0x1fff] overlaps with itself [mem 0x1000-0x2fff]",
            "node-overlaps-itself",
        ),
    ] {
        let kind = only(text);
        assert_eq!((kind.code(), kind.refuses()), (Some(code), false), "{text}");
    }
}

#[test]
fn values_of_messages_are_parsed() {
    assert_eq!(
        only("node 0 [mem 0x00000000-0x4fffffff] overlaps with node 1 [mem 0x40000000-0x7ffdffff]"),
        LogEventKind::Overlap {
            node: NodeId(0),
            first: 0,
            last: 0x4fff_ffff,
            other: NodeId(1),
            other_first: 0x4000_0000,
            other_last: 0x7ffd_ffff
        }
    );
    assert_eq!(
        only(
            "sched: CPU #2's llc-sibling CPU #0 is not on the same node! [node: 1 != 0]. Ignoring \
             dependency."
        ),
        LogEventKind::SiblingElsewhere {
            cpu: CpuId(2),
            sibling: CpuId(0),
            level: "llc".to_owned(),
            node: NodeId(1),
            sibling_node: NodeId(0)
        }
    );
    assert_eq!(
        only("  node   1: [mem 0x0000000040000000-0x000000007ffdffff]"),
        LogEventKind::NodeMemory { node: NodeId(1), first: 0x4000_0000, last: 0x7ffd_ffff }
    );
    assert_eq!(
        only("Faking node 2 at [mem 0x0000000040000000-0x000000005fffffff] (512MB)"),
        LogEventKind::EmulatedNode { node: NodeId(2), first: 0x4000_0000, last: 0x5fff_ffff }
    );
}

#[test]
fn nodes_of_pci_buses_are_parsed() {
    let bus = |bus: &str, node, domain| LogEventKind::PciBusNode {
        bus: bus.to_owned(),
        node: NodeId(node),
        domain,
    };
    for (text, kind) in [
        ("pci_bus 0000:80: on NUMA node 1", bus("0000:80", 1, None)),
        ("pci_bus 10000:00: on NUMA node 12", bus("10000:00", 12, None)),
        ("pci_bus 0001:40: on NUMA node 1 (pxm 2)", bus("0001:40", 1, Some(ProximityDomain(2)))),
    ] {
        assert_eq!((only(text), only(text).code()), (kind, None), "{text}");
    }
}

#[test]
fn root_bridges_have_a_name_and_buses() {
    for (text, name, segment, first_bus, last_bus) in [
        ("ACPI: PCI Root Bridge [PC07] (domain 0000 [bus 85-ad])", "PC07", 0, 0x85, Some(0xad)),
        ("ACPI: PCI Root Bridge [UCR0] (domain 000a [bus 7f])", "UCR0", 10, 0x7f, Some(0x7f)),
        ("ACPI: PCI Root Bridge [PCI1] (0000:80)", "PCI1", 0, 0x80, None),
    ] {
        let name = name.to_owned();
        let kind = LogEventKind::PciRootBridge { name, segment, first_bus, last_bus };
        assert_eq!(only(text), kind, "{text}");
    }
    for text in [
        "ACPI: PCI Root Bridge [PC07] (domain 0000 [bus 85-1ad])",
        "ACPI: PCI Root Bridge [PC07] (domain x [bus 85])",
        "ACPI: PCI Root Bridge [PC07]",
    ] {
        assert!(KernelLog::parse(text.as_bytes()).events.is_empty(), "{text}");
    }
}

#[test]
fn nodes_that_firmware_does_not_name_are_parsed() {
    assert_eq!(
        only(
            "acpi PNP0A03:03: [Firmware Bug]: no _PXM; falling back to node 7 from hardware (may \
             be inconsistent with ACPI node numbers)"
        ),
        LogEventKind::PciNodeFromHardware { device: "PNP0A03:03".to_owned(), node: NodeId(7) }
    );
    for (written, node) in [("0", Some(NodeId(0))), ("-1", None)] {
        for driver in ["pci", "nvme"] {
            assert_eq!(
                only(&format!(
                    "{driver} 0000:21:00.0: [Firmware Bug]: Overriding NUMA node to {written}.  \
                     Contact your vendor for updates."
                )),
                LogEventKind::PciNodeOverridden { device: "0000:21:00.0".to_owned(), node }
            );
        }
    }
}

#[test]
fn hmat_values_are_parsed() {
    let (initiator, memory) = (ProximityDomain(1), ProximityDomain(0));
    assert_eq!(
        only(
            "acpi/hmat: Memory (0x0 length 0x80000000) Flags:0003 Processor Domain:1 Memory \
             Domain:0"
        ),
        LogEventKind::HmatMemory { flags: 3, initiator, memory }
    );
    assert_eq!(
        only("acpi/hmat:   Initiator-Target[1-0]:13560 nsec"),
        LogEventKind::HmatValue {
            initiator,
            target: memory,
            value: 13560,
            unit: "nsec".to_owned()
        }
    );
    let data = "Read Latency".to_owned();
    assert_eq!(
        only(
            "acpi/hmat: Locality: Flags:00 Type:Read Latency Initiator Domains:2 Target Domains:3 \
             Base:100"
        ),
        LogEventKind::HmatLocality { data, initiators: 2, targets: 3, base_unit: 100 }
    );
}

#[test]
fn last_of_several_boots_counts() {
    let log = KernelLog::parse(
        b"Linux version 6.1.0 (a)\nNo NUMA configuration found\nLinux version 6.12.0 (b)\nNUMA \
          turned off\n",
    );
    assert_eq!((log.boots, log.release(), log.events.len()), (2, Some("6.12.0"), 2));
    assert!(log.faked() && log.events[1].kind == LogEventKind::TurnedOff);
}

#[test]
fn lines_that_are_not_of_the_kernel_are_counted() {
    let parsed = KernelLog::parse(
        b"Here is my log:\n\n[    0.000000] Linux version 6.1.0 (a)\n[    0.1] something\n\
          Jan 31 10:00:00 host sshd[7]: session\n",
    );
    assert_eq!((parsed.lines, parsed.kernel_lines), (5, 2));
    assert_eq!(parsed.missing, [LogGap::OtherLines { lines: 2, of: 5 }]);
    // dmesg -t: any line may be of the kernel.
    assert!(KernelLog::parse(b"Linux version 6.1.0 (a)\nsomething\n").missing.is_empty());
}

#[test]
fn folded_messages_are_joined() {
    let long = "[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz-5.4.0-90-generic \
                root=UUID=01234567-89ab-cdef-0123-456789abcdef ro numa=off quiet";
    for width in 45..100 {
        let lines: Vec<String> = long
            .as_bytes()
            .chunks(width)
            .map(|part| String::from_utf8(part.to_vec()).unwrap())
            .collect();
        if width == 99 {
            // dmesg -T and -t: lines after the command line are whole ones.
            for head in ["[Fri Apr  7 00:04:12 2023] ", ""] {
                let lines = ["Command line: ro numa=off", "KERNEL supported cpus:", "  Intel"];
                let log: String = lines.iter().map(|line| format!("{head}{line}\n")).collect();
                let log = KernelLog::parse(log.repeat(600).as_bytes());
                assert_eq!(log.command_line(), Some("ro numa=off"), "{head:?}");
                assert_eq!((log.events.len(), log.missing.len()), (600, 0));
            }
        }
        // A width that leaves a blank at an end cannot be joined again.
        if lines.iter().any(|line| line.trim() != line) {
            continue;
        }
        let log = format!("{}\n[    0.1] NUMA turned off\n", lines.join("\n"));
        let log = KernelLog::parse(log.as_bytes());
        let line = log.command_line().unwrap();
        assert!(line.ends_with("ro numa=off quiet"), "{width}: {line}");
        assert!(log.faked(), "{width}");
    }
    let mail = "> [    0.0] node 0 [mem 0x00000000-0x4fffffff] overlaps with\n> node 1 [mem \
                0x40000000-0x7ffdffff]\n";
    assert!(matches!(only(mail), LogEventKind::Overlap { .. }));
}

#[test]
fn a_named_file_has_to_be_a_log_of_one_machine() {
    let refused = |text: &str| KernelLog::read_named(text.as_bytes()).unwrap_err().to_string();
    assert!(refused("a shopping list\nmilk\n").contains("none of its 2 lines is a message"));
    assert!(refused("[    1.0] usb 1-1: new\n").contains("is about memory or nodes"));
    let boot = |model: &str| format!("Linux version 6.1.0 (a)\nDMI: {model}, BIOS 1 01/01/2020\n");
    assert!(refused(&(boot("Dell R740") + &boot("HPE DL380"))).contains("of several machines"));
    let board = "Machine model: Pi 4\nDMI: raspberrypi Pi 4, BIOS 2024.01\n\
                 DMI: Memory slots populated: 1/1\n";
    let once = format!("Linux version 6.1.0 (a)\n{board}");
    assert!(KernelLog::read_named(once.as_bytes()).unwrap().missing.is_empty());
    let twice = KernelLog::read_named((boot("A") + &boot("A")).as_bytes()).unwrap();
    assert_eq!(twice.missing, [LogGap::Boots { boots: 2, line: 3 }]);
}

#[test]
fn long_lines_and_many_events_are_limited() {
    let mut text = vec![b'x'; 3 * MAX_LINE_BYTES];
    text.extend(b"\nNUMA turned off\n");
    text.extend(b"NUMA turned off\n".repeat(MAX_EVENTS));
    let parsed = KernelLog::parse(&text);
    assert_eq!((parsed.lines, parsed.events.len()), (MAX_EVENTS + 2, MAX_EVENTS));
    assert_eq!(KernelLog::read_from(text.as_slice()).unwrap(), parsed);
}

proptest! {
    #[test]
    fn any_text_is_parsed(
        text in "(\\[[ 0-9.]{1,9}\\] )?[a-zA-Z0-9 :#'%\\[\\]<>,;.|=/\\-\u{e9}\u{3000}\u{a0}]{0,80}"
    ) {
        KernelLog::parse(text.as_bytes());
    }

    #[test]
    fn any_bytes_are_parsed(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let parsed = KernelLog::parse(&bytes);
        prop_assert!(parsed.events.len() <= parsed.lines);
    }

    #[test]
    fn damaged_messages_are_parsed_or_skipped(cut in 0usize..90, put in any::<char>()) {
        for text in [
            "node 0 [mem 0x00000000-0x4fffffff] overlaps with node 1 [mem 0x40000000-0x7ffdffff]",
            "sched: CPU #2's llc-sibling CPU #0 is not on the same node! [node: 1 != 0]. Ignoring \
             dependency.",
            "acpi/hmat: Memory (0x0 length 0x80000000) Flags:0003 Processor Domain:1 Memory \
             Domain:0",
            "ACPI: PCI Root Bridge [PC07] (domain 0000 [bus 85-ad])",
            "pci 0000:21:00.0: [Firmware Bug]: Overriding NUMA node to 0.  Contact your vendor",
            "Jan 31 10:00:00 host kernel: ACPI: SRAT 0x000000007FFE2650 0000C0 (v03 NUMLAB SYNTH)",
        ] {
            let cut = cut.min(text.len());
            KernelLog::parse(format!("{}{put}{}", &text[..cut], &text[cut..]).as_bytes());
            KernelLog::parse(&text.as_bytes()[..cut]);
        }
    }
}
