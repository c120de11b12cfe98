//! What the readers of SRAT, SLIT and CEDT say (drivers/acpi/numa/srat.c, arch/x86/mm/srat.c, arch/arm64/kernel/acpi_numa.c).

use nearfar_model::{NodeId, ProximityDomain};

use crate::log::event::EventKind;
use crate::log::scan::Scan;

pub(super) fn event(text: &str) -> Option<EventKind> {
    // Older kernels say it without "ACPI: ", Arm's says "ACPI: NUMA: ".
    let scan = Scan(text);
    let scan = scan.words("ACPI: ").unwrap_or(scan);
    let scan = scan.words("NUMA: ").unwrap_or(scan);
    if let Some(rest) = scan.words("SRAT: ") {
        return srat(rest);
    }
    if scan.0.starts_with("SLIT table looks invalid") {
        return Some(EventKind::SlitInvalid);
    }
    if scan.0.starts_with("CFMWS: [BIOS BUG] base/size alignment") {
        return Some(EventKind::CfmwsAlignment);
    }
    zero_length(scan)
}

fn srat(scan: Scan<'_>) -> Option<EventKind> {
    if scan.0.starts_with("SRAT not used") {
        return Some(EventKind::SratNotUsed);
    }
    if scan.0.starts_with("Too many proximity domains") {
        return Some(EventKind::TooManyDomains);
    }
    if scan.0.starts_with("Failed to add memblk") {
        return Some(EventKind::TooManyRanges);
    }
    length(scan).or_else(|| memory(scan)).or_else(|| cpu(scan))
}

fn length(scan: Scan<'_>) -> Option<EventKind> {
    let (rest, cpu) = match scan.words("Unexpected header length: ") {
        Some(rest) => (rest, false),
        None => (scan.words("Invalid SRAT header length: ")?, true),
    };
    Some(EventKind::EntryLength { length_bytes: rest.number()?.0, cpu })
}

/// "Node 1 PXM 3 [mem 0x40000000-0x7fffffff] hotplug".
fn memory(scan: Scan<'_>) -> Option<EventKind> {
    let (node, rest) = scan.words("Node ")?.small()?;
    let (domain, rest) = rest.words(" PXM ")?.small()?;
    let (first, last, rest) = rest.words(" ")?.range()?;
    Some(EventKind::MemoryAffinity {
        node: NodeId(node),
        domain: ProximityDomain(domain),
        first,
        last,
        hot_pluggable: rest.0.contains("hotplug"),
        non_volatile: rest.0.contains("non-volatile"),
    })
}

/// "PXM 1 -> APIC 0x02 -> Node 1", with MPIDR on Arm and HARTID on RISC-V.
fn cpu(scan: Scan<'_>) -> Option<EventKind> {
    let (domain, rest) = scan.words("PXM ")?.small()?;
    let rest = rest.words(" -> ")?;
    let (_, rest) = rest.up_to(" ")?;
    let (hardware_id, rest) = rest.hex()?;
    let (node, _) = rest.words(" -> Node ")?.small()?;
    Some(EventKind::CpuAffinity { domain: ProximityDomain(domain), hardware_id, node: NodeId(node) })
}

/// "[SRAT:0x00] Invalid zero length".
fn zero_length(scan: Scan<'_>) -> Option<EventKind> {
    let (signature, rest) = scan.words("[")?.up_to(":")?;
    let (entry, rest) = rest.hex()?;
    rest.words("] Invalid zero length")?;
    Some(EventKind::ZeroLength { signature: signature.to_owned(), entry })
}
