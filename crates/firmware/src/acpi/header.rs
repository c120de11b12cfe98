//! The header of every ACPI table: 36 bytes (ACPI 6.6, table 5.4).

use thiserror::Error;

use crate::byte_view::ByteView;
use crate::fault::{FaultKind, Faults};
use crate::layout::layout;

/// Size of the header in bytes.
pub const HEADER_BYTES: usize = 36;

layout! {
    /// The header of an ACPI table.
    pub struct TableHeader(file: ByteView<'_>) {
        /// The signature: "SRAT", "SLIT", "APIC" (the MADT).
        pub signature: String = file.text(0, 4)?,
        /// Length in bytes that the table claims, header included.
        pub length_bytes: u32 = file.at(4)?,
        /// The table's revision. It decides how some fields are read.
        pub revision: u8 = file.at(8)?,
        /// The checksum byte: all bytes add up to 0.
        pub checksum: u8 = file.at(9)?,
        /// Whether the checksum is right. `None` if the end of the table is missing, and for the
        /// FACS, which has no checksum.
        pub checksum_holds: Option<bool> = None,
        /// Manufacturer of the board: "ALASKA", "BOCHS ".
        pub oem_id: String = file.text(10, 6)?,
        /// The manufacturer's name of the table.
        pub oem_table_id: String = file.text(16, 8)?,
        /// The manufacturer's revision.
        pub oem_revision: u32 = file.at(24)?,
        /// The tool that wrote the table: "INTL", "AMI ".
        pub creator_id: String = file.text(28, 4)?,
        /// Revision of the tool.
        pub creator_revision: u32 = file.at(32)?,
    }
}

/// Why bytes are no ACPI table. Callers keep it beside the decoded tables; errors that stop the
/// reading are in [`FirmwareError`](crate::FirmwareError).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotATable {
    /// Fewer bytes than a header.
    #[error("{found} bytes are too few for an ACPI table: its header has {HEADER_BYTES}")]
    TooShort {
        /// Number of bytes.
        found: usize,
    },
    /// The first four bytes are no signature.
    #[error("the first four bytes are not the signature of an ACPI table")]
    NoSignature,
    /// It is another table.
    #[error("this is {found}, not {wanted}")]
    Another {
        /// Its signature.
        found: String,
        /// The expected signature.
        wanted: &'static str,
    },
}

/// The signature at the start of bytes. Only capital letters, digits and the characters of vendors'
/// prefixes are accepted.
pub(crate) fn signature(bytes: &[u8]) -> Option<&str> {
    let four = bytes.get(..4)?;
    let fits = four
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_!$".contains(byte));
    std::str::from_utf8(four).ok().filter(|_| fits)
}

/// Reads the header and cuts the bytes to the table's length.
pub(super) fn read<'a>(
    file: &'a [u8],
    faults: &mut Faults,
) -> Result<(TableHeader, ByteView<'a>), NotATable> {
    let found = file.len();
    let mut header = TableHeader::read(ByteView(file)).ok_or(NotATable::TooShort { found })?;
    signature(file).ok_or(NotATable::NoSignature)?;
    let claimed = header.length_bytes as usize;
    let end = claimed.clamp(HEADER_BYTES, found);
    if claimed > found {
        faults.add(4, FaultKind::CutShort, || {
            format!("the table claims {claimed} bytes, and the file has {found}")
        });
    } else if claimed < HEADER_BYTES {
        faults.add(4, FaultKind::CutShort, || {
            format!("the table claims {claimed} bytes, fewer than its header of {HEADER_BYTES}")
        });
    } else if header.signature != "FACS" {
        // The FACS shares only signature and length with other tables.
        header.checksum_holds = Some(checksum_holds(&header, &file[..end], faults));
    }
    if found > end {
        faults.add(end, FaultKind::FileTooLong, || {
            format!("{} bytes follow the end of the table", found - end)
        });
    }
    Ok((header, ByteView(&file[..end])))
}

fn checksum_holds(header: &TableHeader, table: &[u8], faults: &mut Faults) -> bool {
    let sum = table.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
    if sum != 0 {
        let right = header.checksum.wrapping_sub(sum);
        faults.add(9, FaultKind::BadChecksum, || {
            format!("the checksum is {:#04x}, and the bytes need {right:#04x}", header.checksum)
        });
    }
    sum == 0
}
