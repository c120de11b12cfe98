//! The 36 bytes that every ACPI table begins with (ACPI specification, table 5.4).

use thiserror::Error;

use crate::byte_view::ByteView;
use crate::fault::{FaultKind, Faults};
use crate::layout::layout;

/// How many bytes the header has.
pub const HEADER_BYTES: usize = 36;

layout! {
    /// What a table says of itself.
    pub struct TableHeader(file: ByteView<'_>) {
        /// Four letters: "SRAT", "SLIT", "APIC" (the MADT).
        pub signature: String = file.text(0, 4)?,
        /// How long the table says it is, header included.
        pub length_bytes: u32 = file.at(4)?,
        /// The table's revision; it decides how some fields are read.
        pub revision: u8 = file.at(8)?,
        /// The byte that makes all bytes add up to 0.
        pub checksum: u8 = file.at(9)?,
        /// Whether they do. None when the end of the table is missing, and for the FACS, which has no checksum.
        pub checksum_holds: Option<bool> = None,
        /// Who made the board: "ALASKA", "BOCHS ".
        pub oem_id: String = file.text(10, 6)?,
        /// What they call the table.
        pub oem_table_id: String = file.text(16, 8)?,
        /// Their revision of it.
        pub oem_revision: u32 = file.at(24)?,
        /// The tool that wrote the table: "INTL", "AMI ".
        pub creator_id: String = file.text(28, 4)?,
        /// That tool's revision.
        pub creator_revision: u32 = file.at(32)?,
    }
}

/// Why bytes are no ACPI table. No failure: decoders know no file, and callers keep this beside
/// what they read; what fails a reading is in [`FirmwareError`](crate::FirmwareError).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotATable {
    /// Too few bytes for a header.
    #[error("{found} bytes are no ACPI table: its header alone has {HEADER_BYTES}")]
    TooShort {
        /// How many bytes there are.
        found: usize,
    },
    /// The first four bytes are no signature.
    #[error("the first four bytes are no signature of an ACPI table")]
    NoSignature,
    /// The table is another one.
    #[error("this is {found}, not {wanted}")]
    Another {
        /// What it is.
        found: String,
        /// What was to be decoded.
        wanted: &'static str,
    },
}

/// The signature that bytes begin with, if it can be one: capital letters and digits, as all known
/// ones are, and what vendors put before their own.
pub(crate) fn signature(bytes: &[u8]) -> Option<&str> {
    let four = bytes.get(..4)?;
    let fits = four
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_!$".contains(byte));
    std::str::from_utf8(four).ok().filter(|_| fits)
}

/// Reads the header, and the table without what the file holds after its end.
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
            format!("the table says it has {claimed} bytes, and the file has {found}")
        });
    } else if claimed < HEADER_BYTES {
        faults.add(4, FaultKind::CutShort, || {
            format!(
                "the table says it has {claimed} bytes, fewer than its header of {HEADER_BYTES}"
            )
        });
    } else if header.signature != "FACS" {
        // The FACS alone has nothing but signature and length in common with other tables.
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
