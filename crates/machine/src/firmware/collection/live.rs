//! From a machine, live or captured: the kernel shows firmware's tables as they came.

use nearfar_model::Bytes;

use super::{Firmware, Found, Part, TableFile, table, tree};
use crate::firmware::device_tree::DeviceTree;
use crate::firmware::smbios::Smbios;
use crate::source::{Contents, Source};

/// Tables that firmware gave at boot, and those that were loaded later.
const TABLES: [&str; 2] = ["/sys/firmware/acpi/tables", "/sys/firmware/acpi/tables/dynamic"];
const SMBIOS: &str = "/sys/firmware/dmi/tables/DMI";
const SMBIOS_ENTRY_POINT: &str = "/sys/firmware/dmi/tables/smbios_entry_point";
const TREE_BLOB: &str = "/sys/firmware/fdt";
const TREE_FOLDER: &str = "/sys/firmware/devicetree/base";
/// How much of all tables together is read: several times what large servers have.
const MOST_IN_ALL: Bytes = Bytes::mib(64);

impl Firmware {
    /// Reads a machine's tables. Nothing here is needed, so nothing here fails; what only root may read is
    /// [`Found::Denied`].
    pub fn read(source: &Source) -> Self {
        Self {
            origin: source.origin().to_owned(),
            tables: tables(source),
            device_tree: device_tree(source),
            smbios: smbios(source),
            left_out: Vec::new(),
        }
    }
}

fn tables(source: &Source) -> Vec<TableFile> {
    let mut read = 0;
    let mut tables = Vec::new();
    for folder in TABLES {
        for name in source.list(folder) {
            let path = format!("{folder}/{name}");
            match source.contents(&path) {
                Contents::Found(bytes) if read + bytes.len() as u64 <= MOST_IN_ALL.0 => {
                    read += bytes.len() as u64;
                    tables.push(table(&path, None, bytes));
                }
                Contents::Denied => {
                    tables.push(TableFile { name, path, line: None, bytes: Vec::new(), found: Found::Denied });
                }
                // Folders, and what is too large for a table.
                Contents::Found(_) | Contents::Absent => {}
            }
        }
    }
    tables
}

/// The blob is what firmware gave; the folder is what the kernel made of it, and everybody may read it.
fn device_tree(source: &Source) -> Option<Part<DeviceTree>> {
    let blob = source.contents(TREE_BLOB);
    if let Contents::Found(blob) = &blob {
        return Some(Part { path: TREE_BLOB.to_owned(), found: tree(blob) });
    }
    if let Some(tree) = DeviceTree::read(source, TREE_FOLDER) {
        return Some(Part { path: TREE_FOLDER.to_owned(), found: Found::Decoded(tree) });
    }
    (blob == Contents::Denied).then(|| Part { path: TREE_BLOB.to_owned(), found: Found::Denied })
}

fn smbios(source: &Source) -> Option<Part<Smbios>> {
    let found = match source.contents(SMBIOS) {
        Contents::Found(table) => {
            let point = source.read(SMBIOS_ENTRY_POINT).unwrap_or_default();
            Found::Decoded(Smbios::decode_parts(&point, &table))
        }
        Contents::Denied => Found::Denied,
        Contents::Absent => return None,
    };
    Some(Part { path: SMBIOS.to_owned(), found })
}
