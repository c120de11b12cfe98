//! SMBIOS: which sockets hold a processor, and which slots hold a memory module.
//!
//! Types 4, 16 and 17 are read. Serial numbers, asset tags and everything about the chassis are
//! left where they are: they say whose machine it is, not what it is made of. Layouts: DMTF
//! DSP0134, 3.7.

mod channels;
mod entry_point;
mod memory;
mod processor;
mod slot;
mod structure;

use serde::Serialize;

pub use channels::Channels;
pub use memory::{MemoryArray, MemoryDevice};
pub use processor::Processor;
pub use slot::SlotLocation;

use super::fault::{Fault, FaultKind, Faults};
use entry_point::EntryPoint;
use structure::SmbiosStructures;

/// What SMBIOS says of processors and memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Smbios {
    /// The version that the entry point tells, such as "3.3"; none without an entry point.
    pub version: Option<String>,
    /// How many structures there are, of all types.
    pub structures: usize,
    /// The sockets, empty ones too.
    pub processors: Vec<Processor>,
    /// The groups of slots.
    pub arrays: Vec<MemoryArray>,
    /// The slots, empty ones too.
    pub devices: Vec<MemoryDevice>,
    /// What is wrong with the table.
    pub faults: Vec<Fault>,
}

impl Smbios {
    /// Decodes a table of structures, as in `/sys/firmware/dmi/tables/DMI`.
    pub fn decode(table: &[u8]) -> Self {
        Self::with_entry_point(None, table)
    }

    /// Decodes entry point and table, as they lie in two files of `/sys/firmware/dmi/tables`.
    pub fn decode_parts(entry_point: &[u8], table: &[u8]) -> Self {
        Self::with_entry_point(EntryPoint::read(entry_point).as_ref(), table)
    }

    /// Decodes one file of either kind: a bare table, or an entry point and the table where it
    /// points to, as `dmidecode --dump-bin` writes them. None where the bytes are neither.
    pub fn decode_file(file: &[u8]) -> Option<Self> {
        if let Some(point) = EntryPoint::read(file) {
            let table = file.get(point.table_at()?..)?;
            return Some(Self::with_entry_point(Some(&point), table));
        }
        structure::looks_like_a_table(file).then(|| Self::decode(file))
    }

    fn with_entry_point(point: Option<&EntryPoint>, table: &[u8]) -> Self {
        let mut faults = Faults::default();
        let table = within(point, table, &mut faults);
        let mut found = Self { version: point.map(EntryPoint::version), ..Self::default() };
        let mut structures = SmbiosStructures::of(table, &mut faults);
        while let Some(structure) = structures.next() {
            found.structures += 1;
            // A type has had so many fixed bytes since its first version.
            match (structure.kind, structure.fields.len()) {
                (4, ..26) | (16, ..15) | (17, ..21) => structures.too_short(&structure),
                (4, _) => found.processors.extend(Processor::read(&structure)),
                (16, _) => found.arrays.extend(MemoryArray::read(&structure)),
                (17, _) => found.devices.extend(MemoryDevice::read(&structure)),
                _ => {}
            }
        }
        found.faults = faults.into_list();
        found
    }
}

/// The table up to the end that the entry point tells.
fn within<'a>(point: Option<&EntryPoint>, table: &'a [u8], faults: &mut Faults) -> &'a [u8] {
    let Some(point) = point else { return table };
    if !point.checksum_holds {
        faults.add(0, FaultKind::BadChecksum, || "the entry point's checksum is wrong".to_owned());
    }
    match table.get(..point.table_bytes) {
        Some(table) => table,
        None => {
            // The newer entry point only tells the most that the table can have.
            if point.exact {
                faults.add(0, FaultKind::CutShort, || {
                    format!(
                        "the entry point promises {} bytes, and there are {}",
                        point.table_bytes,
                        table.len()
                    )
                });
            }
            table
        }
    }
}

#[cfg(test)]
mod tests;
