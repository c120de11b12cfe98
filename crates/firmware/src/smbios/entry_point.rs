//! The entry point: the table's version, address and size.

use crate::byte_view::ByteView;

/// A decoded entry point.
pub(super) struct EntryPoint {
    major: u8,
    minor: u8,
    address: u64,
    /// Size of the table in bytes.
    pub(super) table_bytes: usize,
    /// Whether this is the exact size, not the maximum.
    pub(super) exact: bool,
    /// Whether the checksum is right: all bytes add up to 0.
    pub(super) checksum_holds: bool,
}

impl EntryPoint {
    /// Reads a 32-bit (`_SM_`) or 64-bit (`_SM3_`) entry point.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
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
    pub(super) fn version(&self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    /// Offset of the table in a file that has both; `dmidecode` writes it into the entry point.
    pub(super) fn table_at(&self) -> Option<usize> {
        usize::try_from(self.address).ok()
    }
}

fn adds_up(bytes: &[u8], length: u8) -> bool {
    bytes
        .get(..length.into())
        .is_some_and(|point| point.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte)) == 0)
}
