//! The document that `nearfar firmware --json` prints, complete or for one item.

use nearfar_firmware::acpi::AcpiTable;
use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::smbios::Smbios;
use nearfar_firmware::{Firmware, FirmwareFile, ReadState, SkippedFile, TableFile};
use serde::Serialize;

use crate::physical_map::PhysicalMap;

/// The schema of [`FirmwareDocument`]. Fields may be added to a version, never changed.
pub const FIRMWARE_SCHEMA: &str = "nearfar.firmware/1";

/// Decoded firmware tables as one document. Parts that were not requested are absent.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub struct FirmwareDocument<'f> {
    schema: &'static str,
    origin: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<Vec<TableJson<'f>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_tree: Option<FileJson<'f, DeviceTree>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smbios: Option<FileJson<'f, Smbios>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'f [SkippedFile]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<&'f PhysicalMap>,
}

/// A table with its name.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct TableJson<'f> {
    name: &'f str,
    line: Option<usize>,
    #[serde(flatten)]
    read: FileJson<'f, AcpiTable>,
}

/// A path and the decoded content; null with a reason if it is unknown.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct FileJson<'f, T> {
    path: &'f str,
    decoded: Option<&'f T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'f str>,
}

impl<'f> FirmwareDocument<'f> {
    /// A document with everything.
    pub fn new(firmware: &'f Firmware) -> Self {
        Self {
            tables: Some(firmware.tables.iter().map(TableJson::from_file).collect()),
            device_tree: firmware
                .device_tree
                .as_ref()
                .map(|part| FileJson::new(&part.path, &part.state)),
            smbios: firmware.smbios.as_ref().map(|part| FileJson::new(&part.path, &part.state)),
            left_out: Some(&firmware.skipped),
            ..Self::empty(&firmware.origin)
        }
    }

    /// A document with some tables.
    pub fn from_tables(firmware: &'f Firmware, tables: &[&'f TableFile]) -> Self {
        Self {
            tables: Some(tables.iter().copied().map(TableJson::from_file).collect()),
            ..Self::empty(&firmware.origin)
        }
    }

    /// A document with SMBIOS.
    pub fn from_smbios(firmware: &'f Firmware, part: &'f FirmwareFile<Smbios>) -> Self {
        Self {
            smbios: Some(FileJson::new(&part.path, &part.state)),
            ..Self::empty(&firmware.origin)
        }
    }

    /// A document with the device tree.
    pub fn from_device_tree(firmware: &'f Firmware, part: &'f FirmwareFile<DeviceTree>) -> Self {
        Self {
            device_tree: Some(FileJson::new(&part.path, &part.state)),
            ..Self::empty(&firmware.origin)
        }
    }

    /// A document with the map of physical addresses.
    pub fn from_map(firmware: &'f Firmware, map: &'f PhysicalMap) -> Self {
        Self { map: Some(map), ..Self::empty(&firmware.origin) }
    }

    fn empty(origin: &'f str) -> Self {
        Self { schema: FIRMWARE_SCHEMA, origin, ..Self::default() }
    }
}

impl<'f> TableJson<'f> {
    fn from_file(file: &'f TableFile) -> Self {
        Self { name: &file.name, line: file.line, read: FileJson::new(&file.path, &file.state) }
    }
}

impl<'f, T> FileJson<'f, T> {
    fn new(path: &'f str, found: &'f ReadState<T>) -> Self {
        let why = match found {
            ReadState::Decoded(_) => None,
            ReadState::Denied => Some("not root"),
            ReadState::Malformed { why } => Some(why.as_str()),
        };
        Self { path, decoded: found.decoded(), why }
    }
}

#[cfg(test)]
mod tests;
