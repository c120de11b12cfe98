//! Where devices are: table, paths, matrix of pairs, findings.

pub(crate) mod coded_sentence;
mod csv;
mod findings;
mod folding;
pub mod link;
mod marks;
mod matrix;
mod one_device;
mod paths;
pub mod rows;
mod summary;
mod switches;

use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::first_lines;
use nearfar_view::text::fitted::ScreenParts;

use crate::DevicesDocument;
use crate::text::folding::FoldedDevices;

pub(crate) use csv::name_of;
pub use csv::{csv, matrix_csv};
pub use findings::sentence as finding_sentence;
pub use marks::used as used_marks;
pub use matrix::matrix;
pub use one_device::text as one_device;
pub use rows::{HEADS, rows};

/// How many oddities are shown; the JSON document has them all.
const MAX_ODDITIES: usize = 10;

/// The devices of a machine: on which node each is.
pub fn text(document: &DevicesDocument) -> Screen {
    let addresses = Addresses::new(document);
    let devices = FoldedDevices::new(document, addresses);
    let sections = [
        folding::text(&devices, addresses) + &marks::text(document),
        findings::text(document),
        paths::text(&devices, addresses) + &switches::text(document),
        oddities(document),
    ];
    ScreenParts {
        answer: summary::answer(document, why_empty(document)),
        to_do: summary::to_do(document),
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: format!("Devices: {}", summary::counted(document)),
    }
    .screen()
}

/// Why no device is listed. A capture of an older release is not a machine without devices.
fn why_empty(document: &DevicesDocument) -> Option<&'static str> {
    match (document.devices.is_empty(), document.functions) {
        (true, 0) => Some(
            "No PCI function: /sys/bus/pci is missing here. Outputs of programs need that of \
             'lspci -nnv', old archives a new 'nearfar capture'.",
        ),
        (true, _) => Some("No device of the usual kinds: '--all' lists every PCI function."),
        (false, _) => None,
    }
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
