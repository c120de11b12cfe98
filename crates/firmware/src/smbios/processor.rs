//! Type 4: a socket, and what sits in it.

use super::structure::SmbiosStructure;
use crate::layout::layout;

layout! {
    /// A socket.
    pub struct Processor(structure: &SmbiosStructure<'_>) {
        /// The number by which others refer to it.
        pub handle: u16 = structure.handle,
        /// What the board calls it: "CPU1".
        pub socket: Option<String> = structure.text(4),
        /// Whether something sits in it; none where the table is too old to tell.
        pub populated: Option<bool> = structure.at(24).map(|status: u8| status & 0x40 != 0),
        /// Whether that is running: 1 enabled, 2 disabled by the user, 3 by the BIOS, 4 idle.
        pub status: Option<u8> = structure.at(24).map(|status: u8| status & 7),
        /// Who made it.
        pub manufacturer: Option<String> = structure.text(7),
        /// What it calls itself: "AMD Opteron(tm) Processor 6174".
        pub version: Option<String> = structure.text(16),
        /// The clock it may have at most; 0 means unknown.
        pub max_speed_mhz: Option<u16> = structure.at(20),
        /// The clock it was started with; 0 means unknown.
        pub current_speed_mhz: Option<u16> = structure.at(22),
        /// How many cores it has.
        pub cores: Option<u16> = count(structure, 35, 42),
        /// How many of them are enabled.
        pub cores_enabled: Option<u16> = count(structure, 36, 44),
        /// How many hardware threads it has.
        pub threads: Option<u16> = count(structure, 37, 46),
    }
}

/// A count in one byte, where 0 is unknown and 255 says that it stands in two bytes further down
/// (since SMBIOS 3.0).
fn count(structure: &SmbiosStructure<'_>, narrow: usize, wide: usize) -> Option<u16> {
    match structure.at::<u8>(narrow)? {
        0 => None,
        255 => {
            structure.at::<u16>(wide).filter(|&count| count != 0 && count != u16::MAX).or(Some(255))
        }
        count => Some(count.into()),
    }
}
