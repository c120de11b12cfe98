//! HMAT: matrices of latencies and bandwidths, memory's initiators, memory-side caches.

use nearfar_firmware::acpi::{Entry, Hmat, HmatStructure, MemoryAttributes, MemorySideCache};
use nearfar_terminal::table::Align;

use super::fields::{hex, last_address, size, table};
use super::{hmat_matrix, remains};

const LEFT: Align = Align::Left;
const RIGHT: Align = Align::Right;

pub(super) fn sections(hmat: &Hmat, revision: u8) -> Vec<String> {
    let known = || hmat.entries.iter().filter_map(|entry: &Entry<HmatStructure>| Some((entry.offset, entry.known()?)));
    let memory: Vec<_> = known().filter_map(|(offset, entry)| memory(offset, entry)).collect();
    let caches: Vec<_> = known().filter_map(|(offset, entry)| cache(offset, entry)).collect();
    let heads = ["memory of domain", "initiator", "range (revision 1)", "offset"];
    let mut sections = Vec::new();
    if !matches!(revision, 1 | 2) {
        sections.push(format!("Linux reads revisions 1 and 2 only, and ignores this one ({revision}).\n"));
    }
    sections.push(table("Memory and the domain that reaches it directly", heads, [RIGHT, LEFT, LEFT, RIGHT], memory));
    sections.extend(known().filter_map(|(offset, entry)| match entry {
        HmatStructure::Locality(locality) => Some(hmat_matrix::text(locality, offset)),
        _ => None,
    }));
    let heads = ["memory of domain", "level", "size", "line", "mapping", "writes", "SMBIOS handles", "offset"];
    let aligns = [RIGHT, LEFT, RIGHT, RIGHT, LEFT, LEFT, LEFT, RIGHT];
    sections.push(table("Memory-side caches", heads, aligns, caches));
    sections.push(remains::entries(&hmat.entries));
    sections
}

fn memory(offset: usize, entry: &HmatStructure) -> Option<[String; 4]> {
    let HmatStructure::Memory(memory) = entry else { return None };
    let initiator = if memory.initiator_valid { format!("domain {}", memory.initiator) } else { "not told".to_owned() };
    Some([memory.memory.to_string(), initiator, range(memory), offset.to_string()])
}

fn range(memory: &MemoryAttributes) -> String {
    if memory.size_bytes == 0 {
        return String::new();
    }
    let last = last_address(memory.base_address, memory.size_bytes);
    format!("{} to {last}", hex(memory.base_address))
}

fn cache(offset: usize, entry: &HmatStructure) -> Option<[String; 8]> {
    let HmatStructure::Cache(cache) = entry else { return None };
    let handles: Vec<String> = cache.smbios_handles.iter().map(|handle| format!("{handle:#06x}")).collect();
    Some([
        cache.memory.to_string(),
        format!("{} of {}", cache.level, cache.levels),
        size(cache.size_bytes),
        size(cache.line_bytes),
        mapping(cache),
        writes(cache),
        handles.join(" "),
        offset.to_string(),
    ])
}

fn mapping(cache: &MemorySideCache) -> String {
    match cache.associativity {
        0 => "none".to_owned(),
        1 => "direct".to_owned(),
        2 => "complex".to_owned(),
        other => format!("unknown ({other})"),
    }
}

fn writes(cache: &MemorySideCache) -> String {
    match cache.write_policy {
        0 => "none".to_owned(),
        1 => "back".to_owned(),
        2 => "through".to_owned(),
        other => format!("unknown ({other})"),
    }
}
