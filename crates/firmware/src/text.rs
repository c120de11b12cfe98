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
mod refused;
mod remains;
mod runs;
mod slit;
mod smbios;
mod srat;
mod tree;

use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::fitted::{ScreenParts, ToDo};
use nearfar_view::text::{count, sections};

use crate::acpi::AcpiTable;
use crate::device_tree::DeviceTree;
use crate::fault::Fault;
use crate::smbios::Smbios;
use crate::{Firmware, FirmwareFile, TableFile};

/// Which tables there are, and their faults: name, revision, length, checksum, maker, file; and
/// those that this user may not read.
pub fn list(firmware: &Firmware) -> Screen {
    list::screen(firmware)
}

/// ACPI tables of one name.
pub fn tables(files: &[&TableFile], firmware: &Firmware) -> Screen {
    let name = match files.first().map(|file| file.name.as_str()) {
        Some("APIC") => "MADT",
        name => name.unwrap_or("no table"),
    };
    let faults = files.iter().filter_map(|file| file.state.decoded());
    let faults: Vec<&Fault> = faults.flat_map(AcpiTable::faults).collect();
    let headings = files.iter().filter_map(|file| {
        Some(heading::text(file, file.state.decoded()?.header()).replace('\n', " "))
    });
    let mut decoded = files.iter().filter_map(|file| file.state.decoded());
    let refused = decoded.find_map(refused::refused);
    let faults = fault_count(faults.len());
    let summary = match &refused {
        Some(refused) => format!("{faults}, {}", refused.verdict),
        None => faults,
    };
    let mut answer = vec![format!("{name}: {}, {summary}.", count(files.len(), "table"))];
    answer.extend(refused.map(|refused| refused.sentence));
    answer.extend(headings);
    let sections = files.iter().map(|file| contents(file, firmware));
    let to_do = vec![ToDo::new("nearfar diagnose", "the nodes that the kernel makes of it")];
    let verdict = format!("{name}: {summary}");
    ScreenParts { answer, to_do, sections: sections.flatten().collect(), verdict }.screen()
}

/// The faults, then all entries.
fn contents(file: &TableFile, firmware: &Firmware) -> Vec<String> {
    let Some(table) = file.state.decoded() else { return Vec::new() };
    let faults = remains::faults(table.faults());
    let all = std::iter::once(faults).chain(body(table, firmware));
    all.map(|section| printable::lines(&section)).collect()
}

fn fault_count(faults: usize) -> String {
    if faults == 0 { "no fault".to_owned() } else { count(faults, "fault") }
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
pub fn smbios(part: &FirmwareFile<Smbios>) -> Screen {
    let Some(found) = part.state.decoded() else { return Screen::default() };
    headed(smbios::sections(found, &part.path), "SMBIOS", found.faults.len())
}

/// The device tree: memory, CPUs, other parts with a node, distances.
pub fn device_tree(part: &FirmwareFile<DeviceTree>) -> Screen {
    let Some(found) = part.state.decoded() else { return Screen::default() };
    headed(tree::sections(found, &part.path), "Device tree", found.faults.len())
}

/// The first section is the answer.
fn headed(sections: Vec<String>, name: &str, faults: usize) -> Screen {
    let mut sections = sections.into_iter();
    let heading = sections.next().unwrap_or_default();
    let verdict = format!("{name}: {}", fault_count(faults));
    let lines = heading.lines().map(str::to_owned);
    let answer = lines.chain([format!("{verdict}.")]).collect();
    let sections = sections.map(|section| printable::lines(&section)).collect();
    ScreenParts { answer, to_do: Vec::new(), sections, verdict }.screen()
}

fn body(table: &AcpiTable, firmware: &Firmware) -> Vec<String> {
    match table {
        AcpiTable::Srat(table) => srat::sections(&table.content, firmware),
        AcpiTable::Slit(table) => slit::slit(&table.content),
        AcpiTable::Hmat(table) => hmat::sections(&table.content),
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
