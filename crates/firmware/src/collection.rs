//! All tables of one machine: where each was found, and what it says.

mod acpidump;
mod path;

use serde::Serialize;

pub use acpidump::{DumpedTable, parse_acpidump};

use super::acpi::{AcpiTable, Decoded, HEADER_BYTES, TableContent, signature};
use super::device_tree::{DeviceTree, MAGIC};
use super::smbios::Smbios;

/// What firmware left for the operating system to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Firmware {
    /// What was read, in words: "this machine", or a path.
    pub origin: String,
    /// ACPI's tables, in the order in which they were found.
    pub tables: Vec<TableFile>,
    /// The device tree, if there is one.
    pub device_tree: Option<FirmwareFile<DeviceTree>>,
    /// SMBIOS, if there is one.
    pub smbios: Option<FirmwareFile<Smbios>>,
    /// What was there and is neither, with the reason.
    #[serde(rename = "left_out")]
    pub skipped: Vec<SkippedFile>,
}

/// One ACPI table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableFile {
    /// The table's signature, or its file's name where it could not be read.
    pub name: String,
    /// The file.
    pub path: String,
    /// The first line of it in a text that holds several; none in a file of its own.
    pub line: Option<usize>,
    /// Its bytes as they are in the file; offsets of entries and faults count from their start.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// What it says.
    #[serde(flatten)]
    pub state: ReadState<AcpiTable>,
}

/// Something that is not a table among tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirmwareFile<T> {
    /// The file or folder.
    pub path: String,
    /// What it says.
    #[serde(flatten)]
    pub state: ReadState<T>,
}

/// What came of reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadState<T> {
    /// What it says.
    Decoded(T),
    /// It is there, and this user may not read it: firmware's tables are root's.
    Denied,
    /// It is there and is not what it should be.
    #[serde(rename = "nonsense")]
    Malformed {
        /// Why not.
        why: String,
    },
}

impl<T> ReadState<T> {
    /// What it says, if it could be read.
    pub fn decoded(&self) -> Option<&T> {
        match self {
            Self::Decoded(value) => Some(value),
            Self::Denied | Self::Malformed { .. } => None,
        }
    }
}

/// A file that was looked at and left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedFile {
    /// The file.
    pub path: String,
    /// Why.
    pub why: String,
    /// Whether it may be a table for all that is known: it could not be read, or holds nothing.
    #[serde(skip)]
    pub may_be_a_table: bool,
}

impl Firmware {
    /// The first table of a kind and where it was found: Linux, too, takes the first of several.
    pub fn first<T: TableContent>(&self) -> Option<(&TableFile, &Decoded<T>)> {
        self.tables.iter().find_map(|file| Some((file, T::of(file.state.decoded()?)?)))
    }

    /// Tables that are there and that this user may not read, by name.
    pub fn denied(&self) -> impl Iterator<Item = &str> {
        let denied = |file: &&TableFile| file.state == ReadState::Denied;
        self.tables.iter().filter(denied).map(|file| file.name.as_str())
    }

    /// Whether a table of a kind is there, readable or not.
    pub fn has<T: TableContent>(&self) -> bool {
        self.tables.iter().any(|file| file.name == T::SIGNATURE)
    }

    /// Whether nothing at all was found.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.device_tree.is_none() && self.smbios.is_none()
    }

    /// Takes one file's bytes for what they are; false where they are nothing that firmware writes.
    fn take(&mut self, path: &str, bytes: Vec<u8>) -> bool {
        if bytes.starts_with(&MAGIC) {
            self.device_tree.get_or_insert_with(|| FirmwareFile::from_blob(path, &bytes));
        } else if let Some(smbios) = smbios(path, &bytes) {
            self.smbios.get_or_insert_with(|| FirmwareFile {
                path: path.to_owned(),
                state: ReadState::Decoded(smbios),
            });
        } else if signature(&bytes).is_some() && !is_text(&bytes) {
            self.tables.push(TableFile::decode(path, None, bytes));
        } else {
            return self.take_text(path, &bytes);
        }
        true
    }

    fn take_text(&mut self, path: &str, bytes: &[u8]) -> bool {
        let dumped = parse_acpidump(bytes);
        let any = !dumped.is_empty();
        self.tables.extend(dumped.into_iter().map(|dumped| {
            let DumpedTable { line, bytes, gap, .. } = dumped;
            let mut file = TableFile::decode(path, Some(line), bytes);
            if let Some(gap) = gap {
                self.skipped.push(SkippedFile {
                    may_be_a_table: false,
                    path: path.to_owned(),
                    why: format!(
                        "{} ends at line {gap}, where the digits do not follow on",
                        file.name
                    ),
                });
            }
            if file.bytes.is_empty() {
                file.name = dumped.signature;
            }
            file
        }));
        any
    }
}

impl TableFile {
    /// A table from its file's bytes, or from those that start at a line of a text.
    pub fn decode(path: &str, line: Option<usize>, bytes: Vec<u8>) -> Self {
        let state = match AcpiTable::decode(&bytes) {
            Ok(table) => ReadState::Decoded(table),
            Err(why) => ReadState::Malformed { why: why.to_string() },
        };
        let file_name = || path.rsplit('/').next().unwrap_or(path).to_owned();
        let name = signature(&bytes).map_or_else(file_name, str::to_owned);
        Self { name, path: path.to_owned(), line, bytes, state }
    }

    /// A table that is known by its file's name alone.
    pub fn unread(name: String, path: String, state: ReadState<AcpiTable>) -> Self {
        Self { name, path, line: None, bytes: Vec::new(), state }
    }
}

impl FirmwareFile<DeviceTree> {
    /// A flattened device tree from its file's bytes.
    pub fn from_blob(path: &str, blob: &[u8]) -> Self {
        let state = match DeviceTree::decode(blob) {
            Some(tree) => ReadState::Decoded(tree),
            None => ReadState::Malformed {
                why: "the header of the device tree is cut short".to_owned(),
            },
        };
        Self { path: path.to_owned(), state }
    }
}

/// SMBIOS by its bytes; one whose end is missing by its name and a structure.
fn smbios(path: &str, bytes: &[u8]) -> Option<Smbios> {
    let is_named = path.ends_with(".dmi") || path.ends_with("/DMI");
    let by_name = || Some(Smbios::decode(bytes)).filter(|smbios| is_named && smbios.structures > 0);
    Smbios::decode_file(bytes).or_else(by_name)
}

/// Whether bytes begin as a text, which may begin with four capital letters too. A table's header
/// has bytes that no text has.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(HEADER_BYTES)];
    start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests;
