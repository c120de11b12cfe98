//! CRAT: AMD's old table of compute units, memory, caches and links.

use crate::acpi::{Crat, CratEntry};

use super::fields::{hex, last_address, lines, size, table};
use super::remains;

pub(super) fn sections(crat: &Crat) -> Vec<String> {
    vec![units(crat), memory(crat), caches(crat), links(crat), remains::entries(&crat.entries)]
}

fn state(enabled: bool) -> String {
    if enabled { String::new() } else { "disabled".to_owned() }
}

fn units(crat: &Crat) -> String {
    let line = |entry: &CratEntry, offset| {
        let CratEntry::ComputeUnit(unit) = entry else { return None };
        let ids = match unit.cpus {
            0 => "none".to_owned(),
            cpus => format!("{cpus} from APIC id {}", unit.processor_id_low),
        };
        Some([
            unit.domain.to_string(),
            ids,
            unit.simd_cores.to_string(),
            state(unit.enabled),
            offset,
        ])
    };
    let heads = [">domain", "CPUs", ">graphics units", "state", ">offset"];
    table("Compute units", heads, lines(&crat.entries, line))
}

fn memory(crat: &Crat) -> String {
    let line = |entry: &CratEntry, offset| {
        let CratEntry::Memory(memory) = entry else { return None };
        Some([
            memory.domain.to_string(),
            hex(memory.base_address),
            last_address(memory.base_address, memory.size_bytes),
            size(memory.size_bytes),
            format!("{} bits", memory.width_bits),
            state(memory.enabled),
            offset,
        ])
    };
    let heads =
        [">domain", ">first address", ">last address", ">size", ">width", "state", ">offset"];
    table("Memory", heads, lines(&crat.entries, line))
}

fn caches(crat: &Crat) -> String {
    let line = |entry: &CratEntry, offset| {
        let CratEntry::Cache(cache) = entry else { return None };
        let sharers: u32 = cache.sharers.0.iter().map(|byte| byte.count_ones()).sum();
        Some([
            format!("L{}", cache.level),
            size(u64::from(cache.size_kib) << 10),
            cache.processor_id_low.to_string(),
            sharers.to_string(),
            state(cache.enabled),
            offset,
        ])
    };
    let heads = ["level", ">size", ">from APIC id", ">sharers", "state", ">offset"];
    table("Caches", heads, lines(&crat.entries, line))
}

fn links(crat: &Crat) -> String {
    let line = |entry: &CratEntry, offset| {
        let CratEntry::IoLink(link) = entry else { return None };
        let kind = match link.interface {
            1 => "HyperTransport".to_owned(),
            2 => "PCI Express".to_owned(),
            11 => "xGMI".to_owned(),
            other => format!("interface {other}"),
        };
        Some([
            format!("{} to {}", link.from, link.to),
            kind,
            format!("{} to {}", link.min_latency_ns, link.max_latency_ns),
            format!("{} to {}", link.min_bandwidth_mb_per_s, link.max_bandwidth_mb_per_s),
            state(link.enabled),
            offset,
        ])
    };
    let heads = ["domains", "kind", ">latency, ns", ">bandwidth, MB/s", "state", ">offset"];
    table("Links", heads, lines(&crat.entries, line))
}
