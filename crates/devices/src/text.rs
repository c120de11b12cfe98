//! Where devices are: table, paths, matrix of pairs, findings.

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
use nearfar_view::text::{count, first_lines, paragraph, sections};

use crate::DevicesDocument;
use crate::text::folding::FoldedDevices;

pub(crate) use csv::name_of;
pub use csv::{csv, matrix_csv};
pub use findings::sentence as finding_sentence;
pub use marks::used as used_marks;
pub use matrix::matrix;
pub use rows::{HEADS, rows};

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

const DOMAIN_0: &str = "0000:";

/// Addresses without their domain where all devices are in domain 0, as `lspci` prints them.
#[derive(Clone, Copy, Debug)]
struct Addresses {
    has_one_domain: bool,
}

impl Addresses {
    fn new(document: &DevicesDocument) -> Self {
        let mut all = document.devices.iter().filter_map(|device| device.address.as_deref());
        Self { has_one_domain: all.all(|address| address.starts_with(DOMAIN_0)) }
    }

    fn short(self, address: &str) -> &str {
        match address.strip_prefix(DOMAIN_0) {
            Some(short) if self.has_one_domain => short,
            _ => address,
        }
    }
}
