//! How a boot begins: version, command line, hypervisor, map of memory, list of tables.

use crate::log::event::EventKind;
use crate::log::scan::Scan;
use crate::memory_kind::MemoryKind;

pub(super) fn event(text: &str) -> Option<EventKind> {
    let scan = Scan(text);
    if let Some(rest) = scan.words("Linux version ") {
        return Some(EventKind::LinuxVersion { release: rest.0.split_whitespace().next()?.to_owned() });
    }
    if let Some(rest) = scan.words("Command line: ").or_else(|| scan.words("Kernel command line: ")) {
        return Some(EventKind::CommandLine { text: rest.0.to_owned() });
    }
    if let Some(rest) = scan.words("Hypervisor detected: ") {
        return Some(EventKind::Hypervisor { name: rest.0.to_owned() });
    }
    if let Some(rest) = scan.words("Booting paravirtualized kernel on ") {
        return Some(EventKind::Paravirtualized { on: rest.0.to_owned() });
    }
    e820(scan).or_else(|| efi(scan)).or_else(|| table(scan))
}

fn e820(scan: Scan<'_>) -> Option<EventKind> {
    let (first, last, rest) = scan.words("BIOS-e820: ")?.range()?;
    Some(EventKind::MemoryRange { first, last, kind: MemoryKind::from_words(rest.0.trim()), efi: false })
}

/// "efi: mem00: [Conventional Memory|   |  |  |...] range=[0x0000000000000000-0x0000000000000fff] (0MB)": the map before
/// the kernel's own; Arm has no other. Boot services' memory is free once the kernel runs.
fn efi(scan: Scan<'_>) -> Option<EventKind> {
    let rest = scan.words("efi: ").unwrap_or(scan);
    let (_, rest) = rest.words("mem")?.number()?;
    let (name, rest) = rest.words(": [")?.up_to("|")?;
    let (attributes, rest) = rest.up_to("] range=[")?;
    let (first, rest) = rest.hex()?;
    let (last, _) = rest.words("-")?.hex()?;
    let name = name.trim();
    let kind = match name {
        _ if attributes.split('|').any(|attribute| attribute.trim() == "SP") => MemoryKind::SpecialPurpose,
        "Loader Code" | "Loader Data" | "Boot Code" | "Boot Data" | "Conventional Memory" => MemoryKind::Ram,
        "Persistent" | "Persistent Memory" => MemoryKind::Persistent,
        _ => MemoryKind::Other(name.to_owned()),
    };
    Some(EventKind::MemoryRange { first, last, kind, efi: true })
}

/// "ACPI: SRAT 0x000000007FFE2650 0000C0 (v03 NUMLAB SYNTH    00000001 NLAB 00000001)".
fn table(scan: Scan<'_>) -> Option<EventKind> {
    let rest = scan.words("ACPI: ")?;
    let signature = rest.0.get(..4).filter(|letters| letters.bytes().all(|b| b.is_ascii_graphic()))?;
    let (address, rest) = rest.words(signature)?.words(" ")?.hex()?;
    let (length, rest) = rest.words(" ")?.up_to(" (v")?;
    let (revision, rest) = rest.small()?;
    let (maker, _) = rest.up_to(")")?;
    Some(EventKind::Table {
        signature: signature.to_owned(),
        address,
        length_bytes: u64::from_str_radix(length, 16).ok()?,
        revision,
        maker: maker.trim().to_owned(),
    })
}
