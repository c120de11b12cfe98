//! All tables of one machine and the files that they come from.

mod acpidump;
mod path;

use serde::Serialize;

pub use acpidump::{DumpedTable, parse_acpidump};

use super::acpi::{AcpiNamespace, AcpiTable, Decoded, HEADER_BYTES, TableContent, signature};
use super::device_tree::{DeviceTree, MAGIC};
use super::smbios::Smbios;

/// All firmware tables of one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Firmware {
    /// The source: "this machine", or a path.
    pub origin: String,
    /// ACPI tables, in the order of the files.
    pub tables: Vec<TableFile>,
    /// The device tree, if there is one.
    pub device_tree: Option<FirmwareFile<DeviceTree>>,
    /// SMBIOS, if there is one.
    pub smbios: Option<FirmwareFile<Smbios>>,
    /// Files that are no firmware table, with the reason.
    #[serde(rename = "left_out")]
    pub skipped: Vec<SkippedFile>,
    /// What a capture keeps of the ACPI namespace: its DSDT and SSDTs have no content.
    #[serde(skip)]
    pub captured_namespace: Option<AcpiNamespace>,
}

/// One ACPI table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableFile {
    /// The table's signature; the file's name if it could not be decoded.
    pub name: String,
    /// Path of the file.
    pub path: String,
    /// Its first line in a text with several tables; `None` for a binary file.
    pub line: Option<usize>,
    /// The file's bytes. Offsets of entries and faults count from their start.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The decoded content.
    #[serde(flatten)]
    pub state: ReadState<AcpiTable>,
}

/// The device tree or SMBIOS, with the file it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirmwareFile<T> {
    /// Path of the file or folder.
    pub path: String,
    /// The decoded content.
    #[serde(flatten)]
    pub state: ReadState<T>,
}

/// The result of reading and decoding a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadState<T> {
    /// The decoded content.
    Decoded(T),
    /// It exists, and only root may read it.
    Denied,
    /// It exists and cannot be decoded.
    #[serde(rename = "nonsense")]
    Malformed {
        /// The reason.
        why: String,
    },
}

impl<T> ReadState<T> {
    /// The decoded content, if there is any.
    pub fn decoded(&self) -> Option<&T> {
        match self {
            Self::Decoded(value) => Some(value),
            Self::Denied | Self::Malformed { .. } => None,
        }
    }
}

/// A file that was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SkippedFile {
    /// Path of the file.
    pub path: String,
    /// The reason.
    pub why: String,
    /// Whether it may be a table nevertheless: it could not be read, or is empty.
    #[serde(skip)]
    pub may_be_a_table: bool,
}

impl Firmware {
    /// The first decoded table of a type, with its file. Linux uses the first of several, too.
    ///
    /// # References
    ///
    /// drivers/acpi/acpica/tbxface.c: acpi_get_table
    pub fn first<T: TableContent>(&self) -> Option<(&TableFile, &Decoded<T>)> {
        self.tables.iter().find_map(|file| Some((file, T::from_table(file.state.decoded()?)?)))
    }

    /// Names of the tables that exist and that only root may read.
    pub fn denied(&self) -> impl Iterator<Item = &str> {
        self.tables
            .iter()
            .filter(|file| file.state == ReadState::Denied)
            .map(|file| file.name.as_str())
    }

    /// Whether a table of this type exists, readable or not.
    pub fn has<T: TableContent>(&self) -> bool {
        self.tables.iter().any(|file| T::SIGNATURES.contains(&file.name.as_str()))
    }

    /// Whether there is no table at all.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.device_tree.is_none() && self.smbios.is_none()
    }

    /// The tables of a file's bytes: one table, acpidump's text, a device tree or SMBIOS; `None` if
    /// they have no known firmware format.
    pub fn from_bytes(path: &str, bytes: Vec<u8>) -> Option<Self> {
        let mut firmware = Self { origin: path.to_owned(), ..Self::default() };
        firmware.take(path, bytes).then_some(firmware)
    }

    /// Adds a file by its content. Returns false if it has no known firmware format.
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
    /// Decodes a table from a file, or from a text whose heading is at `line` (from 1). Never
    /// fails: a table that cannot be decoded is [`ReadState::Malformed`].
    pub fn decode(path: &str, line: Option<usize>, bytes: Vec<u8>) -> Self {
        let state = match AcpiTable::decode(&bytes) {
            Ok(table) => ReadState::Decoded(table),
            Err(why) => ReadState::Malformed { why: why.to_string() },
        };
        let name = signature(&bytes)
            .map_or_else(|| path.rsplit('/').next().unwrap_or(path).to_owned(), str::to_owned);
        Self { name, path: path.to_owned(), line, bytes, state }
    }

    /// A table with a known file name and no content.
    pub fn unread(name: String, path: String, state: ReadState<AcpiTable>) -> Self {
        Self { name, path, line: None, bytes: Vec::new(), state }
    }
}

impl FirmwareFile<DeviceTree> {
    /// Decodes a flattened device tree. Never fails: a damaged header is [`ReadState::Malformed`].
    ///
    /// # References
    ///
    /// Devicetree Specification 0.4, chapter 5
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

/// SMBIOS by its content. A table without an END structure is recognised by the file name.
fn smbios(path: &str, bytes: &[u8]) -> Option<Smbios> {
    let is_named = path.ends_with(".dmi") || path.ends_with("/DMI");
    let by_name = || Some(Smbios::decode(bytes)).filter(|smbios| is_named && smbios.structures > 0);
    Smbios::decode_file(bytes).or_else(by_name)
}

/// Whether bytes are text. Text may begin with four capital letters too, but a table's header
/// always has unprintable bytes.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(HEADER_BYTES)];
    start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

#[cfg(test)]
mod tests;
