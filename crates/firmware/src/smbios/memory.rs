//! Types 16 and 17: groups of slots, and each slot with the module in it.

use super::slot::{self, SlotLocation};
use super::structure::SmbiosStructure;
use crate::layout::layout;

layout! {
    /// Type 16: a group of slots.
    pub struct MemoryArray(structure: &SmbiosStructure<'_>) {
        /// The number by which slots refer to it.
        pub handle: u16 = structure.handle,
        /// Where it is: 3 is the system board.
        pub location: Option<u8> = structure.at(4),
        /// What it is for: 3 is system memory, 4 video, 5 flash, 7 cache.
        pub purpose: Option<u8> = structure.at(5),
        /// How it corrects errors: 3 not, 5 one bit, 6 several bits, 7 by CRC.
        pub error_correction: Option<u8> = structure.at(6),
        /// How much memory fits in.
        pub max_capacity_bytes: Option<u64> = capacity(structure),
        /// How many slots it says it has.
        pub slots: Option<u16> = structure.at(13),
    }

    /// Type 17: a slot, and the module in it.
    pub struct MemoryDevice(structure: &SmbiosStructure<'_>) {
        /// The number by which others refer to it.
        pub handle: u16 = structure.handle,
        /// The group it belongs to.
        pub array: Option<u16> = structure.at(4),
        /// Modules that have to be alike have the same number here; none for 0, which is no set, and 255, unknown.
        pub set: Option<u8> = structure.at(15).filter(|&set: &u8| set != 0 && set != u8::MAX),
        /// What the board calls the slot: "P1-DIMMA1".
        pub locator: Option<String> = structure.text(16),
        /// What it calls the bank: "P0_Node0_Channel0_Dimm0".
        pub bank: Option<String> = structure.text(17),
        /// Socket, node, channel and place, where the two names give them away.
        pub slot: SlotLocation = slot::read(locator.as_deref().unwrap_or_default(), bank.as_deref().unwrap_or_default()),
        /// How much the module holds; 0 for an empty slot; none where the table does not know.
        pub size_bytes: Option<u64> = size(structure),
        /// Width in bits with the bits for correction; 65535 is unknown.
        pub total_width_bits: Option<u16> = structure.at(8),
        /// Width in bits; 65535 is unknown.
        pub data_width_bits: Option<u16> = structure.at(10),
        /// The shape as a number: 9 DIMM, 13 SODIMM, 11 soldered rows.
        pub form_factor: Option<u8> = structure.at(14),
        /// The kind as a number: 24 DDR3, 26 DDR4, 32 HBM, 34 DDR5.
        pub memory_type: Option<u8> = structure.at(18),
        /// How fast it could be, in million transfers a second; none where unknown.
        pub speed_mt_per_s: Option<u32> = speed(structure, 21, 84),
        /// How fast it runs, in million transfers a second; none where unknown.
        pub configured_speed_mt_per_s: Option<u32> = speed(structure, 32, 88),
        /// How many ranks; none where unknown.
        pub ranks: Option<u8> = structure.at(27).map(|attributes: u8| attributes & 0xf).filter(|&ranks| ranks != 0),
        /// Who made it.
        pub manufacturer: Option<String> = structure.text(23),
        /// Their name for it.
        pub part_number: Option<String> = structure.text(26),
    }
}

impl MemoryDevice {
    /// Whether a module is in the slot; none where the table does not know.
    pub fn is_populated(&self) -> Option<bool> {
        self.size_bytes.map(|size| size > 0)
    }
}

/// In KiB; from 2 TiB on, bytes stand further down.
fn capacity(structure: &SmbiosStructure<'_>) -> Option<u64> {
    match structure.at::<u32>(7)? {
        0x8000_0000 => structure.at(15).filter(|&bytes: &u64| bytes != 0),
        kib => Some(u64::from(kib) << 10),
    }
}

/// In MiB, or in KiB where the highest bit is set; 0x7fff says that MiB stand further down, 0xffff
/// that nobody knows.
fn size(structure: &SmbiosStructure<'_>) -> Option<u64> {
    match structure.at::<u16>(12)? {
        0xffff => None,
        0x7fff => structure.at::<u32>(28).map(|mib| u64::from(mib & 0x7fff_ffff) << 20),
        kib if kib & 0x8000 != 0 => Some(u64::from(kib & 0x7fff) << 10),
        mib => Some(u64::from(mib) << 20),
    }
}

/// In two bytes, where 0 is unknown and 0xffff says that it stands in four bytes further down.
fn speed(structure: &SmbiosStructure<'_>, narrow: usize, wide: usize) -> Option<u32> {
    match structure.at::<u16>(narrow)? {
        0 => None,
        0xffff => structure.at(wide).filter(|&speed: &u32| speed != 0),
        speed => Some(speed.into()),
    }
}
