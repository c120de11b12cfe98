//! PCI functions and the buses and bridges above each, from sysfs.
//!
//! `/sys/bus/pci/devices` has a link for each function. The link's target is the path from the root
//! bus (`pci0000:3a`) over all bridges to the function. Sources:
//! Documentation/ABI/testing/sysfs-bus-pci, drivers/pci/pci-sysfs.c.

mod address;
mod link;
mod names;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;

use nearfar_model::{CpuSet, NodeId};
use serde::{Serialize, Serializer};

use crate::attribute::{Attributes, shorten};
use crate::source::FileContents;

pub use address::PciAddress;
pub use link::{LinkState, PciLink};
pub use names::PciNames;

const FOLDER: &str = "/sys/bus/pci/devices";
/// Largest number of functions that are read: the addresses of 16 domains' worth of full buses.
const MAX_FUNCTIONS: usize = 1 << 20;

/// A PCI function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PciFunction {
    /// Its address.
    pub address: PciAddress,
    /// The buses and bridges above it.
    pub path: PciPath,
    /// Class, subclass and programming interface, 24 bits; `None` if unknown.
    pub class: Option<u32>,
    /// Who made it; `None` if unknown.
    pub vendor: Option<u16>,
    /// What it is, a number of the vendor; `None` if unknown.
    pub device: Option<u16>,
    /// Vendor and number of the card or board that it is part of; `None` if unknown.
    pub subsystem: Option<(u16, u16)>,
    /// The driver that is bound to it.
    pub driver: Option<String>,
}

/// The content of a device's `numa_node`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelNode {
    /// A node.
    Node(NodeId),
    /// -1: the kernel knows none.
    Unknown,
    /// There is no such file: a kernel without NUMA, or a device that has none.
    Absent,
    /// Permission is denied.
    NotReadable,
    /// The content is no node.
    Malformed,
}

impl KernelNode {
    /// The node, if there is one.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Node(node) => Some(node),
            Self::Unknown | Self::Absent | Self::NotReadable | Self::Malformed => None,
        }
    }
}

/// Attributes that take more reads than a list of functions needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PciDetails {
    /// The CPUs that the kernel calls local.
    pub local_cpus: Option<CpuSet>,
    /// Its PCIe link; `None` for conventional PCI and devices of the chipset.
    pub link: Option<PciLink>,
    /// The physical function of a virtual one (SR-IOV).
    pub physical_function: Option<PciAddress>,
    /// Enabled virtual functions (SR-IOV).
    pub virtual_functions: u32,
    /// The path in the namespace of ACPI of the device, or of the nearest bridge or root bus above
    /// it that has one: `\_SB_.PC00.RP01`.
    pub firmware_path: Option<String>,
}

/// A function, and what is read of it as long as its folder is at hand.
pub(crate) struct FoundFunction {
    pub(crate) function: PciFunction,
    /// Its folder below `/sys/devices`, without links.
    pub(crate) folder: String,
}

/// The names of all functions.
pub(crate) fn names(read: &Attributes<'_>) -> Vec<String> {
    let mut names = read.names(FOLDER);
    if names.len() > MAX_FUNCTIONS {
        read.odd(format!(
            "{FOLDER} has {} entries: the first {MAX_FUNCTIONS} are read",
            names.len()
        ));
        names.truncate(MAX_FUNCTIONS);
    }
    names
}

/// One function: a file and a link. A function that vanishes while it is read is absent.
pub(crate) fn function(read: &Attributes<'_>, name: &str) -> Option<FoundFunction> {
    let link = format!("{FOLDER}/{name}");
    let Some(address) = PciAddress::for_folder(name) else {
        read.odd(format!("{FOLDER}: '{}' is no PCI address", shorten(name)));
        return None;
    };
    let Some(folder) = read.source.real_path(&link) else {
        read.odd(format!("{link}: its path cannot be resolved"));
        return None;
    };
    let path = PciPath::for_folder(&folder, address);
    if !path.is_whole() {
        read.odd(format!("{link}: its path {} names no root bus", shorten(&folder)));
    }
    let ids = Ids::read(read, &folder);
    let function = PciFunction {
        address,
        path,
        class: ids.class,
        vendor: ids.vendor,
        device: ids.device,
        subsystem: ids.subsystem,
        driver: ids.driver,
    };
    Some(FoundFunction { function, folder })
}

/// The content of `numa_node` in a device's folder.
pub(crate) fn kernel_node(read: &Attributes<'_>, folder: &str) -> KernelNode {
    let file = format!("{folder}/numa_node");
    let bytes = match read.source.contents(&file) {
        FileContents::Bytes(bytes) => bytes,
        FileContents::Absent => return KernelNode::Absent,
        FileContents::Denied => return KernelNode::NotReadable,
    };
    let text = String::from_utf8_lossy(&bytes);
    match text.trim().parse::<i64>() {
        Ok(-1) => KernelNode::Unknown,
        Ok(number) if (0..=i64::from(nearfar_model::MAX_ID)).contains(&number) => {
            u32::try_from(number).map_or(KernelNode::Malformed, |id| KernelNode::Node(NodeId(id)))
        }
        _ => {
            read.odd(format!("{file}: '{}' is no node", shorten(text.trim())));
            KernelNode::Malformed
        }
    }
}

/// Attributes of a function in its folder of sysfs.
pub(crate) fn details(
    read: &Attributes<'_>,
    folder: &str,
    physical_function: Option<PciAddress>,
    firmware_paths: &mut FirmwarePaths,
) -> PciDetails {
    PciDetails {
        local_cpus: read
            .list_or_mask(&format!("{folder}/local_cpulist"), &format!("{folder}/local_cpus")),
        link: link::read(read, folder),
        physical_function,
        virtual_functions: read.parsed(&format!("{folder}/sriov_numvfs")).unwrap_or(0),
        firmware_path: firmware_paths.of(read, folder),
    }
}

/// The physical function of a virtual one (SR-IOV).
pub(crate) fn physical_function(read: &Attributes<'_>, folder: &str) -> Option<PciAddress> {
    let path = read.source.real_path(&format!("{folder}/physfn"))?;
    PciAddress::for_folder(path.rsplit('/').next()?)
}

/// Paths in the namespace of ACPI. Many functions have one bridge above them.
#[derive(Default)]
pub(crate) struct FirmwarePaths(HashMap<String, Option<String>>);

impl FirmwarePaths {
    /// The path of a folder in sysfs, else of its nearest parent.
    fn of(&mut self, read: &Attributes<'_>, folder: &str) -> Option<String> {
        if !folder.contains("/pci") {
            return None;
        }
        let own = |folder: &str| read.text(&format!("{folder}/firmware_node/path"));
        own(folder).or_else(|| {
            let mut above = folder.rsplit_once('/')?.0;
            while above.contains("/pci") {
                if !self.0.contains_key(above) {
                    self.0.insert(above.to_owned(), own(above));
                }
                if let Some(Some(path)) = self.0.get(above) {
                    return Some(path.clone());
                }
                above = above.rsplit_once('/')?.0;
            }
            None
        })
    }
}

/// The link of a function.
pub(crate) fn link(read: &Attributes<'_>, address: PciAddress) -> Option<PciLink> {
    link::read(read, &format!("{FOLDER}/{address}"))
}

/// What `uevent` has of a function, or the single files where it is absent.
#[derive(Default)]
struct Ids {
    class: Option<u32>,
    vendor: Option<u16>,
    device: Option<u16>,
    subsystem: Option<(u16, u16)>,
    driver: Option<String>,
}

impl Ids {
    fn read(read: &Attributes<'_>, folder: &str) -> Self {
        let mut ids = Self::default();
        let uevent = read.text(&format!("{folder}/uevent")).unwrap_or_default();
        for (key, value) in uevent.lines().filter_map(|line| line.split_once('=')) {
            match key {
                "DRIVER" => ids.driver = Some(value.to_owned()),
                "PCI_CLASS" => ids.class = u32::from_str_radix(value, 16).ok(),
                "PCI_ID" => (ids.vendor, ids.device) = vendor_and_number(value),
                "PCI_SUBSYS_ID" => {
                    let (vendor, number) = vendor_and_number(value);
                    ids.subsystem = vendor.zip(number);
                }
                _ => {}
            }
        }
        let file = |name: &str| {
            let text = read.text(&format!("{folder}/{name}"))?;
            let number = u32::from_str_radix(text.trim_start_matches("0x"), 16).ok();
            if number.is_none() {
                read.odd(format!("{folder}/{name}: '{}' is no number", shorten(&text)));
            }
            number
        };
        let short = |name: &str| u16::try_from(file(name)?).ok();
        ids.class = ids.class.or_else(|| file("class"));
        ids.vendor = ids.vendor.or_else(|| short("vendor"));
        ids.device = ids.device.or_else(|| short("device"));
        ids.subsystem =
            ids.subsystem.or_else(|| short("subsystem_vendor").zip(short("subsystem_device")));
        ids
    }
}

/// Two hexadecimal numbers with a colon between them.
fn vendor_and_number(text: &str) -> (Option<u16>, Option<u16>) {
    let (vendor, number) = text.split_once(':').unwrap_or((text, ""));
    (u16::from_str_radix(vendor, 16).ok(), u16::from_str_radix(number, 16).ok())
}

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
