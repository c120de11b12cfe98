//! Golden texts of small firmware tables made by hand, read from a machine.

mod affinity;
mod corpus;
#[path = "../it/corpus_folder.rs"]
#[allow(dead_code)] // other programs use more of it
mod corpus_folder;
mod definition_blocks;
mod distances;
mod groups;
mod make;
mod others;

use nearfar_firmware::Firmware;
use nearfar_firmware::text::table;
use nearfar_machine::{Source, firmware_tables};

const TABLES: &str = "/sys/firmware/acpi/tables";

/// A machine with these tables, each under its signature.
fn firmware(tables: &[Vec<u8>]) -> Firmware {
    firmware_tables::read(&Source::from_files(tables.iter().map(|table| {
        let name = String::from_utf8_lossy(&table[..4]).into_owned();
        (format!("{TABLES}/{name}"), table.clone())
    })))
}

/// The text of the first of these tables, beside the others.
fn shown(tables: &[Vec<u8>]) -> String {
    let firmware = firmware(tables);
    let name = String::from_utf8_lossy(&tables[0][..4]).into_owned();
    let file = firmware.tables.iter().find(|file| file.name == name).expect("the table is there");
    table(file, &firmware)
}
