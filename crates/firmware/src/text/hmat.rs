//! HMAT: matrices of latencies and bandwidths, memory's initiators, memory-side caches.

use crate::acpi::{Hmat, HmatStructure, MemoryAttributes};

use super::fields::{hex, known, last_address, lines, named, size, table};
use super::{hmat_matrix, remains};

pub(super) fn sections(hmat: &Hmat) -> Vec<String> {
    let mut sections = vec![memory(hmat)];
    sections.extend(known(&hmat.entries).filter_map(|(offset, entry)| match entry {
        HmatStructure::Locality(locality) => Some(hmat_matrix::text(locality, offset)),
        _ => None,
    }));
    sections.extend([caches(hmat), remains::entries(&hmat.entries)]);
    sections
}

fn memory(hmat: &Hmat) -> String {
    let line = |entry: &HmatStructure, offset| {
        let HmatStructure::Memory(memory) = entry else { return None };
        let initiator = if memory.initiator_valid {
            format!("domain {}", memory.initiator)
        } else {
            "unknown".to_owned()
        };
        Some([memory.memory.to_string(), initiator, range(memory), offset])
    };
    let heads = [">memory of domain", "initiator", "range (revision 1)", ">offset"];
    table("Memory and the domain that reaches it directly", heads, lines(&hmat.entries, line))
}

fn range(memory: &MemoryAttributes) -> String {
    if memory.size_bytes == 0 {
        return String::new();
    }
    let last = last_address(memory.base_address, memory.size_bytes);
    format!("{} to {last}", hex(memory.base_address))
}

fn caches(hmat: &Hmat) -> String {
    let line = |entry: &HmatStructure, offset| {
        let HmatStructure::Cache(cache) = entry else { return None };
        let handles: Vec<String> =
            cache.smbios_handles.iter().map(|handle| format!("{handle:#06x}")).collect();
        Some([
            cache.memory.to_string(),
            format!("{} of {}", cache.level, cache.levels),
            size(cache.size_bytes),
            size(cache.line_bytes),
            named(cache.associativity, &["none", "direct", "complex"]),
            named(cache.write_policy, &["none", "back", "through"]),
            handles.join(" "),
            offset,
        ])
    };
    let heads = [
        ">memory of domain",
        "level",
        ">size",
        ">line",
        "mapping",
        "writes",
        "SMBIOS handles",
        ">offset",
    ];
    table("Memory-side caches", heads, lines(&hmat.entries, line))
}
