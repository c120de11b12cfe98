//! Reads firmware tables from a live or captured machine.

use std::path::Path;

use nearfar_firmware::acpi::AcpiNamespace;
use nearfar_firmware::device_tree::{DeviceTree, TreeBuilder};
use nearfar_firmware::smbios::Smbios;
use nearfar_firmware::{Firmware, FirmwareError, FirmwareFile, ReadState, TableFile};
use nearfar_model::Bytes;

use crate::source::{FileContents, Source};

/// Folders of tables at boot and of tables loaded later.
const TABLES: [&str; 2] = ["/sys/firmware/acpi/tables", "/sys/firmware/acpi/tables/dynamic"];
const SMBIOS: &str = "/sys/firmware/dmi/tables/DMI";
const SMBIOS_ENTRY_POINT: &str = "/sys/firmware/dmi/tables/smbios_entry_point";
const SMBIOS_ENTRIES: &str = "/sys/firmware/dmi/entries";
/// Structures of SMBIOS at most; large servers have several hundred.
const MAX_ENTRIES: usize = 10_000;
const TREE_BLOB: &str = "/sys/firmware/fdt";
const TREE_FOLDER: &str = "/sys/firmware/devicetree/base";
/// Path of the ACPI namespace's claims in a capture.
pub(crate) const CAPTURED_CLAIMS: &str = "/nearfar/acpi-claims";
/// Maximum size of all tables together: several times that of large servers.
const MAX_TABLES_SIZE: Bytes = Bytes::mib(64);

/// Reads a machine's tables. Never fails: tables for root are [`ReadState::Denied`], malformed ones
/// [`ReadState::Malformed`].
///
/// # References
///
/// Documentation/ABI/testing/sysfs-firmware-acpi,
/// Documentation/ABI/testing/sysfs-firmware-dmi-tables,
/// Documentation/ABI/testing/sysfs-firmware-ofw
pub fn read(source: &Source) -> Firmware {
    Firmware {
        origin: source.origin().to_owned(),
        tables: tables(source),
        device_tree: device_tree(source),
        smbios: smbios(source),
        skipped: Vec::new(),
        captured_namespace: captured_namespace(source),
    }
}

/// Opens the formats of [`Firmware::open`], or a captured machine.
///
/// # Errors
///
/// As [`Firmware::open`].
pub fn open(path: &Path) -> Result<Firmware, FirmwareError> {
    // A captured machine has the tables in its own folders.
    if path.join("sys").is_dir() {
        if let Ok(source) = Source::open(path) {
            return Ok(read(&source));
        }
    }
    Firmware::open(path).or_else(|error| {
        // It may be an archive, or in a subfolder. A pipe can be read only once.
        let source = (path.is_file() || path.is_dir()).then(|| Source::open(path).ok()).flatten();
        source.map(|source| read(&source)).ok_or(error)
    })
}

/// The claims of a capture. Captures of older releases have none.
fn captured_namespace(source: &Source) -> Option<AcpiNamespace> {
    if source.is_live() {
        return None;
    }
    let text = String::from_utf8(source.read(CAPTURED_CLAIMS)?).ok()?;
    AcpiNamespace::from_claims_text(&text)
}

fn tables(source: &Source) -> Vec<TableFile> {
    let mut read = 0;
    let mut tables = Vec::new();
    for folder in TABLES {
        for name in source.list(folder) {
            let path = format!("{folder}/{name}");
            match source.contents(&path) {
                FileContents::Bytes(bytes) if read + bytes.len() as u64 <= MAX_TABLES_SIZE.0 => {
                    read += bytes.len() as u64;
                    let sent = source.sent_table(&path);
                    let (file, line) = sent.map_or((&path, None), |sent| (&sent.file, sent.line));
                    tables.push(TableFile::decode(file, line, bytes));
                }
                FileContents::Denied => {
                    tables.push(TableFile::unread(name, path, ReadState::Denied));
                }
                // Folders, and files that are too large.
                FileContents::Bytes(_) | FileContents::Absent => {}
            }
        }
    }
    tables
}

/// The blob is firmware's; the folder is the kernel's decoded form, readable by everyone.
fn device_tree(source: &Source) -> Option<FirmwareFile<DeviceTree>> {
    let blob = source.contents(TREE_BLOB);
    if let FileContents::Bytes(blob) = &blob {
        return Some(FirmwareFile::from_blob(TREE_BLOB, blob));
    }
    if source.exists(TREE_FOLDER) {
        return Some(FirmwareFile {
            path: TREE_FOLDER.to_owned(),
            state: ReadState::Decoded(tree_in_folder(source)),
        });
    }
    (blob == FileContents::Denied)
        .then(|| FirmwareFile { path: TREE_BLOB.to_owned(), state: ReadState::Denied })
}

/// Reads the kernel's form of the tree: a folder for each node, a file for each property.
fn tree_in_folder(source: &Source) -> DeviceTree {
    let mut tree = TreeBuilder::default();
    let mut waiting = vec![(tree.root(), TREE_FOLDER.to_owned())];
    while let Some((node, folder)) = waiting.pop() {
        for name in source.list(&folder) {
            let path = format!("{folder}/{name}");
            if TreeBuilder::keeps(&name) {
                if let Some(value) = source.read(&path) {
                    tree.add_property(node, &name, &value);
                }
            } else if source.exists(&format!("{path}/name")) {
                // Every node has a property `name`.
                waiting.extend(tree.add_node(node, &name, &path).map(|below| (below, path)));
            }
        }
    }
    tree.build()
}

fn smbios(source: &Source) -> Option<FirmwareFile<Smbios>> {
    let table = source.contents(SMBIOS);
    let (table, point) = match table {
        FileContents::Absent => (smbios_entries(source), Vec::new()),
        _ => (table, source.read(SMBIOS_ENTRY_POINT).unwrap_or_default()),
    };
    let state = match table {
        FileContents::Bytes(table) => ReadState::Decoded(Smbios::decode_parts(&point, &table)),
        FileContents::Denied => ReadState::Denied,
        FileContents::Absent => return None,
    };
    Some(FirmwareFile { path: SMBIOS.to_owned(), state })
}

/// The table's structures, which kernels also show one by one (`dmi-sysfs`): `17-0/raw`.
fn smbios_entries(source: &Source) -> FileContents {
    let mut entries = source.list(SMBIOS_ENTRIES);
    let numbers = |name: &String| -> Vec<u32> {
        name.split('-').filter_map(|number| number.parse().ok()).collect()
    };
    entries.sort_by_key(numbers);
    entries.truncate(MAX_ENTRIES);
    let (mut table, mut is_denied) = (Vec::new(), false);
    for name in entries {
        match source.contents(&format!("{SMBIOS_ENTRIES}/{name}/raw")) {
            FileContents::Bytes(entry) => table.extend(entry),
            FileContents::Denied => is_denied = true,
            FileContents::Absent => (),
        }
    }
    match table.is_empty() {
        false => FileContents::Bytes(table),
        true if is_denied => FileContents::Denied,
        true => FileContents::Absent,
    }
}

#[cfg(test)]
mod tests;
