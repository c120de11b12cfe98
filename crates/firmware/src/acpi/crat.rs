//! CRAT: AMD's old table of compute units, memory, caches and links. Linux's amdkfd reads it; NUMA does not.
//!
//! On desktop boards without a SRAT it may be the only table that knows of several domains. Layouts: the kernel's
//! drivers/gpu/drm/amd/amdkfd/kfd_crat.h.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::Reading;
use super::entries::{self, Entry, Head, Hex};
use crate::fault::FaultKind;
use crate::view::View;

const ENTRIES_AT: usize = 48;
/// The types, and how many bytes each needs.
const LEAST: [(u16, usize); 4] = [(0, 40), (1, 40), (2, 64), (5, 64)];

/// The entries of a CRAT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crat {
    /// How many entries the table says it has.
    pub claimed_entries: Option<u32>,
    /// How many domains the table says it has.
    pub claimed_domains: Option<u16>,
    /// All entries, in order. Types 3 (TLBs) and 4 (graphics units) stay among the unknown: nothing here needs them.
    pub entries: Vec<Entry<CratEntry>>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum CratEntry {
    /// Type 0: processors of a domain.
    ComputeUnit(ComputeUnit),
    /// Type 1: a range of memory.
    Memory(CratMemory),
    /// Type 2: a cache.
    Cache(CratCache),
    /// Type 5: a link between two domains.
    IoLink(IoLink),
}

/// Type 0: processors of a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComputeUnit {
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// The domain.
    pub domain: ProximityDomain,
    /// The lowest of its APIC ids.
    pub processor_id_low: u32,
    /// How many hardware threads.
    pub cpus: u16,
    /// How many graphics units.
    pub simd_cores: u16,
}

/// Type 1: a range of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CratMemory {
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// The domain.
    pub domain: ProximityDomain,
    /// First physical address.
    pub base_address: u64,
    /// How many bytes.
    pub size_bytes: u64,
    /// The width of its bus, in bits.
    pub width_bits: u32,
}

/// Type 2: a cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CratCache {
    /// The flags as they stand: bit 1 data, bit 2 instructions, bit 3 of a CPU.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// The lowest APIC id of those that share it.
    pub processor_id_low: u32,
    /// Who else shares it: a bit for each APIC id from the lowest on.
    pub sharers: Hex,
    /// How much it holds.
    pub size_kib: u32,
    /// 1, 2, 3.
    pub level: u8,
    /// The size of a line.
    pub line_bytes: u16,
    /// How many ways, in the encoding of CPUID.
    pub associativity: u8,
    /// Its latency, in the vendor's unit.
    pub latency: u16,
}

/// Type 5: a link between two domains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IoLink {
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// From this domain.
    pub from: ProximityDomain,
    /// To this domain.
    pub to: ProximityDomain,
    /// 1 HyperTransport, 2 PCI Express, 11 xGMI, and others.
    pub interface: u8,
    /// The least latency, in ns.
    pub min_latency_ns: u32,
    /// The most latency, in ns.
    pub max_latency_ns: u32,
    /// The least bandwidth, in MB/s.
    pub min_bandwidth_mb_per_s: u32,
    /// The most bandwidth, in MB/s.
    pub max_bandwidth_mb_per_s: u32,
}

impl Crat {
    pub(super) fn read(table: &mut Reading<'_>) -> Self {
        let claimed_entries = table.bytes.u32(36);
        let claimed_domains = table.bytes.u16(40);
        let read = |kind, entry: View<'_>| match kind {
            0 => unit(entry).map(CratEntry::ComputeUnit),
            1 => memory(entry).map(CratEntry::Memory),
            2 => cache(entry).map(CratEntry::Cache),
            5 => link(entry).map(CratEntry::IoLink),
            _ => None,
        };
        let entries = entries::read(table, ENTRIES_AT, Head::Bytes, &LEAST, read);
        if claimed_entries.is_none_or(|claimed| claimed as usize != entries.len()) {
            let found = entries.len();
            table.faults.add(36, FaultKind::WrongCount, || {
                format!("the table says it has {claimed_entries:?} entries, and has {found}")
            });
        }
        Self { claimed_entries, claimed_domains, entries }
    }
}

fn unit(entry: View<'_>) -> Option<ComputeUnit> {
    let flags = entry.u32(4)?;
    Some(ComputeUnit {
        flags,
        enabled: flags & 1 != 0,
        domain: ProximityDomain(entry.u32(8)?),
        processor_id_low: entry.u32(12)?,
        cpus: entry.u16(16)?,
        simd_cores: entry.u16(18)?,
    })
}

fn memory(entry: View<'_>) -> Option<CratMemory> {
    let flags = entry.u32(4)?;
    Some(CratMemory {
        flags,
        enabled: flags & 1 != 0,
        domain: ProximityDomain(entry.u32(8)?),
        base_address: entry.u64(12)?,
        size_bytes: entry.u64(20)?,
        width_bits: entry.u32(28)?,
    })
}

fn cache(entry: View<'_>) -> Option<CratCache> {
    let flags = entry.u32(4)?;
    Some(CratCache {
        flags,
        enabled: flags & 1 != 0,
        processor_id_low: entry.u32(8)?,
        sharers: Hex(entry.slice(12, 32)?.into()),
        size_kib: entry.u32(44)?,
        level: entry.u8(48)?,
        line_bytes: entry.u16(50)?,
        associativity: entry.u8(52)?,
        latency: entry.u16(54)?,
    })
}

fn link(entry: View<'_>) -> Option<IoLink> {
    let flags = entry.u32(4)?;
    Some(IoLink {
        flags,
        enabled: flags & 1 != 0,
        from: ProximityDomain(entry.u32(8)?),
        to: ProximityDomain(entry.u32(12)?),
        interface: entry.u8(16)?,
        min_latency_ns: entry.u32(20)?,
        max_latency_ns: entry.u32(24)?,
        min_bandwidth_mb_per_s: entry.u32(28)?,
        max_bandwidth_mb_per_s: entry.u32(32)?,
    })
}
