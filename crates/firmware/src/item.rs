//! Firmware items that the user names on the command line.

use std::str::FromStr;

use crate::acpi::{AcpiNamespace, DefinitionBlock, TableContent};
use crate::collection::{Firmware, FirmwareFile, ReadState, TableFile};
use crate::device_tree::DeviceTree;
use crate::error::FirmwareError;
use crate::smbios::Smbios;

/// A firmware item by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirmwareItem {
    /// An ACPI table, by signature or by file name in `/sys/firmware/acpi/tables` ("SSDT3").
    Table(String),
    /// The device tree.
    DeviceTree,
    /// SMBIOS.
    Smbios,
    /// The map of physical addresses (nearfar-machine builds it).
    Map,
}

impl FromStr for FirmwareItem {
    type Err = std::convert::Infallible;

    /// Accepts any name, case-insensitively; "madt" means the table with signature APIC. Whether
    /// the table exists is decided at look-up.
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

impl FirmwareItem {
    /// The decoded tables with this name. Some names, such as SSDT, have several tables.
    ///
    /// # Errors
    ///
    /// [`FirmwareError::NoSuchTable`] if there is none, [`FirmwareError::TableDenied`] or
    /// [`FirmwareError::TableMalformed`] if none of them could be decoded.
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-firmware-acpi
    pub fn tables<'f>(
        name: &str,
        firmware: &'f Firmware,
    ) -> Result<Vec<&'f TableFile>, FirmwareError> {
        let named: Vec<&TableFile> =
            firmware.tables.iter().filter(|file| is_named(file, name)).collect();
        let read: Vec<&TableFile> =
            named.iter().copied().filter(|file| file.state.decoded().is_some()).collect();
        match named.first() {
            _ if !read.is_empty() => Ok(read),
            Some(file) => Err(unread(&file.state, &file.path)),
            None => Err(absent(if name == "APIC" { "APIC (MADT)" } else { name }, firmware)),
        }
    }

    /// The decoded SMBIOS table.
    ///
    /// # Errors
    ///
    /// As [`tables`](Self::tables).
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-firmware-dmi-tables
    pub fn smbios(firmware: &Firmware) -> Result<&FirmwareFile<Smbios>, FirmwareError> {
        part(firmware.smbios.as_ref(), "SMBIOS", firmware)
    }

    /// The decoded device tree.
    ///
    /// # Errors
    ///
    /// As [`tables`](Self::tables).
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-firmware-ofw
    pub fn device_tree(firmware: &Firmware) -> Result<&FirmwareFile<DeviceTree>, FirmwareError> {
        part(firmware.device_tree.as_ref(), "device tree", firmware)
    }

    /// The ACPI namespace: the devices of the DSDT and all SSDTs, or what a capture keeps of them.
    ///
    /// # Errors
    ///
    /// [`FirmwareError::NoSuchTable`] if there is neither, [`FirmwareError::TableDenied`] or
    /// [`FirmwareError::TableMalformed`] if one of them cannot be read: it may claim domains.
    ///
    /// # References
    ///
    /// ACPI 6.6, section 5.2.11 (definition blocks)
    pub fn acpi_namespace(firmware: &Firmware) -> Result<AcpiNamespace, FirmwareError> {
        if let Some(namespace) = &firmware.captured_namespace {
            return Ok(namespace.clone());
        }
        let mut blocks = Vec::new();
        for name in DefinitionBlock::SIGNATURES {
            for file in firmware.tables.iter().filter(|file| is_named(file, name)) {
                let table = file.state.decoded().ok_or_else(|| unread(&file.state, &file.path))?;
                blocks.extend(DefinitionBlock::from_table(table).map(|table| &table.content));
            }
        }
        match blocks.as_slice() {
            [] => Err(absent("DSDT", firmware)),
            _ => Ok(AcpiNamespace::new(blocks)),
        }
    }
}

/// Whether a table has a name: its signature or its file name ("SSDT3"). For unreadable files, a
/// name without its number matches too.
fn is_named(file: &TableFile, name: &str) -> bool {
    let file_name = file.path.rsplit('/').next().unwrap_or_default();
    let numbered = file.state == ReadState::Denied
        && file
            .name
            .strip_prefix(name)
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    file.name == name || file_name.eq_ignore_ascii_case(name) || numbered
}

fn part<'f, T: PartialEq>(
    part: Option<&'f FirmwareFile<T>>,
    name: &str,
    firmware: &Firmware,
) -> Result<&'f FirmwareFile<T>, FirmwareError> {
    let part = part.ok_or_else(|| absent(name, firmware))?;
    match part.state {
        ReadState::Decoded(_) => Ok(part),
        ReadState::Denied | ReadState::Malformed { .. } => Err(unread(&part.state, &part.path)),
    }
}

fn unread<T>(found: &ReadState<T>, path: &str) -> FirmwareError {
    let path = path.to_owned();
    match found {
        ReadState::Malformed { why } => FirmwareError::TableMalformed { path, why: why.clone() },
        ReadState::Denied | ReadState::Decoded(_) => FirmwareError::TableDenied { path },
    }
}

fn absent(asked: &str, firmware: &Firmware) -> FirmwareError {
    let mut names: Vec<&str> = firmware.tables.iter().map(|file| file.name.as_str()).collect();
    names.extend(firmware.device_tree.as_ref().map(|_| "device-tree"));
    names.extend(firmware.smbios.as_ref().map(|_| "smbios"));
    names.sort_unstable();
    names.dedup();
    let there = match names.as_slice() {
        [] => "it has no other firmware table either".to_owned(),
        names => format!("there are {}", names.join(", ")),
    };
    FirmwareError::NoSuchTable { asked: asked.to_owned(), origin: firmware.origin.clone(), there }
}

#[cfg(test)]
mod tests;
