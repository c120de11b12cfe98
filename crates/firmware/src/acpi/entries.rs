//! The entries after a table's fixed part, each with a type and a length.
//!
//! All entries are kept: of unknown type, disabled, too short, or cut off by the table's end. Only
//! an entry that is shorter than its own header stops the iteration, because the next entry cannot
//! be found.

use std::fmt;

use serde::{Serialize, Serializer};

use super::TableReader;
use crate::byte_view::ByteView;
use crate::fault::FaultKind;

/// Maximum number of entries that are read from a table. 8,192 CPUs with a local APIC and an x2APIC
/// entry each have 16,384.
pub const MAX_ENTRIES: usize = 100_000;

/// One entry of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TableEntry<B> {
    /// Offset in bytes from the start of the table.
    pub offset: usize,
    /// Length in bytes that it claims.
    #[serde(rename = "length_bytes")]
    pub length: u32,
    /// Type number.
    #[serde(rename = "type")]
    pub kind: u16,
    /// Its content.
    #[serde(flatten)]
    pub body: EntryBody<B>,
}

/// The content of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum EntryBody<B> {
    /// A decoded entry of a known type.
    Known(B),
    /// An entry of a known type that is too short, or whose counts exceed its length.
    Short {
        /// All its bytes, type and length included.
        #[serde(rename = "short")]
        bytes: HexBytes,
    },
    /// An entry of an unknown type.
    Unknown {
        /// All its bytes, type and length included.
        #[serde(rename = "unknown")]
        bytes: HexBytes,
    },
}

impl<B> TableEntry<B> {
    /// The decoded content, if the type is known and the entry is long enough.
    pub fn known(&self) -> Option<&B> {
        match &self.body {
            EntryBody::Known(body) => Some(body),
            EntryBody::Short { .. } | EntryBody::Unknown { .. } => None,
        }
    }
}

/// Bytes, printed and serialised as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexBytes(pub Box<[u8]>);

impl fmt::Display for HexBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

nearfar_model::schema_as!(HexBytes: String);

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Layout of an entry's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryHeader {
    /// One byte type, one byte length: SRAT, MADT, PPTT, CRAT, MSCT (whose first byte is a
    /// revision).
    Bytes,
    /// One byte type, one reserved, two bytes length: CEDT.
    LongLength,
    /// Two bytes type, two reserved, four bytes length: HMAT.
    Wide,
}

impl EntryHeader {
    fn size(self) -> usize {
        match self {
            Self::Bytes => 2,
            Self::LongLength => 4,
            Self::Wide => 8,
        }
    }

    /// Type and length of the entry at the start of `entry`.
    fn read(self, entry: ByteView<'_>) -> Option<(u16, u32)> {
        match self {
            Self::Bytes => Some((entry.at::<u8>(0)?.into(), entry.at::<u8>(1)?.into())),
            Self::LongLength => Some((entry.at::<u8>(0)?.into(), entry.at::<u16>(2)?.into())),
            Self::Wide => Some((entry.at(0)?, entry.at(4)?)),
        }
    }
}

/// The raw bytes of one entry.
struct Lying<'a> {
    offset: usize,
    kind: u16,
    length: u32,
    bytes: ByteView<'a>,
}

/// Iterates over the raw entries.
#[derive(Clone)]
struct EntryWalk<'a> {
    table: ByteView<'a>,
    head: EntryHeader,
    at: usize,
}

impl<'a> Iterator for EntryWalk<'a> {
    type Item = Lying<'a>;

    fn next(&mut self) -> Option<Lying<'a>> {
        let offset = self.at;
        let rest = self.table.from(offset);
        let (kind, length) = self.head.read(ByteView(rest))?;
        let claimed = length as usize;
        // After an entry that is shorter than its header, no further one can be found.
        self.at =
            if claimed < self.head.size() { usize::MAX } else { offset.saturating_add(claimed) };
        let here = claimed.max(self.head.size()).min(rest.len());
        Some(Lying { offset, kind, length, bytes: ByteView(&rest[..here]) })
    }
}

/// A known entry type: its number, its minimum size in bytes, and the function that reads it (given
/// the table's revision).
pub(super) type EntryReader<B> = (u16, usize, fn(ByteView<'_>, u8) -> Option<B>);

/// Reads all entries from an offset to the end of the table.
pub(super) fn read<B>(
    table: &mut TableReader<'_>,
    start: usize,
    head: EntryHeader,
    types: &[EntryReader<B>],
) -> Vec<TableEntry<B>> {
    let walk = EntryWalk { table: table.bytes, head, at: start };
    // Counted first, so that the allocation fits the number of entries.
    let count = walk.clone().take(MAX_ENTRIES).count();
    let mut entries = Vec::with_capacity(count);
    let mut end = start;
    for lying in walk.take(count) {
        check_length(table, &lying, head);
        end = lying.offset.saturating_add((lying.length as usize).max(head.size()));
        entries.push(entry(table, &lying, types));
    }
    check_end(table, end, count, head);
    entries
}

fn entry<B>(
    table: &mut TableReader<'_>,
    lying: &Lying<'_>,
    types: &[EntryReader<B>],
) -> TableEntry<B> {
    let &Lying { offset, kind, length, bytes } = lying;
    let whole = || HexBytes(bytes.0.into());
    let body = match types.iter().find(|(known, ..)| *known == kind) {
        None => EntryBody::Unknown { bytes: whole() },
        Some(&(_, least, _)) if bytes.len() < least => {
            let found = bytes.len();
            table.faults.add(offset, FaultKind::ShortEntry, || {
                format!("an entry of type {kind} has {found} bytes, and its type needs {least}")
            });
            EntryBody::Short { bytes: whole() }
        }
        Some((_, _, read)) => match read(bytes, table.revision) {
            Some(body) => EntryBody::Known(body),
            None => {
                table.faults.add(offset, FaultKind::CountBeyondTable, || {
                    format!("an entry of type {kind} has counts beyond its {} bytes", bytes.len())
                });
                EntryBody::Short { bytes: whole() }
            }
        },
    };
    TableEntry { offset, length, kind, body }
}

fn check_length(table: &mut TableReader<'_>, lying: &Lying<'_>, head: EntryHeader) {
    let &Lying { offset, kind, length, bytes } = lying;
    if (length as usize) < head.size() {
        table.faults.add(offset, FaultKind::ZeroLength, || {
            format!("an entry of type {kind} claims {length} bytes: the next entry cannot be found")
        });
    } else if length as usize > bytes.len() {
        let left = bytes.len();
        table.faults.add(offset, FaultKind::BeyondTable, || {
            format!("an entry of type {kind} claims {length} bytes, and the table has {left} more")
        });
    }
}

fn check_end(table: &mut TableReader<'_>, end: usize, count: usize, head: EntryHeader) {
    let left = table.bytes.from(end).len();
    if count == MAX_ENTRIES && left > 0 {
        table.faults.add(end, FaultKind::Flood, || {
            format!("more than {MAX_ENTRIES} entries: {left} bytes at the end are not read")
        });
    } else if left > 0 && left < head.size() {
        table.faults.add(end, FaultKind::LeftOver, || {
            format!("{left} bytes at the end are too few for an entry")
        });
    }
}
