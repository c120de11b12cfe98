//! SMBIOS: processor sockets and memory slots.
//!
//! Types 4, 16 and 17 are decoded. Serial numbers, asset tags and everything about the chassis are
//! skipped: they identify the owner, not the hardware. Layouts: DMTF DSP0134, 3.7.

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

/// Processors and memory as SMBIOS reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Smbios {
    /// The version in the entry point, such as "3.3"; `None` without an entry point.
    pub version: Option<String>,
    /// Number of structures of all types.
    pub structures: usize,
    /// Processor sockets, including empty ones.
    pub processors: Vec<Processor>,
    /// Memory arrays (groups of slots).
    pub arrays: Vec<MemoryArray>,
    /// Memory slots, including empty ones.
    pub devices: Vec<MemoryDevice>,
    /// Problems of the table.
    pub faults: Vec<Fault>,
}

impl Smbios {
    /// Decodes a table of structures, as in `/sys/firmware/dmi/tables/DMI`, up to its END structure
    /// (type 127). Never fails: problems are in [`faults`](Self::faults).
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, section 6.1; Documentation/ABI/testing/sysfs-firmware-dmi-tables
    pub fn decode(table: &[u8]) -> Self {
        Self::with_entry_point(None, table)
    }

    /// Decodes an entry point and its table, as in the two files of `/sys/firmware/dmi/tables`.
    /// Never fails.
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, section 5.2
    pub fn decode_parts(entry_point: &[u8], table: &[u8]) -> Self {
        Self::with_entry_point(EntryPoint::read(entry_point).as_ref(), table)
    }

    /// Decodes a file: a bare table, or an entry point and its table as `dmidecode --dump-bin`
    /// writes them. `None` if it is neither.
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, section 5.2; dmidecode(8)
    pub fn decode_file(file: &[u8]) -> Option<Self> {
        if let Some(point) = EntryPoint::read(file) {
            let table = file.get(point.table_at()?..)?;
            return Some(Self::with_entry_point(Some(&point), table));
        }
        structure::is_bare_table(file).then(|| Self::decode(file))
    }

    fn with_entry_point(point: Option<&EntryPoint>, table: &[u8]) -> Self {
        let mut faults = Faults::default();
        let table = within(point, table, &mut faults);
        let mut found = Self { version: point.map(EntryPoint::version), ..Self::default() };
        let mut structures = SmbiosStructures::new(table, &mut faults);
        while let Some(structure) = structures.next() {
            found.structures += 1;
            // Sizes of the first version of each type.
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

/// The table up to the size in the entry point.
fn within<'a>(point: Option<&EntryPoint>, table: &'a [u8], faults: &mut Faults) -> &'a [u8] {
    let Some(point) = point else { return table };
    if !point.checksum_holds {
        faults.add(0, FaultKind::BadChecksum, || "the entry point's checksum is wrong".to_owned());
    }
    match table.get(..point.table_bytes) {
        Some(table) => table,
        None => {
            // The 64-bit entry point has only the maximum size.
            if point.exact {
                faults.add(0, FaultKind::CutShort, || {
                    format!(
                        "the entry point announces {} bytes, and there are {}",
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
