//! SRAT: a map from proximity domains to CPUs and addresses.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, ProximityDomain};
use nearfar_view::text::count;

use super::fields::{hex, known, last_address, or_empty, size, table, words};
use super::{remains, runs};
use crate::Firmware;
use crate::acpi::{
    Affinity, DeviceHandle, InterruptController, Madt, MemoryAffinity, Srat, TableEntry,
};

pub(super) fn sections(srat: &Srat, firmware: &Firmware) -> Vec<String> {
    if srat.entries.is_empty() {
        return vec!["It has no entry.\n".to_owned()];
    }
    vec![
        domains(srat, firmware),
        memory(srat),
        devices(srat),
        disabled(srat),
        remains::entries(&srat.entries),
    ]
}

/// Entries that count, with their offsets.
fn enabled(srat: &Srat) -> impl Iterator<Item = (usize, &Affinity)> {
    known(&srat.entries).filter(|(_, affinity)| affinity.enabled())
}

/// What belongs to a domain.
#[derive(Default)]
struct Domain {
    apic_ids: Vec<u64>,
    processor_uids: Vec<u64>,
    memory: Vec<Bytes>,
    devices: usize,
}

fn domains(srat: &Srat, firmware: &Firmware) -> String {
    let mut domains: BTreeMap<ProximityDomain, Domain> = BTreeMap::new();
    for (_, affinity) in enabled(srat) {
        let domain = domains.entry(affinity.domain()).or_default();
        match affinity {
            Affinity::LocalApic(cpu) => domain.apic_ids.push(cpu.apic_id.into()),
            Affinity::X2Apic(cpu) => domain.apic_ids.push(cpu.apic_id.into()),
            Affinity::Gicc(cpu) => domain.processor_uids.push(cpu.processor_uid.into()),
            Affinity::Rintc(cpu) => domain.processor_uids.push(cpu.processor_uid.into()),
            Affinity::Memory(memory) => domain.memory.push(Bytes(memory.size_bytes)),
            Affinity::GicIts(_) | Affinity::GenericInitiator(_) | Affinity::GenericPort(_) => {
                domain.devices += 1;
            }
        }
    }
    let names = hardware_ids(firmware);
    let line = |(id, domain): (ProximityDomain, Domain)| {
        let ranges = domain.memory.len();
        let memory = match ranges {
            0 => "none".to_owned(),
            _ => domain.memory.iter().copied().sum::<Bytes>().to_string(),
        };
        let [ranges, devices] =
            [ranges, domain.devices].map(|number| or_empty(Some(number).filter(|&n| n > 0)));
        [id.to_string(), cpus(domain, &names), memory, ranges, devices]
    };
    let lines: Vec<_> = domains.into_iter().map(line).collect();
    if lines.is_empty() {
        return "No entry of it counts.\n".to_owned();
    }
    table(
        &count(lines.len(), "proximity domain"),
        [">domain", "CPUs", ">memory", ">ranges", ">devices"],
        lines,
    )
}

/// "8 CPUs: APIC 0-7", "4 CPUs: UID 0-3 (MPIDR 0x0-0x3)".
fn cpus(domain: Domain, names: &BTreeMap<u64, u64>) -> String {
    let Domain { apic_ids, processor_uids, .. } = domain;
    let mut parts = Vec::new();
    if !apic_ids.is_empty() {
        parts.push(format!("{}: APIC {}", count(apic_ids.len(), "CPU"), runs::decimal(apic_ids)));
    }
    if !processor_uids.is_empty() {
        let hardware =
            runs::hexadecimal(processor_uids.iter().filter_map(|uid| names.get(uid).copied()));
        let hardware =
            if hardware.is_empty() { hardware } else { format!(" (MPIDR or hart {hardware})") };
        parts.push(format!(
            "{}: UID {}{hardware}",
            count(processor_uids.len(), "CPU"),
            runs::decimal(processor_uids)
        ));
    }
    if parts.is_empty() { "none".to_owned() } else { parts.join("; ") }
}

/// The CPUs' own ids by the numbers that SRATs of Arm and RISC-V use.
fn hardware_ids(firmware: &Firmware) -> BTreeMap<u64, u64> {
    let Some((_, madt)) = firmware.first::<Madt>() else { return BTreeMap::new() };
    let id = |entry: &TableEntry<InterruptController>| match entry.known()? {
        InterruptController::Gicc(cpu) => Some((cpu.processor_uid.into(), cpu.mpidr)),
        InterruptController::Rintc(cpu) => Some((cpu.processor_uid.into(), cpu.hart_id)),
        _ => None,
    };
    madt.content.entries.iter().filter_map(id).collect()
}

fn memory(srat: &Srat) -> String {
    let ranges = enabled(srat).filter_map(|(offset, affinity)| match affinity {
        Affinity::Memory(memory) => Some((offset, memory)),
        _ => None,
    });
    let mut ranges: Vec<(usize, &MemoryAffinity)> = ranges.collect();
    ranges.sort_by_key(|(_, memory)| memory.base_address);
    let line = |(offset, memory): (usize, &MemoryAffinity)| {
        [
            memory.domain.to_string(),
            hex(memory.base_address),
            last_address(memory.base_address, memory.size_bytes),
            size(memory.size_bytes),
            flags(memory),
            offset.to_string(),
        ]
    };
    let heads = [">domain", ">first address", ">last address", ">size", "flags", ">offset"];
    table("Memory, by address", heads, ranges.into_iter().map(line).collect())
}

fn flags(memory: &MemoryAffinity) -> String {
    words(&[
        (memory.hot_pluggable, "hot-pluggable"),
        (memory.non_volatile, "non-volatile"),
        (memory.specific_purpose, "specific purpose"),
        (memory.domain.0 != memory.domain_raw, "upper bytes of the domain ignored"),
    ])
}

fn devices(srat: &Srat) -> String {
    let line = |(offset, affinity): (usize, &Affinity)| {
        let name = match affinity {
            Affinity::GicIts(its) => its.its_id.to_string(),
            Affinity::GenericInitiator(device) | Affinity::GenericPort(device) => {
                handle(&device.handle)
            }
            _ => return None,
        };
        Some([affinity.domain().to_string(), kind(affinity).to_owned(), name, offset.to_string()])
    };
    table(
        "Devices",
        [">domain", "what", "name", ">offset"],
        enabled(srat).filter_map(line).collect(),
    )
}

fn handle(handle: &DeviceHandle) -> String {
    match handle {
        DeviceHandle::Acpi { hid, uid } => format!("{hid} UID {uid}"),
        DeviceHandle::Pci { segment, bus, device, function } => {
            format!("PCI {segment:04x}:{bus:02x}:{device:02x}.{function}")
        }
        DeviceHandle::Unknown { kind, bytes } => format!("kind {kind}, {bytes}"),
    }
}

/// Entries that do not count, together by what they are about: boards keep one for each CPU that
/// could be there.
fn disabled(srat: &Srat) -> String {
    let mut kinds: BTreeMap<&str, Vec<(usize, &Affinity)>> = BTreeMap::new();
    for (offset, affinity) in known(&srat.entries).filter(|(_, affinity)| !affinity.enabled()) {
        kinds.entry(kind(affinity)).or_default().push((offset, affinity));
    }
    let line = |(kind, entries): (&str, Vec<(usize, &Affinity)>)| {
        let domains = runs::decimal(entries.iter().map(|(_, affinity)| affinity.domain().0.into()));
        [
            kind.to_owned(),
            entries.len().to_string(),
            domains,
            offsets(entries.iter().map(|(offset, _)| *offset)),
        ]
    };
    let heads = ["what", ">entries", "domains", "offsets"];
    table("Disabled, and not counted above", heads, kinds.into_iter().map(line).collect())
}

fn kind(affinity: &Affinity) -> &'static str {
    match affinity {
        Affinity::LocalApic(_) => "CPU (local APIC)",
        Affinity::Memory(_) => "memory",
        Affinity::X2Apic(_) => "CPU (x2APIC)",
        Affinity::Gicc(_) => "CPU (GICC)",
        Affinity::GicIts(_) => "interrupt translator",
        Affinity::GenericInitiator(_) => "generic initiator",
        Affinity::GenericPort(_) => "generic port",
        Affinity::Rintc(_) => "CPU (RINTC)",
    }
}

/// "304", "304 to 1056".
fn offsets(offsets: impl Iterator<Item = usize> + Clone) -> String {
    match (offsets.clone().min(), offsets.max()) {
        (Some(first), Some(last)) if first < last => format!("{first} to {last}"),
        (first, _) => or_empty(first),
    }
}
