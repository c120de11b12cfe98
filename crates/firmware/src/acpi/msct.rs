//! MSCT: the maximum number of domains and size of memory of the board. Linux does not read it.
//! Layout: ACPI 6.6, section 5.2.19.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::TableReader;
use super::entries::{self, EntryHeader, EntryReader, TableEntry};
use crate::byte_view::ByteView;
use crate::fault::FaultKind;
use crate::layout::layout;

/// The entries begin with a revision instead of a type; there is only one revision.
const TYPES: [EntryReader<DomainMaximum>; 1] = [(1, 22, |entry, _| DomainMaximum::read(entry))];

/// The maximum configuration of the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Msct {
    /// Offset of the entries in bytes from the start of the table.
    pub entries_offset: Option<u32>,
    /// The highest proximity domain: one less than their count.
    pub max_domain: Option<u32>,
    /// The highest clock domain.
    pub max_clock_domain: Option<u32>,
    /// The highest physical address.
    pub max_physical_address: Option<u64>,
    /// All entries, in order.
    pub entries: Vec<TableEntry<DomainMaximum>>,
}

layout! {
    /// The maximum of each domain in a range of domains.
    pub struct DomainMaximum(entry: ByteView<'_>) {
        /// The first of these domains.
        pub first: ProximityDomain = entry.at(2)?,
        /// The last of them.
        pub last: ProximityDomain = entry.at(6)?,
        /// Maximum number of processors in each; 0 for none.
        pub max_processors: u32 = entry.at(10)?,
        /// Maximum memory in each, in bytes; 0 for none.
        pub max_memory_bytes: u64 = entry.at(14)?,
    }
}

impl Msct {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        let bytes = table.bytes;
        let entries_offset: Option<u32> = bytes.at(36);
        let start = entries_offset.map(|offset| offset as usize);
        // Fields up to byte 56 are fixed; entries cannot begin before.
        let fits = start.is_some_and(|start| (56..=bytes.len()).contains(&start));
        if !fits {
            table.faults.add(36, FaultKind::CountBeyondTable, || {
                format!(
                    "the entries begin at {entries_offset:?}, and the table has {} bytes",
                    bytes.len()
                )
            });
        }
        let start = start.filter(|_| fits).unwrap_or(bytes.len());
        let max_domain = bytes.at(40);
        let entries = entries::read(table, start, EntryHeader::Bytes, &TYPES);
        check_domains(table, max_domain, &entries);
        Self {
            entries_offset,
            max_domain,
            max_clock_domain: bytes.at(44),
            max_physical_address: bytes.at(48),
            entries,
        }
    }
}

/// Checks that each entry's domains ascend and are not above the highest.
fn check_domains(
    table: &mut TableReader<'_>,
    highest: Option<u32>,
    entries: &[TableEntry<DomainMaximum>],
) {
    for entry in entries {
        let Some(most) = entry.known() else { continue };
        let (first, last) = (most.first, most.last);
        if first > last {
            table.faults.add(entry.offset, FaultKind::WrongCount, || {
                format!("the entry has domains {first} to {last}, an empty range")
            });
        }
        if let Some(highest) = highest.filter(|highest| first.0.max(last.0) > *highest) {
            table.faults.add(entry.offset, FaultKind::WrongCount, || {
                format!(
                    "the entry has domains {first} to {last}, and the table's highest is {highest}"
                )
            });
        }
    }
}
