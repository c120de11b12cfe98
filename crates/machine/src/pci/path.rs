//! The buses and bridges above a PCI function.

use std::fmt;

use serde::{Serialize, Serializer};

use super::PciAddress;

/// Root buses and functions from the top of the tree to a function, itself excluded.
///
/// Functions behind a VMD controller have two root buses in their path: the controller's own, and
/// the one that its driver adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PciPath {
    hops: Vec<PciHop>,
}

/// A root bus or a bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PciHop {
    /// A root bus below a host bridge: `pci0000:3a`.
    RootBus {
        /// Its domain.
        domain: u32,
        /// Its number.
        bus: u8,
    },
    /// A PCI bridge (a root port, a port of a switch), or the function that adds a domain.
    Bridge(PciAddress),
}

impl PciPath {
    /// The path of a folder of sysfs. What is neither a root bus nor a function is skipped: the
    /// folders of the platform above a root bus.
    pub(crate) fn for_folder(folder: &str, function: PciAddress) -> Self {
        let hops = folder.split('/').filter_map(PciHop::for_folder);
        Self { hops: hops.filter(|hop| *hop != PciHop::Bridge(function)).collect() }
    }

    /// A path from its parts, from the root bus down.
    pub fn new(hops: Vec<PciHop>) -> Self {
        Self { hops }
    }

    /// From the root bus down.
    pub fn hops(&self) -> &[PciHop] {
        &self.hops
    }

    /// Whether it begins with a root bus.
    pub fn is_whole(&self) -> bool {
        matches!(self.hops.first(), Some(PciHop::RootBus { .. }))
    }

    /// The bridges, from the top down.
    pub fn bridges(&self) -> impl Iterator<Item = PciAddress> + '_ {
        self.hops.iter().filter_map(|hop| match hop {
            PciHop::Bridge(address) => Some(*address),
            PciHop::RootBus { .. } => None,
        })
    }
}

impl PciHop {
    fn for_folder(name: &str) -> Option<Self> {
        match name.strip_prefix("pci") {
            Some(bus) => {
                let (domain, bus) = bus.split_once(':')?;
                let bus = u8::from_str_radix(bus, 16).ok()?;
                Some(Self::RootBus { domain: u32::from_str_radix(domain, 16).ok()?, bus })
            }
            None => PciAddress::for_folder(name).map(Self::Bridge),
        }
    }
}

impl fmt::Display for PciHop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RootBus { domain, bus } => write!(f, "pci{domain:04x}:{bus:02x}"),
            Self::Bridge(address) => address.fmt(f),
        }
    }
}

nearfar_model::schema_as!(PciHop: String, PciPath: Vec<PciHop>);

impl Serialize for PciHop {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for PciPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.hops.serialize(serializer)
    }
}
