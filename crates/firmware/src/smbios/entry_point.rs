//! The entry point: which version the table has, where it lies and how long it is.

use crate::byte_view::ByteView;

/// What an entry point tells.
pub(super) struct EntryPoint {
    major: u8,
    minor: u8,
    address: u64,
    /// How many bytes the table has.
    pub(super) table_bytes: usize,
    /// Whether that is its size, or the most that it can be.
    pub(super) exact: bool,
    /// Whether the entry point's bytes add up to 0.
    pub(super) checksum_holds: bool,
}

impl EntryPoint {
    /// Reads one, of either kind.
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

    /// Where the table begins in a file that holds both; `dmidecode` writes that offset into the
    /// entry point.
    pub(super) fn table_at(&self) -> Option<usize> {
        usize::try_from(self.address).ok()
    }
}

fn adds_up(bytes: &[u8], length: u8) -> bool {
    bytes
        .get(..length.into())
        .is_some_and(|point| point.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte)) == 0)
}
