//! Recognises messages. Each part of the kernel has one table.

use LogEventKind as E;

use super::event::LogEventKind;
use super::message::{MessageFields, MessagePattern, find};
use crate::linux::MemoryKind;

/// Messages at the start of a boot: version, command line, hypervisor, memory map, tables.
static BOOT: [MessagePattern; 13] = [
    ("Linux version %s", |of| {
        Some(E::LinuxVersion { release: of.text()?.split_whitespace().next()?.to_owned() })
    }),
    ("Command line:%s", |of| Some(E::CommandLine { text: of.name()? })),
    ("Kernel command line:%s", |of| Some(E::CommandLine { text: of.name()? })),
    ("Hypervisor detected: %s", |of| Some(E::Hypervisor { name: of.text()?.to_owned() })),
    ("Booting paravirtualized kernel on %s", |of| {
        Some(E::Paravirtualized { on: of.text()?.to_owned() })
    }),
    // Not "DMI: Memory slots populated: 12/24".
    ("DMI: %s, BIOS %*s", |of| Some(E::Hardware { name: of.name()? })),
    ("Machine model: %s", |of| Some(E::Hardware { name: of.name()? })),
    ("Booting Linux on physical CPU", |_| Some(E::Architecture { name: "Arm" })),
    ("riscv: base ISA extensions", |_| Some(E::Architecture { name: "RISC-V" })),
    ("BIOS-e820: [mem %x-%x]%s", |of| {
        let (first, last, kind) = (of.number()?, of.number()?, MemoryKind::from_words(&of.name()?));
        Some(E::MemoryRange { first, last, kind, efi: false })
    }),
    // EFI's map; the only one on Arm.
    ("efi: mem%d: [%s|%s] range=[%x-%x", efi_range),
    ("mem%d: [%s|%s] range=[%x-%x", efi_range),
    ("ACPI: %s %x %s (v%d%s)", table),
];

/// mm/numa_memblks.c, arch/x86/mm/numa.c, drivers/base/arch_numa.c and others. Arm prefixes all
/// messages with "NUMA: ", x86 only some.
static NODES: [MessagePattern; 23] = [
    ("No NUMA configuration found", |_| Some(E::NothingFound)),
    ("NUMA turned off", |_| Some(E::TurnedOff)),
    ("NUMA disabled", |_| Some(E::TurnedOff)),
    ("Failed to initialise from firmware", |_| Some(E::NotFromFirmware)),
    ("too many memblk ranges", |_| Some(E::TooManyRanges)),
    ("Not enough memory for each node", |_| Some(E::EmulationFailed)),
    ("Too many emulated memblks", |_| Some(E::EmulationFailed)),
    ("Warning: invalid distance parameter", |_| Some(E::DistanceIgnored)),
    ("Warning: node ids are out of bound", |_| Some(E::DistanceIgnored)),
    ("Faking a node at [mem %x-%x]", |of| {
        Some(E::Faking { first: of.number()?, last: of.number()? })
    }),
    ("Faking node %d at [mem %x-%x]", |of| {
        Some(E::EmulatedNode { node: of.id()?, first: of.number()?, last: of.number()? })
    }),
    ("Warning: node %d [mem %x-%x] overlaps with itself [mem %x-%x]", overlap_with_itself),
    ("node %d [mem %x-%x] overlaps with itself [mem %x-%x]", overlap_with_itself),
    ("Warning: node %d [mem %x-%x] overlaps with node %d [mem %x-%x]", overlap),
    ("node %d [mem %x-%x] overlaps with node %d [mem %x-%x]", overlap),
    ("nodes only cover %dMB of your %d", |of| {
        Some(E::CoveredOnly { covered_mib: of.number()?, ram_mib: of.number()? })
    }),
    ("no nodes coverage for %dMB of %d", |of| {
        Some(E::NotCovered { missing_mib: of.number()?, ram_mib: of.number()? })
    }),
    ("Node alignment %dMB < min %d", |of| {
        Some(E::NodeAlignment { alignment_mib: of.number()?, least_mib: of.number()? })
    }),
    ("Warning: invalid memblk node %*s [mem %x-%x]", |of| {
        Some(E::RamWithoutNode { first: of.number()?, last: of.number()? })
    }),
    ("Initialized distance table, cnt=%d", |of| Some(E::DistanceTable { nodes: of.number()? })),
    ("Node %d using interleaving mode", |of| {
        Some(E::Interleaving { node: of.number()?.try_into().ok()? })
    }),
    ("node %3d: [mem %x-%x]", |of| {
        Some(E::NodeMemory { node: of.id()?, first: of.number()?, last: of.number()? })
    }),
    ("Node %d [mem %*s] + [mem %*s] -> [mem %x-%x]", |of| {
        Some(E::Merged { node: of.id()?, first: of.number()?, last: of.number()? })
    }),
];

/// Messages of the scheduler about nodes, and about groups of CPUs (kernel/sched/topology.c).
static USERS: [MessagePattern; 3] = [
    ("BUG: arch topology borken", |_| Some(E::CpuTopologyBroken)),
    ("the %s domain not a subset of the %s domain", |_| Some(E::CpuTopologyBroken)),
    ("sched: CPU #%d's %s-sibling CPU #%d is not on the same node! [node: %d != %d", |of| {
        let (cpu, level, sibling) = (of.id()?, of.text()?.to_owned(), of.id()?);
        Some(E::SiblingElsewhere { cpu, sibling, level, node: of.id()?, sibling_node: of.id()? })
    }),
];

/// Nodes of PCI devices: drivers/pci/probe.c, drivers/pci/pci-sysfs.c, drivers/acpi/pci_root.c,
/// arch/x86/pci/acpi.c. No message of Arm or RISC-V names the node of a bus.
static PCI: [MessagePattern; 8] = [
    ("pci_bus %s: Unknown NUMA node", |of| Some(E::PciWithoutNode { bus: of.text()?.to_owned() })),
    ("pci_bus %s: on NUMA node %d (pxm %d)", |of| {
        let (bus, node, domain) = (of.text()?.to_owned(), of.id()?, Some(of.id()?));
        Some(E::PciBusNode { bus, node, domain })
    }),
    ("pci_bus %s: on NUMA node %d", |of| {
        Some(E::PciBusNode { bus: of.text()?.to_owned(), node: of.id()?, domain: None })
    }),
    ("ACPI: PCI Root Bridge [%s] (domain %s [bus %s])", |of| {
        let (name, segment, buses) = (of.name()?, of.text()?, of.text()?);
        // A range of one bus is a single number.
        let (first, last) = buses.split_once('-').unwrap_or((buses, buses));
        root_bridge(name, segment, first, Some(last))
    }),
    ("ACPI: PCI Root Bridge [%s] (%s:%s)", |of| {
        root_bridge(of.name()?, of.text()?, of.text()?, None)
    }),
    ("%s: [Firmware Bug]: no _PXM; falling back to node %d", |of| {
        let device = of.text()?.rsplit(' ').next()?.to_owned();
        Some(E::PciNodeFromHardware { device, node: of.id()? })
    }),
    ("%s: [Firmware Bug]: Overriding NUMA node to -1", |of| {
        let device = of.text()?.rsplit(' ').next()?.to_owned();
        Some(E::PciNodeOverridden { device, node: None })
    }),
    // The driver's name comes first: "pci 0000:20:00.0", "nvme 0000:20:00.0".
    ("%s: [Firmware Bug]: Overriding NUMA node to %d", |of| {
        let device = of.text()?.rsplit(' ').next()?.to_owned();
        Some(E::PciNodeOverridden { device, node: Some(of.id()?) })
    }),
];

/// SRAT, SLIT and CEDT (drivers/acpi/numa/srat.c, arch/x86/mm/srat.c,
/// arch/arm64/kernel/acpi_numa.c). Older kernels omit "ACPI: ", Arm uses "ACPI: NUMA: ".
static SRAT: [MessagePattern; 10] = [
    ("SRAT: SRAT not used", |_| Some(E::SratNotUsed)),
    ("SRAT: Too many proximity domains", |_| Some(E::TooManyDomains)),
    ("SRAT: Failed to add memblk", |_| Some(E::TooManyRanges)),
    ("SRAT: Unexpected header length: %d", |of| {
        Some(E::EntryLength { length_bytes: of.number()?, cpu: false })
    }),
    ("SRAT: Invalid SRAT header length: %d", |of| {
        Some(E::EntryLength { length_bytes: of.number()?, cpu: true })
    }),
    ("SRAT: Node %d PXM %d [mem %x-%x]%s", |of| {
        let (node, domain, first, last, rest) =
            (of.id()?, of.id()?, of.number()?, of.number()?, of.text()?);
        let (hot_pluggable, non_volatile) =
            (rest.contains("hotplug"), rest.contains("non-volatile"));
        Some(E::MemoryAffinity { node, domain, first, last, hot_pluggable, non_volatile })
    }),
    // APIC on x86, MPIDR on Arm, HARTID on RISC-V.
    ("SRAT: PXM %d -> %*s %x -> Node %d", |of| {
        Some(E::CpuAffinity { domain: of.id()?, hardware_id: of.number()?, node: of.id()? })
    }),
    ("SLIT table looks invalid", |_| Some(E::SlitInvalid)),
    ("CFMWS: [BIOS BUG] base/size alignment", |_| Some(E::CfmwsAlignment)),
    ("[%s:%x] Invalid zero length", |of| {
        Some(E::ZeroLength { signature: of.text()?.to_owned(), entry: of.number()? })
    }),
];

/// Memory that ran out: mm/oom_kill.c, mm/show_mem.c.
static OUT_OF_MEMORY: [MessagePattern; 3] = [
    ("%s invoked oom-killer: gfp_mask=", |of| Some(E::OutOfMemoryReport { program: of.name()? })),
    ("Node %d %*sfree:%dkB %*smin:%dkB", |of| {
        Some(E::ZoneMemory { node: of.id()?, free_kib: of.number()?, min_kib: of.number()? })
    }),
    (
        "oom-kill:constraint=%s,nodemask=%s,cpuset=%*s,mems_allowed=%s,task_memcg=%s,task=%s,\
         pid=%d,uid=",
        |of| {
            let (constraint, policy, allowed) = (of.name()?, of.text()?, of.text()?);
            Some(E::OutOfMemory {
                constraint,
                policy_nodes: policy.parse().ok(),
                allowed_nodes: list_of(allowed).parse().ok()?,
                cgroup: of.name()?,
                program: of.name()?,
                pid: of.number()?,
            })
        },
    ),
];

/// drivers/acpi/numa/hmat.c.
static HMAT: [MessagePattern; 7] = [
    ("Ignoring: %s", |of| Some(E::HmatIgnored { why: of.text()?.to_owned() })),
    ("Ignoring HMAT: %s", |of| Some(E::HmatIgnored { why: of.text()?.to_owned() })),
    ("Unexpected %s header length", |of| Some(E::HmatLength { structure: of.text()?.to_owned() })),
    // Revision 1 has a range between "Memory" and the flags.
    ("Memory %*sFlags:%s Processor Domain:%d Memory Domain:%d", |of| {
        let flags = u64::from_str_radix(of.text()?, 16).ok()?;
        Some(E::HmatMemory { flags, initiator: of.id()?, memory: of.id()? })
    }),
    ("Locality: %*sType:%s Initiator Domains:%d Target Domains:%d Base:%d", |of| {
        let (data, initiators, targets) = (of.text()?.to_owned(), of.number()?, of.number()?);
        Some(E::HmatLocality { data, initiators, targets, base_unit: of.number()? })
    }),
    ("Initiator-Target[%d-%d]:%d%s", |of| {
        Some(E::HmatValue {
            initiator: of.id()?,
            target: of.id()?,
            value: of.number()?,
            unit: of.name()?,
        })
    }),
    ("Cache: Domain:%d Size:%d", |of| {
        Some(E::HmatCache { memory: of.id()?, size_bytes: of.number()? })
    }),
];

/// drivers/of/of_numa.c.
static TREE: [MessagePattern; 6] = [
    ("OF: NUMA: parsing numa-distance-map-v1", |_| Some(E::TreeDistances)),
    ("OF: NUMA: bad property in memory node", |_| Some(E::TreePropertyInvalid)),
    ("OF: NUMA: No distance-matrix property", |_| Some(E::TreePropertyInvalid)),
    ("OF: NUMA: Invalid distance-matrix", |_| Some(E::TreePropertyInvalid)),
    ("OF: NUMA: Node id %*sexceeds maximum", |_| Some(E::TreePropertyInvalid)),
    ("OF: NUMA: Invalid distance[node%d -> node%d] = %d", |of| {
        Some(E::TreeDistanceInvalid { from: of.id()?, to: of.id()?, distance: of.number()? })
    }),
];

/// The patterns of all tables.
pub(super) fn patterns() -> impl Iterator<Item = &'static str> {
    let tables: [&'static [MessagePattern]; 8] =
        [&BOOT, &SRAT, &NODES, &USERS, &PCI, &OUT_OF_MEMORY, &HMAT, &TREE];
    tables.into_iter().flatten().map(|(pattern, _)| *pattern)
}

/// The event of a message; `None` for messages that are not about NUMA.
pub(super) fn event(text: &str) -> Option<LogEventKind> {
    let without = |text, prefix| str::strip_prefix(text, prefix).unwrap_or(text);
    let after_acpi = without(text, "ACPI: ");
    // Linux 5.2 to 5.4 used "HMAT: ".
    let hmat = text.strip_prefix("acpi/hmat: ").or_else(|| text.strip_prefix("HMAT: "));
    find(&BOOT, text)
        .or_else(|| find(&SRAT, without(after_acpi, "NUMA: ")))
        .or_else(|| find(&NODES, without(text, "NUMA: ")))
        .or_else(|| find(&USERS, text))
        .or_else(|| find(&PCI, text))
        .or_else(|| find(&OUT_OF_MEMORY, text))
        .or_else(|| find(&HMAT, hmat?.trim_start()))
        .or_else(|| find(&TREE, text))
}

/// The list before other words: "0-1" of "0-1,global_oom" and "0-1,oom_memcg=/group".
fn list_of(text: &str) -> &str {
    let of_list = |letter: char| letter.is_ascii_digit() || matches!(letter, ',' | '-');
    text.split(|letter| !of_list(letter)).next().unwrap_or_default().trim_end_matches([',', '-'])
}

/// "[Conventional Memory|   |  |  |...] range=[0x0000000000000000-0x0000000000000fff] (0MB)".
/// Memory of boot services is free once the kernel runs.
fn efi_range(of: &mut MessageFields<'_>) -> Option<LogEventKind> {
    let (_, name, attributes) = (of.number()?, of.text()?.trim(), of.text()?);
    let kind = match name {
        _ if attributes.split('|').any(|attribute| attribute.trim() == "SP") => {
            MemoryKind::SpecialPurpose
        }
        "Loader Code" | "Loader Data" | "Boot Code" | "Boot Data" | "Conventional Memory" => {
            MemoryKind::Ram
        }
        "Persistent" | "Persistent Memory" => MemoryKind::Persistent,
        _ => MemoryKind::Other(name.to_owned()),
    };
    Some(E::MemoryRange { first: of.number()?, last: of.number()?, kind, efi: true })
}

/// "ACPI: SRAT 0x000000007FFE2650 0000C0 (v03 NUMLAB SYNTH    00000001 NLAB 00000001)".
fn table(of: &mut MessageFields<'_>) -> Option<LogEventKind> {
    let is_signature = |letters: &&str| {
        letters.len() == 4 && letters.bytes().all(|letter| letter.is_ascii_graphic())
    };
    Some(E::Table {
        signature: of.text().filter(is_signature)?.to_owned(),
        address: of.number()?,
        length_bytes: u64::from_str_radix(of.text()?, 16).ok()?,
        revision: of.number()?.try_into().ok()?,
        maker: of.name()?,
    })
}

/// All numbers are hexadecimal without 0x.
fn root_bridge(
    name: String,
    segment: &str,
    first: &str,
    last: Option<&str>,
) -> Option<LogEventKind> {
    let bus = |digits: &str| u8::from_str_radix(digits, 16).ok();
    Some(E::PciRootBridge {
        name,
        segment: u16::from_str_radix(segment, 16).ok()?,
        first_bus: bus(first)?,
        last_bus: match last {
            Some(last) => Some(bus(last)?),
            None => None,
        },
    })
}

fn overlap(of: &mut MessageFields<'_>) -> Option<LogEventKind> {
    let (node, first, last) = (of.id()?, of.number()?, of.number()?);
    Some(E::Overlap {
        node,
        first,
        last,
        other: of.id()?,
        other_first: of.number()?,
        other_last: of.number()?,
    })
}

fn overlap_with_itself(of: &mut MessageFields<'_>) -> Option<LogEventKind> {
    let (node, first, last) = (of.id()?, of.number()?, of.number()?);
    Some(E::SelfOverlap { node, first, last, other_first: of.number()?, other_last: of.number()? })
}
