//! HMAT: latency and bandwidth of memory as firmware claims them, and memory-side caches.
//!
//! Layouts: ACPI 6.2 (revision 1) and 6.3 (revision 2), section 5.2.27/28.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, TableEntry};
use crate::byte_view::ByteView;
use crate::layout::layout;

mod locality;
pub use locality::{Locality, LocalityData};

const STRUCTURES_AT: usize = 40;
const TYPES: [EntryReader<HmatStructure>; 3] = [
    (0, 40, |entry, _| MemoryAttributes::read(entry).map(HmatStructure::Memory)),
    (1, 32, |entry, revision| locality::read(entry, revision).map(HmatStructure::Locality)),
    (2, 32, |entry, _| MemorySideCache::read(entry).map(HmatStructure::Cache)),
];

/// The structures of a HMAT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Hmat {
    /// All structures, in order.
    pub entries: Vec<TableEntry<HmatStructure>>,
}

/// One structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum HmatStructure {
    /// Type 0: the initiator attached to a domain's memory.
    Memory(MemoryAttributes),
    /// Type 1: a matrix of latencies or bandwidths.
    Locality(Locality),
    /// Type 2: a cache before a domain's memory.
    Cache(MemorySideCache),
}

layout! {
    /// Type 0: the initiator attached to a domain's memory.
    pub struct MemoryAttributes(entry: ByteView<'_>) {
        /// The raw flags.
        pub flags: u16 = entry.at(8)?,
        /// Whether [`initiator`](Self::initiator) is valid.
        pub initiator_valid: bool = flags & 1 != 0,
        /// Whether [`memory`](Self::memory) is valid: a flag of revision 1 only.
        pub memory_valid: bool = flags & 2 != 0,
        /// Whether the range should be reserved: a flag of revision 1 only.
        pub reservation_hint: bool = flags & 4 != 0,
        /// The domain whose accesses reach this memory directly.
        pub initiator: ProximityDomain = entry.at(12)?,
        /// Domain of the memory.
        pub memory: ProximityDomain = entry.at(16)?,
        /// First physical address: revision 1 only, reserved later.
        pub base_address: u64 = entry.at(24)?,
        /// Size in bytes: revision 1 only, reserved later.
        pub size_bytes: u64 = entry.at(32)?,
    }

    /// Type 2: a cache before a domain's memory.
    pub struct MemorySideCache(entry: ByteView<'_>) {
        /// Domain of the memory.
        pub memory: ProximityDomain = entry.at(8)?,
        /// Size of the cache in bytes.
        pub size_bytes: u64 = entry.at(16)?,
        /// The raw attributes.
        pub attributes: u32 = entry.at(24)?,
        /// Number of cache levels before this memory.
        pub levels: u8 = (attributes & 0xf) as u8,
        /// Level of this cache.
        pub level: u8 = (attributes >> 4 & 0xf) as u8,
        /// Associativity: 0 none, 1 direct mapped, 2 complex.
        pub associativity: u8 = (attributes >> 8 & 0xf) as u8,
        /// Write policy: 0 none, 1 write back, 2 write through.
        pub write_policy: u8 = (attributes >> 12 & 0xf) as u8,
        /// Line size in bytes.
        pub line_bytes: u16 = (attributes >> 16) as u16,
        /// SMBIOS handles of the memory modules that form the cache.
        pub smbios_handles: Vec<u16> = entry.list(32, entry.at::<u16>(30)?.into())?,
    }
}

impl Hmat {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        Self { entries: entries::read(table, STRUCTURES_AT, EntryHeader::Wide, &TYPES) }
    }

    /// The matrices, in order.
    pub fn localities(&self) -> impl Iterator<Item = &Locality> {
        self.entries.iter().filter_map(|entry| match entry.known() {
            Some(HmatStructure::Locality(locality)) => Some(locality),
            _ => None,
        })
    }
}
