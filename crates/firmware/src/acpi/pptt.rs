//! PPTT: cores, clusters and packages, and the caches of each. Layouts: ACPI 6.6, section 5.2.30.

use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, TableEntry};
use crate::byte_view::ByteView;
use crate::layout::layout;

const STRUCTURES_AT: usize = 36;
const TYPES: [EntryReader<PpttStructure>; 3] = [
    (0, 20, |entry, _| ProcessorHierarchy::read(entry).map(PpttStructure::Processor)),
    (1, 24, |entry, _| PpttCache::read(entry).map(PpttStructure::Cache)),
    (2, 30, |entry, _| PpttVendor::read(entry).map(PpttStructure::Vendor)),
];

/// The structures of a PPTT, which refer to each other by offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Pptt {
    /// All structures, in order.
    pub entries: Vec<TableEntry<PpttStructure>>,
}

/// One structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum PpttStructure {
    /// Type 0: a group of processors, or a single one.
    Processor(ProcessorHierarchy),
    /// Type 1: a cache.
    Cache(PpttCache),
    /// Type 2: vendor IDs; removed in ACPI 6.3.
    Vendor(PpttVendor),
}

layout! {
    /// Type 0: a group of processors, or a single one.
    pub struct ProcessorHierarchy(entry: ByteView<'_>) {
        /// The raw flags.
        pub flags: u32 = entry.at(4)?,
        /// Whether this group is a package.
        pub is_package: bool = flags & 1 != 0,
        /// Whether [`processor_uid`](Self::processor_uid) is valid.
        pub processor_uid_valid: bool = flags & 2 != 0,
        /// Whether this is a hardware thread.
        pub is_thread: bool = flags & 4 != 0,
        /// Whether this is a single processor, not a group.
        pub is_leaf: bool = flags & 8 != 0,
        /// Whether all children are identical.
        pub identical: bool = flags & 16 != 0,
        /// Offset of the parent group; 0 for none.
        pub parent: u32 = entry.at(8)?,
        /// The processor's UID in the MADT.
        pub processor_uid: u32 = entry.at(12)?,
        /// Offsets of this group's private caches.
        pub resources: Vec<u32> = entry.list(20, entry.at::<u32>(16)? as usize)?,
    }

    /// Type 1: a cache. The flags mark the valid fields.
    pub struct PpttCache(entry: ByteView<'_>) {
        /// Bits 0 to 7: size, sets, ways, allocation, kind, write policy, line and id are valid.
        pub flags: u32 = entry.at(4)?,
        /// Offset of the next cache level; 0 for none.
        pub next_level: u32 = entry.at(8)?,
        /// Size in bytes.
        pub size_bytes: u32 = entry.at(12)?,
        /// Number of sets.
        pub sets: u32 = entry.at(16)?,
        /// Number of ways.
        pub ways: u8 = entry.at(20)?,
        /// The raw attributes.
        pub attributes: u8 = entry.at(21)?,
        /// Line size in bytes.
        pub line_bytes: u16 = entry.at(22)?,
        /// Its ID, in tables of revision 3 and later.
        pub cache_id: Option<u32> = entry.at(24),
    }

    /// Type 2: vendor IDs.
    pub struct PpttVendor(entry: ByteView<'_>) {
        /// Vendor ID: four letters as a number.
        pub vendor_id: u32 = entry.at(4)?,
        /// Vendor-specific ID.
        pub level_1_id: u64 = entry.at(8)?,
        /// Vendor-specific ID.
        pub level_2_id: u64 = entry.at(16)?,
        /// Major revision.
        pub major: u16 = entry.at(24)?,
        /// Minor revision.
        pub minor: u16 = entry.at(26)?,
        /// Spin revision.
        pub spin: u16 = entry.at(28)?,
    }
}

impl Pptt {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        Self { entries: entries::read(table, STRUCTURES_AT, EntryHeader::Bytes, &TYPES) }
    }
}
