//! Type 4: a processor socket.

use super::structure::SmbiosStructure;
use crate::layout::layout;

layout! {
    /// Type 4: a processor socket.
    pub struct Processor(structure: &SmbiosStructure<'_>) {
        /// Handle by which other structures refer to it.
        pub handle: u16 = structure.handle,
        /// The board's name of the socket: "CPU1".
        pub socket: Option<String> = structure.text(4),
        /// Whether it has a processor; `None` in old tables without the field.
        pub populated: Option<bool> = structure.at(24).map(|status: u8| status & 0x40 != 0),
        /// State of the processor: 1 enabled, 2 disabled by the user, 3 by the BIOS, 4 idle.
        pub status: Option<u8> = structure.at(24).map(|status: u8| status & 7),
        /// Manufacturer.
        pub manufacturer: Option<String> = structure.text(7),
        /// The processor's name: "AMD Opteron(tm) Processor 6174".
        pub version: Option<String> = structure.text(16),
        /// Maximum clock in MHz; 0 is unknown.
        pub max_speed_mhz: Option<u16> = structure.at(20),
        /// Clock at boot in MHz; 0 is unknown.
        pub current_speed_mhz: Option<u16> = structure.at(22),
        /// Number of cores.
        pub cores: Option<u16> = count(structure, 35, 42),
        /// Number of enabled cores.
        pub cores_enabled: Option<u16> = count(structure, 36, 44),
        /// Number of hardware threads.
        pub threads: Option<u16> = count(structure, 37, 46),
    }
}

/// A count in one byte; 0 is unknown, and 255 means that a later field has two bytes (since SMBIOS
/// 3.0).
fn count(structure: &SmbiosStructure<'_>, narrow: usize, wide: usize) -> Option<u16> {
    match structure.at::<u8>(narrow)? {
        0 => None,
        255 => {
            structure.at::<u16>(wide).filter(|&count| count != 0 && count != u16::MAX).or(Some(255))
        }
        count => Some(count.into()),
    }
}
