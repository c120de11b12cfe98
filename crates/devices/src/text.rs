//! Where devices are: table, paths, matrix of pairs, findings.

mod address;
pub(crate) mod coded_sentence;
mod csv;
mod findings;
mod folding;
pub mod link;
mod marks;
mod matrix;
mod paths;
pub mod rows;
mod switches;

use nearfar_view::terminal::printable;

use crate::DevicesDocument;

pub(crate) use csv::name_of;
pub use csv::{csv, matrix_csv};
pub use findings::sentence as finding_sentence;
pub use marks::used as used_marks;
pub use matrix::matrix;
pub use rows::{HEADS, rows};

use nearfar_view::text::count;
use nearfar_view::text::first_lines;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;

use crate::text::address::Addresses;
use crate::text::folding::FoldedDevices;

/// How many oddities are shown; the JSON document has them all.
const MAX_ODDITIES: usize = 10;

/// The devices of a machine, in sections one empty line apart.
pub fn text(document: &DevicesDocument) -> String {
    let addresses = Addresses::new(document);
    let devices = FoldedDevices::new(document, addresses);
    printable::lines(&sections([
        heading(document),
        why_empty(document),
        folding::text(&devices, addresses) + &marks::text(document),
        paths::text(&devices, addresses) + &switches::text(document),
        findings::text(document),
        oddities(document),
    ]))
}

fn heading(document: &DevicesDocument) -> String {
    let nodes = if document.nodes.is_empty() {
        "no nodes reported".to_owned()
    } else {
        format!("nodes {}", document.nodes)
    };
    let machine = document.machine.iter().map(String::as_str);
    let counts =
        [count(document.devices.len(), "device"), count(document.functions, "PCI function"), nodes];
    let counts = counts.join(", ");
    machine.chain([counts.as_str()]).map(|line| format!("{line}\n")).collect()
}

/// Why no device is listed. A capture of an older release is not a machine without devices.
fn why_empty(document: &DevicesDocument) -> String {
    let why = match (document.devices.is_empty(), document.functions) {
        (true, 0) => {
            "No PCI function in sysfs. Captures by releases without 'nearfar devices' have none."
        }
        (true, _) => "No device of the usual kinds: '--all' lists every PCI function.",
        (false, _) => return String::new(),
    };
    paragraph::of(why, "", "")
}

fn oddities(document: &DevicesDocument) -> String {
    if document.oddities.is_empty() {
        return String::new();
    }
    let lines = document.oddities.iter().map(|line| format!("  {line}\n"));
    "Malformed in sysfs, ignored\n".to_owned() + &first_lines(lines, MAX_ODDITIES, "  ")
}
