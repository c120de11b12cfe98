//! The document that `nearfar firmware --json` prints, whole or about what a person asked for by name.

use std::str::FromStr;

use serde::Serialize;

use crate::error::MachineError;
use crate::firmware::acpi::AcpiTable;
use crate::firmware::device_tree::DeviceTree;
use crate::firmware::smbios::Smbios;
use crate::firmware::{Firmware, Found, LeftOut, Part, TableFile};
use crate::physical_map::PhysicalMap;

/// The schema of [`FirmwareDocument`]. Parts may be added within a number, never changed.
pub const FIRMWARE_SCHEMA: &str = "nearfar.firmware/1";

/// What can be asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An ACPI table, by its signature, or by the name that it has in `/sys/firmware/acpi/tables` ("SSDT3").
    Table(String),
    /// The device tree.
    DeviceTree,
    /// SMBIOS.
    Smbios,
    /// The map of physical addresses.
    Map,
}

impl FromStr for Subject {
    type Err = std::convert::Infallible;

    /// Reads any name; whether there is such a table shows when it is looked for. Case does not matter; "madt" is the table
    /// whose signature is APIC.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "map" => Self::Map,
            "smbios" | "dmi" => Self::Smbios,
            "device-tree" | "devicetree" | "dt" | "fdt" | "dtb" => Self::DeviceTree,
            "madt" => Self::Table("APIC".to_owned()),
            _ => Self::Table(name.to_ascii_uppercase()),
        })
    }
}

impl Subject {
    /// The tables of this name that could be read: several where firmware has several. Fails where there is none.
    pub fn tables<'f>(name: &str, firmware: &'f Firmware) -> Result<Vec<&'f TableFile>, MachineError> {
        let named: Vec<&TableFile> = firmware.tables.iter().filter(|file| is_named(file, name)).collect();
        let read: Vec<&TableFile> = named.iter().copied().filter(|file| file.found.decoded().is_some()).collect();
        match named.first() {
            _ if !read.is_empty() => Ok(read),
            Some(file) => Err(unread(&file.found, &file.path)),
            None => Err(absent(shown_name(name), firmware)),
        }
    }

    /// SMBIOS, read.
    pub fn smbios(firmware: &Firmware) -> Result<&Part<Smbios>, MachineError> {
        part(firmware.smbios.as_ref(), "SMBIOS", firmware)
    }

    /// The device tree, read.
    pub fn device_tree(firmware: &Firmware) -> Result<&Part<DeviceTree>, MachineError> {
        part(firmware.device_tree.as_ref(), "device tree", firmware)
    }
}

/// Whether a table has a name: its signature, or its file's ("SSDT3"), or the start of the latter where it could not be read.
fn is_named(file: &TableFile, name: &str) -> bool {
    let file_name = file.path.rsplit('/').next().unwrap_or_default();
    let numbered = file.found == Found::Denied
        && file.name.strip_prefix(name).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    file.name == name || file_name.eq_ignore_ascii_case(name) || numbered
}

fn shown_name(name: &str) -> String {
    if name == "APIC" { "APIC (MADT)".to_owned() } else { name.to_owned() }
}

fn part<'f, T: PartialEq>(
    part: Option<&'f Part<T>>,
    name: &str,
    firmware: &Firmware,
) -> Result<&'f Part<T>, MachineError> {
    let part = part.ok_or_else(|| absent(name.to_owned(), firmware))?;
    match part.found {
        Found::Decoded(_) => Ok(part),
        Found::Denied | Found::Nonsense { .. } => Err(unread(&part.found, &part.path)),
    }
}

fn unread<T>(found: &Found<T>, path: &str) -> MachineError {
    let path = path.to_owned();
    match found {
        Found::Nonsense { why } => MachineError::TableNonsense { path, why: why.clone() },
        Found::Denied | Found::Decoded(_) => MachineError::TableDenied { path },
    }
}

fn absent(asked: String, firmware: &Firmware) -> MachineError {
    let mut names: Vec<&str> = firmware.tables.iter().map(|file| file.name.as_str()).collect();
    names.extend(firmware.device_tree.as_ref().map(|_| "device-tree"));
    names.extend(firmware.smbios.as_ref().map(|_| "smbios"));
    names.sort_unstable();
    names.dedup();
    let there = match names.as_slice() {
        [] => "nor anything else that firmware wrote".to_owned(),
        names => format!("there are {}", names.join(", ")),
    };
    MachineError::NoSuchTable { asked, origin: firmware.origin.clone(), there }
}

/// What firmware's tables say, as one document. Parts that were not asked for are left out.
#[derive(Debug, Serialize)]
pub struct FirmwareDocument<'f> {
    schema: &'static str,
    origin: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<Vec<Table<'f>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_tree: Option<Read<'f, DeviceTree>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smbios: Option<Read<'f, Smbios>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'f [LeftOut]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map: Option<&'f PhysicalMap>,
}

/// A table with its name.
#[derive(Debug, Serialize)]
struct Table<'f> {
    name: &'f str,
    line: Option<usize>,
    #[serde(flatten)]
    read: Read<'f, AcpiTable>,
}

/// Where something is, and what it says; null with a reason where that is not known.
#[derive(Debug, Serialize)]
struct Read<'f, T> {
    path: &'f str,
    decoded: Option<&'f T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'f str>,
}

impl<'f> FirmwareDocument<'f> {
    /// All that was found.
    pub fn whole(firmware: &'f Firmware) -> Self {
        Self {
            tables: Some(firmware.tables.iter().map(Table::of).collect()),
            device_tree: firmware.device_tree.as_ref().map(|part| Read::of(&part.path, &part.found)),
            smbios: firmware.smbios.as_ref().map(|part| Read::of(&part.path, &part.found)),
            left_out: Some(&firmware.left_out),
            ..Self::empty(&firmware.origin)
        }
    }

    /// Some tables only.
    pub fn of_tables(firmware: &'f Firmware, tables: &[&'f TableFile]) -> Self {
        Self { tables: Some(tables.iter().copied().map(Table::of).collect()), ..Self::empty(&firmware.origin) }
    }

    /// SMBIOS only.
    pub fn of_smbios(firmware: &'f Firmware, part: &'f Part<Smbios>) -> Self {
        Self { smbios: Some(Read::of(&part.path, &part.found)), ..Self::empty(&firmware.origin) }
    }

    /// The device tree only.
    pub fn of_device_tree(firmware: &'f Firmware, part: &'f Part<DeviceTree>) -> Self {
        Self { device_tree: Some(Read::of(&part.path, &part.found)), ..Self::empty(&firmware.origin) }
    }

    /// The map of physical addresses only.
    pub fn of_map(firmware: &'f Firmware, map: &'f PhysicalMap) -> Self {
        Self { map: Some(map), ..Self::empty(&firmware.origin) }
    }

    fn empty(origin: &'f str) -> Self {
        Self {
            schema: FIRMWARE_SCHEMA,
            origin,
            tables: None,
            device_tree: None,
            smbios: None,
            left_out: None,
            map: None,
        }
    }
}

impl<'f> Table<'f> {
    fn of(file: &'f TableFile) -> Self {
        Self { name: &file.name, line: file.line, read: Read::of(&file.path, &file.found) }
    }
}

impl<'f, T> Read<'f, T> {
    fn of(path: &'f str, found: &'f Found<T>) -> Self {
        let why = match found {
            Found::Decoded(_) => None,
            Found::Denied => Some("not root"),
            Found::Nonsense { why } => Some(why.as_str()),
        };
        Self { path, decoded: found.decoded(), why }
    }
}

#[cfg(test)]
mod tests;
