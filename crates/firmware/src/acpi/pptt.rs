//! PPTT: how processors group into cores, clusters and packages, and which caches each group has.

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

/// The structures of a PPTT. They refer to each other by offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pptt {
    /// All structures, in order.
    pub entries: Vec<TableEntry<PpttStructure>>,
}

/// One structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum PpttStructure {
    /// Type 0: a group of processors, or one.
    Processor(ProcessorHierarchy),
    /// Type 1: a cache.
    Cache(PpttCache),
    /// Type 2: who made what a group stands for; gone since ACPI 6.3.
    Vendor(PpttVendor),
}

layout! {
    /// Type 0: a group of processors, or one.
    pub struct ProcessorHierarchy(entry: ByteView<'_>) {
        /// The flags as they stand.
        pub flags: u32 = entry.at(4)?,
        /// Whether this group is a package of its own.
        pub is_package: bool = flags & 1 != 0,
        /// Whether [`processor_uid`](Self::processor_uid) means something.
        pub processor_uid_valid: bool = flags & 2 != 0,
        /// Whether this is a hardware thread.
        pub is_thread: bool = flags & 4 != 0,
        /// Whether this is one processor, not a group.
        pub is_leaf: bool = flags & 8 != 0,
        /// Whether everything below is of one kind.
        pub identical: bool = flags & 16 != 0,
        /// Offset of the group that this belongs to; 0: none.
        pub parent: u32 = entry.at(8)?,
        /// The processor, by the number that the MADT gives it.
        pub processor_uid: u32 = entry.at(12)?,
        /// Offsets of the caches that belong to this group alone.
        pub resources: Vec<u32> = entry.list(20, entry.at::<u32>(16)? as usize)?,
    }

    /// Type 1: a cache. The flags say which fields mean something.
    pub struct PpttCache(entry: ByteView<'_>) {
        /// Bits 0 to 7: size, sets, ways, allocation, kind, write policy, line and id are valid.
        pub flags: u32 = entry.at(4)?,
        /// Offset of the next cache on the way to memory; 0: none.
        pub next_level: u32 = entry.at(8)?,
        /// How much it holds.
        pub size_bytes: u32 = entry.at(12)?,
        /// How many sets.
        pub sets: u32 = entry.at(16)?,
        /// How many ways.
        pub ways: u8 = entry.at(20)?,
        /// The attributes as they stand.
        pub attributes: u8 = entry.at(21)?,
        /// The size of a line.
        pub line_bytes: u16 = entry.at(22)?,
        /// Its number; tables of revision 3 and later.
        pub cache_id: Option<u32> = entry.at(24),
    }

    /// Type 2: who made what a group stands for.
    pub struct PpttVendor(entry: ByteView<'_>) {
        /// The vendor: four letters, as a number.
        pub vendor_id: u32 = entry.at(4)?,
        /// The vendor's own number.
        pub level_1_id: u64 = entry.at(8)?,
        /// The vendor's own number.
        pub level_2_id: u64 = entry.at(16)?,
        /// The revision's first number.
        pub major: u16 = entry.at(24)?,
        /// Its second.
        pub minor: u16 = entry.at(26)?,
        /// Its third.
        pub spin: u16 = entry.at(28)?,
    }
}

impl Pptt {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        Self { entries: entries::read(table, STRUCTURES_AT, EntryHeader::Bytes, &TYPES) }
    }
}
