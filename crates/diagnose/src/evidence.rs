//! Quotations of the input as evidence: table entries, log lines.

use nearfar_firmware::acpi::{Affinity, Srat};
use nearfar_firmware::linux::LogEvent;

use crate::document::Evidence;
use crate::witnesses::Witnesses;

/// A line of the log.
pub(crate) fn event(witnesses: &Witnesses, event: &LogEvent) -> Evidence {
    let origin = witnesses.log.origin.as_deref().unwrap_or("the log");
    let line = format!("line {}", event.line);
    Evidence::in_file("kernel log", origin, Some(&line), event.text.as_str())
}

/// An entry of a table.
pub(crate) fn entry(evidence: &nearfar_firmware::linux::TableEvidence) -> Evidence {
    let place = evidence.offset.map(at);
    let bytes: Vec<String> = evidence.bytes.0.iter().map(|byte| format!("{byte:02x}")).collect();
    Evidence::in_file(&evidence.table, &evidence.path, place.as_deref(), bytes.join(" "))
}

/// A position in a file, in decimal and hexadecimal: "offset 48 (0x30)".
pub(crate) fn at(offset: usize) -> String {
    format!("offset {offset} ({offset:#x})")
}

/// An option of the kernel's command line.
pub(crate) fn command_line(witnesses: &Witnesses, word: &str) -> Option<Evidence> {
    let words = witnesses.parameters()?.words;
    let found = words.into_iter().find(|found| found.starts_with(word))?;
    Some(Evidence::new("command line", "the kernel's command line", found))
}

/// Evidence that no table names a node: the existing tables.
pub(crate) fn absent(witnesses: &Witnesses) -> Vec<Evidence> {
    let firmware = &witnesses.firmware;
    let mut evidence = Vec::new();
    if !firmware.tables.is_empty() {
        let names: Vec<&str> = firmware.tables.iter().map(|file| file.name.as_str()).collect();
        evidence.push(Evidence::in_file("ACPI tables", &firmware.origin, None, names.join(" ")));
    }
    if let Some(part) = &firmware.device_tree {
        evidence.push(Evidence::in_file("device tree", &part.path, None, "no numa-node-id"));
    }
    evidence
}

/// The memory entries of the SRAT.
pub(crate) fn memory_entries(witnesses: &Witnesses) -> Vec<Evidence> {
    const MOST: usize = 4;
    let Some((file, srat)) = witnesses.firmware.first::<Srat>() else { return Vec::new() };
    let memory = srat.content.entries.iter().filter_map(|entry| match entry.known()? {
        Affinity::Memory(memory) if memory.enabled => Some((entry.offset, memory)),
        _ => None,
    });
    let shown = memory.take(MOST).map(|(offset, memory)| {
        let last = memory.last_address().unwrap_or(memory.base_address);
        let range = format!("domain {}: {:#x}-{last:#x}", memory.domain, memory.base_address);
        Evidence::in_file(&file.name, &file.path, Some(&at(offset)), range)
    });
    shown.collect()
}
