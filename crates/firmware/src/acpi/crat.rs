//! CRAT: AMD's old table of compute units, memory, caches and links. Linux's amdkfd driver reads
//! it, its NUMA code does not.
//!
//! On desktop boards without a SRAT it may be the only table with several domains. Layouts:
//! drivers/gpu/drm/amd/amdkfd/kfd_crat.h.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, HexBytes, TableEntry};
use crate::byte_view::ByteView;
use crate::fault::FaultKind;
use crate::layout::layout;

const ENTRIES_AT: usize = 48;
const TYPES: [EntryReader<CratEntry>; 4] = [
    (0, 40, |entry, _| ComputeUnit::read(entry).map(CratEntry::ComputeUnit)),
    (1, 40, |entry, _| CratMemory::read(entry).map(CratEntry::Memory)),
    (2, 64, |entry, _| CratCache::read(entry).map(CratEntry::Cache)),
    (5, 64, |entry, _| IoLink::read(entry).map(CratEntry::IoLink)),
];

/// The entries of a CRAT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Crat {
    /// Number of entries that the table claims.
    pub claimed_entries: Option<u32>,
    /// Number of domains that the table claims.
    pub claimed_domains: Option<u16>,
    /// All entries, in order. Types 3 (TLBs) and 4 (GPUs) are not decoded.
    pub entries: Vec<TableEntry<CratEntry>>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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

layout! {
    /// Type 0: processors of a domain.
    pub struct ComputeUnit(entry: ByteView<'_>) {
        /// The raw flags.
        pub flags: u32 = entry.at(4)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// The domain.
        pub domain: ProximityDomain = entry.at(8)?,
        /// Its lowest APIC ID.
        pub processor_id_low: u32 = entry.at(12)?,
        /// Number of hardware threads.
        pub cpus: u16 = entry.at(16)?,
        /// Number of GPU cores.
        pub simd_cores: u16 = entry.at(18)?,
    }

    /// Type 1: a range of memory.
    pub struct CratMemory(entry: ByteView<'_>) {
        /// The raw flags.
        pub flags: u32 = entry.at(4)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// The domain.
        pub domain: ProximityDomain = entry.at(8)?,
        /// First physical address.
        pub base_address: u64 = entry.at(12)?,
        /// Size in bytes.
        pub size_bytes: u64 = entry.at(20)?,
        /// Bus width in bits.
        pub width_bits: u32 = entry.at(28)?,
    }

    /// Type 2: a cache.
    pub struct CratCache(entry: ByteView<'_>) {
        /// The raw flags: bit 1 data, bit 2 instructions, bit 3 of a CPU.
        pub flags: u32 = entry.at(4)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// The lowest APIC ID that shares it.
        pub processor_id_low: u32 = entry.at(8)?,
        /// Which APIC IDs share it: one bit each, from the lowest on.
        pub sharers: HexBytes = HexBytes(entry.slice(12, 32)?.into()),
        /// Size in KiB.
        pub size_kib: u32 = entry.at(44)?,
        /// Level: 1, 2 or 3.
        pub level: u8 = entry.at(48)?,
        /// Line size in bytes.
        pub line_bytes: u16 = entry.at(50)?,
        /// Associativity, as encoded in CPUID.
        pub associativity: u8 = entry.at(52)?,
        /// Latency, in the vendor's unit.
        pub latency: u16 = entry.at(54)?,
    }

    /// Type 5: a link between two domains.
    pub struct IoLink(entry: ByteView<'_>) {
        /// The raw flags.
        pub flags: u32 = entry.at(4)?,
        /// Whether the entry is enabled.
        pub enabled: bool = flags & 1 != 0,
        /// From this domain.
        pub from: ProximityDomain = entry.at(8)?,
        /// To this domain.
        pub to: ProximityDomain = entry.at(12)?,
        /// 1 HyperTransport, 2 PCI Express, 11 xGMI, and others.
        pub interface: u8 = entry.at(16)?,
        /// Minimum latency in ns.
        pub min_latency_ns: u32 = entry.at(20)?,
        /// Maximum latency in ns.
        pub max_latency_ns: u32 = entry.at(24)?,
        /// Minimum bandwidth in MB/s.
        pub min_bandwidth_mb_per_s: u32 = entry.at(28)?,
        /// Maximum bandwidth in MB/s.
        pub max_bandwidth_mb_per_s: u32 = entry.at(32)?,
    }
}

impl Crat {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        let claimed_entries: Option<u32> = table.bytes.at(36);
        let entries = entries::read(table, ENTRIES_AT, EntryHeader::Bytes, &TYPES);
        if claimed_entries.is_none_or(|claimed| claimed as usize != entries.len()) {
            let found = entries.len();
            table.faults.add(36, FaultKind::WrongCount, || {
                format!("the table claims {claimed_entries:?} entries, and has {found}")
            });
        }
        Self { claimed_entries, claimed_domains: table.bytes.at(40), entries }
    }
}
