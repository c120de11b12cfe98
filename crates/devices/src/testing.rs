//! Paths in tests.

use nearfar_machine::PciAddress;
use nearfar_machine::pci::{PciHop, PciPath};

/// A path from its parts, one blank apart: `pci0000:00 0000:00:01.0`.
pub(crate) fn path(parts: &str) -> PciPath {
    let hop = |part: &str| match part.strip_prefix("pci") {
        Some(bus) => {
            let (domain, bus) = bus.split_once(':').unwrap();
            PciHop::RootBus {
                domain: u32::from_str_radix(domain, 16).unwrap(),
                bus: u8::from_str_radix(bus, 16).unwrap(),
            }
        }
        None => PciHop::Bridge(PciAddress::parse(part).unwrap()),
    };
    PciPath::new(parts.split_whitespace().map(hop).collect())
}
