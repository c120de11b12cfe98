//! Firmware's tables in their own format: a table, a dump of SMBIOS, a device tree, or a folder of
//! such files.

use std::path::Path;

use nearfar_firmware::{Firmware, TableFile};
use nearfar_model::Bytes;

use crate::error::MachineError;
use crate::source::{MachineFiles, SentTable, Source};

/// The largest file of a folder.
const MAX_FILE: Bytes = Bytes::mib(16);
/// Where `dmidecode --dump-bin` writes the table, after its entry point.
const SMBIOS_TABLE: usize = 32;

/// The tables of a folder.
pub(super) fn open(folder: &Path) -> Result<Option<Source>, MachineError> {
    let Ok(firmware) = Firmware::open(folder) else { return Ok(None) };
    source(&firmware, |path| nearfar_view::input::read_entry(Path::new(path), MAX_FILE).ok())
}

/// Whether bytes are no text.
pub(super) fn are_begun_by(bytes: &[u8]) -> bool {
    bytes.iter().take(256).any(|&byte| byte == 0)
}

/// The tables of a file's bytes.
pub(super) fn of_bytes(path: &Path, bytes: &[u8]) -> Result<Option<Source>, MachineError> {
    match Firmware::from_bytes(&path.display().to_string(), bytes.to_vec()) {
        Some(firmware) => source(&firmware, |_| Some(bytes.to_vec())),
        None => Ok(None),
    }
}

/// The length that a table's header counts; `None` without such a header.
pub(super) fn length(signature: &str, bytes: &[u8]) -> Option<usize> {
    let length = bytes.get(4..8).filter(|_| bytes.starts_with(signature.as_bytes()))?;
    usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()
}

/// The file is shorter than its table.
fn cut(file: &TableFile) -> Option<MachineError> {
    let (table, has) = (file.name.clone(), file.bytes.len());
    let length = length(&table, &file.bytes).filter(|&length| has < length)?;
    Some(MachineError::CutTable { path: (&file.path).into(), table, has, length })
}

/// The files of sysfs that tables are.
fn source(
    firmware: &Firmware,
    file: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Option<Source>, MachineError> {
    if let Some(cut) = firmware.tables.iter().find_map(cut) {
        return Err(cut);
    }
    let mut files = MachineFiles::new();
    let with_bytes = firmware.tables.iter().filter(|table| !table.bytes.is_empty());
    let sent = with_bytes.map(|table| {
        let place = SentTable { file: table.path.clone(), line: table.line };
        (table.name.as_str(), place, table.bytes.clone())
    });
    files.put_tables(sent.collect());
    if let Some(blob) = firmware.device_tree.as_ref().and_then(|tree| file(&tree.path)) {
        files.put_bytes("/sys/firmware/fdt", blob);
    }
    if let Some(mut dump) = firmware.smbios.as_ref().and_then(|part| file(&part.path)) {
        let has_entry_point = dump.starts_with(b"_SM") && dump.len() > SMBIOS_TABLE;
        let table = if has_entry_point { dump.split_off(SMBIOS_TABLE) } else { Vec::new() };
        let (point, table) = if has_entry_point { (dump, table) } else { (table, dump) };
        files.put_bytes("/sys/firmware/dmi/tables/DMI", table);
        files.put_bytes("/sys/firmware/dmi/tables/smbios_entry_point", point);
    }
    Ok((!firmware.is_empty()).then(|| Source::sent(files, &firmware.origin)))
}
