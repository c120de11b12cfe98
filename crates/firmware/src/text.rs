//! Firmware's tables as a person reads them.
//!
//! [`list`] lists the tables; [`table`], [`smbios`] and [`device_tree`] show one of them.
//! All entries are shown: disabled ones are marked, those of unknown types are bytes, and the
//! faults of a table are listed below it.

mod cedt;
mod crat;
mod definition_block;
pub mod fields;
mod heading;
mod hmat;
mod hmat_matrix;
mod list;
mod madt;
mod matrix;
mod msct;
mod pptt;
mod remains;
mod runs;
mod slit;
mod smbios;
mod srat;
mod tree;

use nearfar_view::terminal::printable;
use nearfar_view::text::sections;

use crate::acpi::AcpiTable;
use crate::device_tree::DeviceTree;
use crate::smbios::Smbios;
use crate::{Firmware, FirmwareFile, TableFile};

/// Which tables there are: name, revision, length, checksum, maker, file; and those that this user
/// may not read.
pub fn list(firmware: &Firmware) -> String {
    printable::lines(&list::text(firmware))
}

/// One ACPI table. The others of `firmware` lend it names: a MADT knows the MPIDR of a CPU that a
/// SRAT knows by number. Nothing for a table that was not decoded.
pub fn table(file: &TableFile, firmware: &Firmware) -> String {
    let Some(table) = file.state.decoded() else { return String::new() };
    let mut sections = vec![heading::text(file, table.header())];
    sections.extend(body(table, firmware));
    sections.push(remains::faults(table.faults()));
    joined(sections)
}

/// SMBIOS: sockets, and slots of memory by channel.
pub fn smbios(part: &FirmwareFile<Smbios>) -> String {
    part.state
        .decoded()
        .map(|found| joined(smbios::sections(found, &part.path)))
        .unwrap_or_default()
}

/// The device tree: memory, CPUs, other parts with a node, distances.
pub fn device_tree(part: &FirmwareFile<DeviceTree>) -> String {
    part.state.decoded().map(|found| joined(tree::sections(found, &part.path))).unwrap_or_default()
}

fn body(table: &AcpiTable, firmware: &Firmware) -> Vec<String> {
    match table {
        AcpiTable::Srat(table) => srat::sections(&table.content, firmware),
        AcpiTable::Slit(table) => slit::slit(&table.content),
        AcpiTable::Hmat(table) => hmat::sections(&table.content, table.header.revision),
        AcpiTable::Msct(table) => msct::sections(&table.content),
        AcpiTable::Madt(table) => madt::sections(&table.content, firmware),
        AcpiTable::Pptt(table) => pptt::sections(&table.content),
        AcpiTable::Cedt(table) => cedt::sections(&table.content),
        AcpiTable::Crat(table) => crat::sections(&table.content),
        AcpiTable::Cdit(table) => slit::cdit(&table.content),
        AcpiTable::DefinitionBlock(table) => definition_block::sections(&table.content),
        AcpiTable::Other(_) => {
            vec!["What it holds is not read here: 'iasl -d' shows it.\n".to_owned()]
        }
    }
}

/// Sections an empty line apart; empty ones are left out.
fn joined(all: Vec<String>) -> String {
    printable::lines(&sections(all))
}
