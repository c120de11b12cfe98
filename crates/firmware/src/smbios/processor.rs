//! Type 4: a socket, and what sits in it.

use serde::Serialize;

use super::structure::Structure;

/// A socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Processor {
    /// The number by which others refer to it.
    pub handle: u16,
    /// What the board calls it: "CPU1".
    pub socket: Option<String>,
    /// Whether something sits in it; none where the table is too old to tell.
    pub populated: Option<bool>,
    /// Whether that is running: 1 enabled, 2 disabled by the user, 3 by the BIOS, 4 idle.
    pub status: Option<u8>,
    /// Who made it.
    pub manufacturer: Option<String>,
    /// What it calls itself: "AMD Opteron(tm) Processor 6174".
    pub version: Option<String>,
    /// The clock it may have at most; 0 means unknown.
    pub max_speed_mhz: Option<u16>,
    /// The clock it was started with; 0 means unknown.
    pub current_speed_mhz: Option<u16>,
    /// How many cores it has.
    pub cores: Option<u16>,
    /// How many of them are enabled.
    pub cores_enabled: Option<u16>,
    /// How many hardware threads it has.
    pub threads: Option<u16>,
}

pub(super) fn read(structure: &Structure<'_>) -> Processor {
    let fields = structure.fields;
    let status = fields.u8(24);
    Processor {
        handle: structure.handle,
        socket: structure.text(4),
        populated: status.map(|status| status & 0x40 != 0),
        status: status.map(|status| status & 7),
        manufacturer: structure.text(7),
        version: structure.text(16),
        max_speed_mhz: fields.u16(20),
        current_speed_mhz: fields.u16(22),
        cores: count(structure, 35, 42),
        cores_enabled: count(structure, 36, 44),
        threads: count(structure, 37, 46),
    }
}

/// A count in one byte, where 0 is unknown and 255 says that it stands in two bytes further down (since SMBIOS 3.0).
fn count(structure: &Structure<'_>, narrow: usize, wide: usize) -> Option<u16> {
    match structure.fields.u8(narrow)? {
        0 => None,
        255 => structure.fields.u16(wide).filter(|&count| count != 0 && count != u16::MAX).or(Some(255)),
        count => Some(count.into()),
    }
}
