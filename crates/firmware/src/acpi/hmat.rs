//! HMAT: what firmware claims memory costs in nanoseconds and megabytes a second, and which memory has a cache before it.
//!
//! Layouts: ACPI 6.2 (revision 1) and 6.3 (revision 2), section 5.2.27/28.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::Reading;
use super::entries::{self, Entry, Head};
use crate::view::View;

mod locality;
pub use locality::{Locality, LocalityData};

const STRUCTURES_AT: usize = 40;
/// The types, and how many bytes each needs.
const LEAST: [(u16, usize); 3] = [(0, 40), (1, 32), (2, 32)];

/// The structures of a HMAT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hmat {
    /// All structures, in order.
    pub entries: Vec<Entry<HmatStructure>>,
}

/// One structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum HmatStructure {
    /// Type 0: which initiator is attached to a domain's memory.
    Memory(MemoryAttributes),
    /// Type 1: a matrix of latencies or bandwidths.
    Locality(Locality),
    /// Type 2: a cache before a domain's memory.
    Cache(MemorySideCache),
}

/// Type 0: which initiator is attached to a domain's memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryAttributes {
    /// The flags as they stand.
    pub flags: u16,
    /// Whether [`initiator`](Self::initiator) means something.
    pub initiator_valid: bool,
    /// Whether [`memory`](Self::memory) means something: a flag of revision 1 only.
    pub memory_valid: bool,
    /// Whether the range should be left alone unless asked for: a flag of revision 1 only.
    pub reservation_hint: bool,
    /// The domain whose accesses reach this memory directly.
    pub initiator: ProximityDomain,
    /// The memory's domain.
    pub memory: ProximityDomain,
    /// First physical address: revision 1 only, reserved later.
    pub base_address: u64,
    /// How many bytes: revision 1 only, reserved later.
    pub size_bytes: u64,
}

/// Type 2: a cache before a domain's memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemorySideCache {
    /// The memory's domain.
    pub memory: ProximityDomain,
    /// How much the cache holds.
    pub size_bytes: u64,
    /// The attributes as they stand.
    pub attributes: u32,
    /// How many levels of cache there are before this memory.
    pub levels: u8,
    /// Which level this one is.
    pub level: u8,
    /// 0 none, 1 direct mapped, 2 complex.
    pub associativity: u8,
    /// 0 none, 1 write back, 2 write through.
    pub write_policy: u8,
    /// The size of a line.
    pub line_bytes: u16,
    /// The modules of memory that stand for the cache, as SMBIOS numbers them.
    pub smbios_handles: Vec<u16>,
}

impl Hmat {
    pub(super) fn read(table: &mut Reading<'_>) -> Self {
        let revision = table.revision;
        let read = |kind, entry: View<'_>| match kind {
            0 => memory(entry).map(HmatStructure::Memory),
            1 => locality::read(entry, revision).map(HmatStructure::Locality),
            2 => cache(entry).map(HmatStructure::Cache),
            _ => None,
        };
        Self { entries: entries::read(table, STRUCTURES_AT, Head::Wide, &LEAST, read) }
    }

    /// The matrices, in order.
    pub fn localities(&self) -> impl Iterator<Item = &Locality> {
        self.entries.iter().filter_map(|entry| match entry.known() {
            Some(HmatStructure::Locality(locality)) => Some(locality),
            _ => None,
        })
    }
}

fn memory(entry: View<'_>) -> Option<MemoryAttributes> {
    let flags = entry.u16(8)?;
    Some(MemoryAttributes {
        flags,
        initiator_valid: flags & 1 != 0,
        memory_valid: flags & 2 != 0,
        reservation_hint: flags & 4 != 0,
        initiator: ProximityDomain(entry.u32(12)?),
        memory: ProximityDomain(entry.u32(16)?),
        base_address: entry.u64(24)?,
        size_bytes: entry.u64(32)?,
    })
}

fn cache(entry: View<'_>) -> Option<MemorySideCache> {
    let attributes = entry.u32(24)?;
    let nibble = |shift: u32| ((attributes >> shift) & 0xf) as u8;
    Some(MemorySideCache {
        memory: ProximityDomain(entry.u32(8)?),
        size_bytes: entry.u64(16)?,
        attributes,
        levels: nibble(0),
        level: nibble(4),
        associativity: nibble(8),
        write_policy: nibble(12),
        line_bytes: (attributes >> 16) as u16,
        smbios_handles: entry.u16s(32, entry.u16(30)?.into())?,
    })
}
