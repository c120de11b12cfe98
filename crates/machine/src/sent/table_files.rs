//! Firmware's tables in their own format: a table, a dump of SMBIOS, a device tree, or a folder of
//! such files.

use std::path::Path;

use nearfar_firmware::Firmware;
use nearfar_model::Bytes;

use crate::source::{MachineFiles, Source};

/// The largest file of a folder.
const MAX_FILE: Bytes = Bytes::mib(16);
/// Where `dmidecode --dump-bin` writes the table, after its entry point.
const SMBIOS_TABLE: usize = 32;

/// The tables of a folder.
pub(super) fn open(folder: &Path) -> Option<Source> {
    source(&Firmware::open(folder).ok()?, |path| {
        nearfar_view::input::read_entry(Path::new(path), MAX_FILE).ok()
    })
}

/// Whether bytes are no text.
pub(super) fn are_begun_by(bytes: &[u8]) -> bool {
    bytes.iter().take(256).any(|&byte| byte == 0)
}

/// The tables of a file's bytes.
pub(super) fn of_bytes(path: &Path, bytes: &[u8]) -> Option<Source> {
    let firmware = Firmware::from_bytes(&path.display().to_string(), bytes.to_vec())?;
    source(&firmware, |_| Some(bytes.to_vec()))
}

/// The files of sysfs that tables are.
fn source(firmware: &Firmware, file: impl Fn(&str) -> Option<Vec<u8>>) -> Option<Source> {
    let mut files = MachineFiles::new();
    for (number, table) in firmware.tables.iter().enumerate() {
        let is_name = table.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if is_name && !table.bytes.is_empty() {
            let name = if number == 0 { String::new() } else { number.to_string() };
            let path = format!("/sys/firmware/acpi/tables/{}{name}", table.name);
            files.put_bytes(&path, table.bytes.clone());
        }
    }
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
    (!firmware.is_empty()).then(|| Source::sent(files, &firmware.origin))
}
