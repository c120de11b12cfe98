//! SMBIOS: processor sockets and memory slots.
//!
//! Types 4, 16 and 17 are decoded. Serial numbers, asset tags and everything about the chassis are
//! skipped: they identify the owner, not the hardware. Layouts: DMTF DSP0134, 3.7.

mod memory;
mod processor;
mod slot;
mod structure;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::fault::{Fault, FaultKind, Faults};
use crate::byte_view::ByteView;
use structure::SmbiosStructures;

pub use memory::{MemoryArray, MemoryDevice};
pub use processor::Processor;
pub use slot::SlotLocation;

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

/// Type 16, "Use": system memory.
const SYSTEM_MEMORY: u8 = 3;
/// Width of a channel, without ECC bits.
const CHANNEL_BITS: u16 = 64;
/// Memory types DDR2 to DDR5, LPDDR4 and LPDDR5: they transfer their full width each time.
const KINDS: [u8; 6] = [19, 24, 26, 34, 30, 35];

/// The populated channels of the machine; all run at one speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// Number of channels in the whole machine.
    pub count: u32,
    /// Speed of each, in million transfers of 8 bytes per second.
    pub mega_transfers_per_s: u32,
}

impl Smbios {
    /// The slots for system memory, including empty ones.
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, sections 7.17 and 7.18
    pub fn system_memory(&self) -> Vec<&MemoryDevice> {
        let of_system = |handle: u16| {
            let array = self.arrays.iter().find(|array| array.handle == handle);
            array.is_none_or(|array| array.purpose.is_none_or(|purpose| purpose == SYSTEM_MEMORY))
        };
        self.devices.iter().filter(|device| device.array.is_none_or(of_system)).collect()
    }

    /// The populated channels. `None` if anything would be a guess: unknown size, speed, width or
    /// channel, sockets that the slots do not distinguish, or sockets with different numbers of
    /// channels.
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, section 7.18
    pub fn channels(&self) -> Option<Channels> {
        let slots = self.system_memory();
        if slots.iter().any(|slot| slot.is_populated().is_none()) {
            return None;
        }
        let modules: Vec<&MemoryDevice> =
            slots.into_iter().filter(|slot| slot.is_populated() == Some(true)).collect();
        let speed = modules.first()?.configured_speed_mt_per_s?;
        let is_plain = |module: &&MemoryDevice| {
            module.configured_speed_mt_per_s == Some(speed)
                && module.data_width_bits == Some(CHANNEL_BITS)
                && module.memory_type.is_some_and(|kind| KINDS.contains(&kind))
        };
        let processors =
            self.processors.iter().filter(|processor| processor.populated == Some(true)).count();
        let sockets_known =
            processors <= 1 || modules.iter().all(|module| module.slot.socket.is_some());
        if !sockets_known || !modules.iter().all(is_plain) {
            return None;
        }
        let mut by_socket: BTreeMap<Option<&str>, BTreeSet<(Option<&str>, &str)>> = BTreeMap::new();
        for module in &modules {
            let slot = &module.slot;
            let channel = (slot.node.as_deref(), slot.channel.as_deref()?);
            by_socket.entry(slot.socket.as_deref()).or_default().insert(channel);
        }
        let each = by_socket.values().next()?.len();
        let equal = by_socket.values().all(|channels| channels.len() == each);
        let count = u32::try_from(each * by_socket.len()).ok()?;
        equal.then_some(Channels { count, mega_transfers_per_s: speed })
    }
}

/// A decoded entry point.
struct EntryPoint {
    major: u8,
    minor: u8,
    address: u64,
    /// Size of the table in bytes.
    table_bytes: usize,
    /// Whether this is the exact size, not the maximum.
    exact: bool,
    /// Whether the checksum is right: all bytes add up to 0.
    checksum_holds: bool,
}

impl EntryPoint {
    /// Reads a 32-bit (`_SM_`) or 64-bit (`_SM3_`) entry point.
    fn read(bytes: &[u8]) -> Option<Self> {
        let point = ByteView(bytes);
        if bytes.starts_with(b"_SM3_") {
            return Some(Self {
                major: point.at(7)?,
                minor: point.at(8)?,
                address: point.at(16)?,
                table_bytes: point.at::<u32>(12)? as usize,
                exact: false,
                checksum_holds: adds_up(bytes, point.at(6)?),
            });
        }
        if bytes.starts_with(b"_SM_") && point.slice(16, 5)? == b"_DMI_" {
            return Some(Self {
                major: point.at(6)?,
                minor: point.at(7)?,
                address: point.at::<u32>(24)?.into(),
                table_bytes: point.at::<u16>(22)?.into(),
                exact: true,
                checksum_holds: adds_up(bytes, point.at(5)?),
            });
        }
        None
    }

    /// "3.3".
    fn version(&self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    /// Offset of the table in a file that has both; `dmidecode` writes it into the entry point.
    fn table_at(&self) -> Option<usize> {
        usize::try_from(self.address).ok()
    }
}

fn adds_up(bytes: &[u8], length: u8) -> bool {
    bytes
        .get(..length.into())
        .is_some_and(|point| point.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte)) == 0)
}
