//! PPTT: how processors group into cores, clusters and packages, and which caches each group has.

use serde::Serialize;

use super::Reading;
use super::entries::{self, Entry, Head};
use crate::view::View;

const STRUCTURES_AT: usize = 36;
/// The types, and how many bytes each needs.
const LEAST: [(u16, usize); 3] = [(0, 20), (1, 24), (2, 30)];

/// The structures of a PPTT. They refer to each other by offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pptt {
    /// All structures, in order.
    pub entries: Vec<Entry<PpttStructure>>,
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
    Vendor {
        /// The vendor: four letters, as a number.
        vendor_id: u32,
        /// The vendor's own number.
        level_1_id: u64,
        /// The vendor's own number.
        level_2_id: u64,
        /// The revision's first number.
        major: u16,
        /// Its second.
        minor: u16,
        /// Its third.
        spin: u16,
    },
}

/// Type 0: a group of processors, or one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessorHierarchy {
    /// The flags as they stand.
    pub flags: u32,
    /// Whether this group is a package of its own.
    pub is_package: bool,
    /// Whether [`processor_uid`](Self::processor_uid) means something.
    pub processor_uid_valid: bool,
    /// Whether this is a hardware thread.
    pub is_thread: bool,
    /// Whether this is one processor, not a group.
    pub is_leaf: bool,
    /// Whether everything below is of one kind.
    pub identical: bool,
    /// Offset of the group that this belongs to; 0: none.
    pub parent: u32,
    /// The processor, by the number that the MADT gives it.
    pub processor_uid: u32,
    /// Offsets of the caches that belong to this group alone.
    pub resources: Vec<u32>,
}

/// Type 1: a cache. The flags say which fields mean something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PpttCache {
    /// Bits 0 to 7: size, sets, ways, allocation, kind, write policy, line and id are valid.
    pub flags: u32,
    /// Offset of the next cache on the way to memory; 0: none.
    pub next_level: u32,
    /// How much it holds.
    pub size_bytes: u32,
    /// How many sets.
    pub sets: u32,
    /// How many ways.
    pub ways: u8,
    /// The attributes as they stand.
    pub attributes: u8,
    /// The size of a line.
    pub line_bytes: u16,
    /// Its number; tables of revision 3 and later.
    pub cache_id: Option<u32>,
}

impl Pptt {
    pub(super) fn read(table: &mut Reading<'_>) -> Self {
        let read = |kind, entry: View<'_>| match kind {
            0 => processor(entry).map(PpttStructure::Processor),
            1 => cache(entry).map(PpttStructure::Cache),
            2 => vendor(entry),
            _ => None,
        };
        Self { entries: entries::read(table, STRUCTURES_AT, Head::Bytes, &LEAST, read) }
    }
}

fn processor(entry: View<'_>) -> Option<ProcessorHierarchy> {
    let flags = entry.u32(4)?;
    let flag = |bit: u32| (flags >> bit) & 1 != 0;
    Some(ProcessorHierarchy {
        flags,
        is_package: flag(0),
        processor_uid_valid: flag(1),
        is_thread: flag(2),
        is_leaf: flag(3),
        identical: flag(4),
        parent: entry.u32(8)?,
        processor_uid: entry.u32(12)?,
        resources: entry.u32s(20, entry.u32(16)? as usize)?,
    })
}

fn cache(entry: View<'_>) -> Option<PpttCache> {
    Some(PpttCache {
        flags: entry.u32(4)?,
        next_level: entry.u32(8)?,
        size_bytes: entry.u32(12)?,
        sets: entry.u32(16)?,
        ways: entry.u8(20)?,
        attributes: entry.u8(21)?,
        line_bytes: entry.u16(22)?,
        cache_id: entry.u32(24),
    })
}

fn vendor(entry: View<'_>) -> Option<PpttStructure> {
    Some(PpttStructure::Vendor {
        vendor_id: entry.u32(4)?,
        level_1_id: entry.u64(8)?,
        level_2_id: entry.u64(16)?,
        major: entry.u16(24)?,
        minor: entry.u16(26)?,
        spin: entry.u16(28)?,
    })
}
