//! Types 16 and 17: memory arrays, and memory slots with their modules.

use super::slot::{self, SlotLocation};
use super::structure::SmbiosStructure;
use crate::layout::layout;

layout! {
    /// Type 16: a memory array (group of slots).
    pub struct MemoryArray(structure: &SmbiosStructure<'_>) {
        /// Handle by which slots refer to it.
        pub handle: u16 = structure.handle,
        /// Location: 3 is the system board.
        pub location: Option<u8> = structure.at(4),
        /// Use: 3 is system memory, 4 video, 5 flash, 7 cache.
        pub purpose: Option<u8> = structure.at(5),
        /// Error correction: 3 none, 5 single-bit, 6 multi-bit, 7 CRC.
        pub error_correction: Option<u8> = structure.at(6),
        /// Maximum capacity in bytes.
        pub max_capacity_bytes: Option<u64> = capacity(structure),
        /// Number of slots that it claims.
        pub slots: Option<u16> = structure.at(13),
    }

    /// Type 17: a memory slot and its module.
    pub struct MemoryDevice(structure: &SmbiosStructure<'_>) {
        /// Handle by which other structures refer to it.
        pub handle: u16 = structure.handle,
        /// Handle of its memory array.
        pub array: Option<u16> = structure.at(4),
        /// Modules that must be identical share this number. 0 (no set) and 255 (unknown) are
        /// `None`.
        pub set: Option<u8> = structure.at(15).filter(|&set: &u8| set != 0 && set != u8::MAX),
        /// The board's name of the slot: "P1-DIMMA1".
        pub locator: Option<String> = structure.text(16),
        /// The board's name of the bank: "P0_Node0_Channel0_Dimm0".
        pub bank: Option<String> = structure.text(17),
        /// Socket, node and channel, as far as the two names show them.
        pub slot: SlotLocation = slot::read(
            locator.as_deref().unwrap_or_default(),
            bank.as_deref().unwrap_or_default(),
        ),
        /// Size of the module in bytes; 0 for an empty slot, `None` if unknown.
        pub size_bytes: Option<u64> = size(structure),
        /// Width in bits, ECC bits included; 65535 is unknown.
        pub total_width_bits: Option<u16> = structure.at(8),
        /// Width in bits; 65535 is unknown.
        pub data_width_bits: Option<u16> = structure.at(10),
        /// Form factor: 9 DIMM, 13 SODIMM, 11 row of chips.
        pub form_factor: Option<u8> = structure.at(14),
        /// Memory type: 24 DDR3, 26 DDR4, 32 HBM, 34 DDR5.
        pub memory_type: Option<u8> = structure.at(18),
        /// Maximum speed in million transfers per second; `None` if unknown.
        pub speed_mt_per_s: Option<u32> = speed(structure, 21, 84),
        /// Configured speed in million transfers per second; `None` if unknown.
        pub configured_speed_mt_per_s: Option<u32> = speed(structure, 32, 88),
        /// Number of ranks; `None` if unknown.
        pub ranks: Option<u8> = structure
            .at(27)
            .map(|attributes: u8| attributes & 0xf)
            .filter(|&ranks| ranks != 0),
        /// Manufacturer.
        pub manufacturer: Option<String> = structure.text(23),
        /// The manufacturer's part number.
        pub part_number: Option<String> = structure.text(26),
    }
}

impl MemoryDevice {
    /// Whether a module is in the slot; `None` if the table does not know.
    ///
    /// # References
    ///
    /// DMTF DSP0134, 3.7, section 7.18.5
    pub fn is_populated(&self) -> Option<bool> {
        self.size_bytes.map(|size| size > 0)
    }
}

/// In KiB; from 2 TiB on, a later field has the bytes.
fn capacity(structure: &SmbiosStructure<'_>) -> Option<u64> {
    match structure.at::<u32>(7)? {
        0x8000_0000 => structure.at(15).filter(|&bytes: &u64| bytes != 0),
        kib => Some(u64::from(kib) << 10),
    }
}

/// In MiB, or in KiB if the highest bit is set. 0x7fff: a later field has the MiB. 0xffff: unknown.
fn size(structure: &SmbiosStructure<'_>) -> Option<u64> {
    match structure.at::<u16>(12)? {
        0xffff => None,
        0x7fff => structure.at::<u32>(28).map(|mib| u64::from(mib & 0x7fff_ffff) << 20),
        kib if kib & 0x8000 != 0 => Some(u64::from(kib & 0x7fff) << 10),
        mib => Some(u64::from(mib) << 20),
    }
}

/// In two bytes; 0 is unknown, and 0xffff means that a later field has four bytes.
fn speed(structure: &SmbiosStructure<'_>, narrow: usize, wide: usize) -> Option<u32> {
    match structure.at::<u16>(narrow)? {
        0 => None,
        0xffff => structure.at(wide).filter(|&speed: &u32| speed != 0),
        speed => Some(speed.into()),
    }
}
