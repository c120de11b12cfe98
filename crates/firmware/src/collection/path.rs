//! Opens tables from a path: a table, a folder of tables, or a text.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use nearfar_model::Bytes;
use nearfar_view::input::is_too_large;

use super::{Firmware, ReadState, SkippedFile, TableFile, is_text};
use crate::error::{FirmwareError, MAX_DUMP_SIZE};

/// Maximum number of files that are read from a folder.
const MAX_FILES: usize = 4096;
/// Maximum size of a file in a folder.
const MAX_FILE_SIZE: Bytes = Bytes::mib(16);
/// Maximum size of all files of a folder together.
const MAX_FOLDER_SIZE: Bytes = Bytes::mib(128);

impl Firmware {
    /// Opens one table, a folder of tables (as `acpixtract` or `acpidump -b` write them, with any
    /// names), the text of `acpidump`, a flattened device tree, or an SMBIOS dump. The content
    /// decides the format. For captured machines use `nearfar_machine::firmware_tables::open`.
    ///
    /// # Errors
    ///
    /// [`FirmwareError::OpenTables`] if the path is not readable, [`FirmwareError::DumpTooLarge`]
    /// above 64 MiB, [`FirmwareError::NoTables`] for a folder without a table, and
    /// [`FirmwareError::NotFirmware`] for a file of another format.
    ///
    /// # References
    ///
    /// acpidump(8), acpixtract(8), dmidecode(8) (`--dump-bin`)
    pub fn open(path: &Path) -> Result<Self, FirmwareError> {
        let found = fs::metadata(path).map_err(|cause| cannot_open(path, cause))?;
        if found.is_dir() { folder(path) } else { file(path) }
    }
}

fn cannot_open(path: &Path, cause: io::Error) -> FirmwareError {
    FirmwareError::OpenTables { path: path.to_owned(), cause }
}

fn file(path: &Path) -> Result<Firmware, FirmwareError> {
    let bytes =
        nearfar_view::input::read(path, MAX_DUMP_SIZE).map_err(|cause| {
            match is_too_large(&cause) {
                true => FirmwareError::DumpTooLarge { path: path.to_owned() },
                false => cannot_open(path, cause),
            }
        })?;
    let mut firmware = Firmware { origin: path.display().to_string(), ..Firmware::default() };
    let taken = firmware.take(&path.display().to_string(), bytes);
    if taken { Ok(firmware) } else { Err(FirmwareError::NotFirmware { path: path.to_owned() }) }
}

fn folder(path: &Path) -> Result<Firmware, FirmwareError> {
    let entries = fs::read_dir(path).map_err(|cause| cannot_open(path, cause))?;
    let mut names: Vec<_> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    names.sort_unstable();
    // A subfolder counts only if it is named like a table.
    names.retain(|path| !path.is_dir() || named_table(path).is_some());
    let mut firmware = Firmware { origin: path.display().to_string(), ..Firmware::default() };
    let mut left = MAX_FOLDER_SIZE.0;
    for name in names.iter().take(MAX_FILES) {
        add_file(name, &mut firmware, &mut left);
    }
    if names.len() > MAX_FILES {
        firmware.skipped.push(SkippedFile {
            path: path.display().to_string(),
            why: format!(
                "{} files after the first {MAX_FILES} were not read",
                names.len() - MAX_FILES
            ),
            may_be_a_table: true,
        });
    }
    if !firmware.is_empty() {
        add_malformed_tables(&mut firmware);
        return Ok(firmware);
    }
    let first = firmware
        .skipped
        .iter()
        .find(|one| one.may_be_a_table || named_table(Path::new(&one.path)).is_some());
    let why = first.map_or_else(String::new, |one| format!("; {}: {}", one.path, one.why));
    Err(FirmwareError::NoTables { path: path.to_owned(), files: names.len(), why })
}

fn add_file(path: &Path, firmware: &mut Firmware, left: &mut u64) {
    let shown = path.display().to_string();
    let most = MAX_FILE_SIZE.min(Bytes(*left));
    let (why, may_be_a_table) = match nearfar_view::input::read_entry(path, most) {
        Ok(bytes) if bytes.is_empty() => ("it is empty".to_owned(), true),
        Ok(bytes) => {
            *left -= bytes.len() as u64;
            let why = if is_text(&bytes) {
                "it is text, not a table"
            } else {
                "it has no known firmware format"
            };
            if firmware.take(&shown, bytes) {
                return;
            }
            (why.to_owned(), false)
        }
        Err(cause)
            if cause.kind() == ErrorKind::PermissionDenied && named_table(path).is_some() =>
        {
            let name = named_table(path).unwrap_or_default().to_owned();
            firmware.tables.push(TableFile::unread(name, shown, ReadState::Denied));
            return;
        }
        Err(cause) => (cause.to_string(), true),
    };
    firmware.skipped.push(SkippedFile { path: shown, why, may_be_a_table });
}

/// The table that a file is named after: "srat.dat", "SRAT1", "machine-srat.bin".
fn named_table(path: &Path) -> Option<&'static str> {
    const NAMES: [&str; 12] = [
        "SRAT", "SLIT", "HMAT", "MSCT", "APIC", "PPTT", "CEDT", "CRAT", "CDIT", "FACP", "DSDT",
        "SSDT",
    ];
    let name = path.file_name()?.to_str()?.to_ascii_uppercase();
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut words = words.map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    words.find_map(|word| NAMES.into_iter().find(|known| *known == word))
}

/// If a file is named like a table, is not one, and no other file is that table, then the table
/// counts as unreadable. A machine without the table would be a different one.
fn add_malformed_tables(firmware: &mut Firmware) {
    let (tables, left_out) = (&mut firmware.tables, std::mem::take(&mut firmware.skipped));
    for one in left_out {
        let name = named_table(Path::new(&one.path))
            .filter(|name| tables.iter().all(|file| file.name != *name));
        let Some(name) = name else {
            firmware.skipped.push(one);
            continue;
        };
        let found = ReadState::Malformed { why: one.why };
        tables.push(TableFile::unread(name.to_owned(), one.path, found));
    }
}
