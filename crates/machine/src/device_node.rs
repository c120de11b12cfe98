//! The NUMA node of a device: a network card, a disk, any PCI function, or the device behind a file
//! or an address.
//!
//! sysfs has `numa_node` only for hardware: a partition, a VLAN, an encrypted disk or a file has
//! none. So a device is followed down to hardware (`lower_*` links of the network, `slaves` of
//! block devices, mounts of files, routes of addresses), and from there up through its parents
//! ([`parents`]) to a node. A device on several others has several nodes.

mod block;
mod char_device;
mod file;
mod mounts;
mod netdev;
mod parents;
mod route;

use std::fmt;

use nearfar_model::{NodeId, NodeSet};

use crate::attribute::shorten;
use crate::hardware_error::{HardwareError, ListedDeviceError};
use crate::pci::PciAddress;
use crate::source::{DeviceNumbers, Source};
pub(crate) use mounts::Mount;
pub use parents::HardwareNode;
pub(crate) use parents::{nearest_numa_node, node_of_parents, nodes_of};

/// Maximum depth of stacked devices: disks on RAID on encryption on a file on a disk.
const MAX_LAYERS: u32 = 8;

/// The node of the hardware at a folder of sysfs, if known.
pub(crate) fn for_folder(source: &Source, folder: &str) -> Option<NodeId> {
    parents::node_of_parents(source, "", folder)?.node
}

/// The hardware of a file system that a process has mounted, without a look-up that could block.
///
/// The folders of an overlay are paths of the namespace that mounted it. They are known only if
/// nearfar's own namespace has that overlay too.
pub(crate) fn for_mount(source: &Source, mount: &Mount) -> Option<Vec<HardwareNode>> {
    if mount.may_block() || (mount.kind == "overlay" && !mount.is_own(source)) {
        return None;
    }
    file::locate_mount(source, mount, MAX_LAYERS).ok()
}

/// The hardware of a device file; `numbers` are those of a live one.
pub(crate) fn for_device_file(
    source: &Source,
    path: &str,
    numbers: Option<DeviceNumbers>,
) -> Option<Vec<HardwareNode>> {
    file::locate_device_file(source, path, numbers, MAX_LAYERS)?.ok()
}

/// The hardware of an entry in a class of sysfs.
pub(crate) fn for_class(
    source: &Source,
    folder: &str,
    name: &str,
) -> Result<Vec<HardwareNode>, HardwareError> {
    match folder {
        "/sys/class/net" => netdev::locate(source, name, MAX_LAYERS),
        "/sys/class/block" => block::locate(source, name, MAX_LAYERS),
        _ => {
            let found = node_of_parents(source, name, &format!("{folder}/{name}"));
            found.map(|one| vec![one]).ok_or(HardwareError::Software)
        }
    }
}

/// Whether a device mapper volume has this name.
pub(crate) fn is_volume(source: &Source, name: &str) -> bool {
    block::volume(source, name).is_some()
}

/// The GPU that NVIDIA's driver counts with this number.
pub(crate) fn for_nvidia(source: &Source, minor: u32) -> Result<Vec<HardwareNode>, HardwareError> {
    char_device::nvidia(source, minor)
}

/// A device in a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ListedDevice {
    Netdev(String),
    /// The outgoing interface for this host or address.
    Ip(String),
    /// The disk of a file's file system, or a device file.
    File(String),
    Block(String),
    Pci(PciAddress),
}

impl ListedDevice {
    /// Parses `kind:name`; `None` for an unknown kind.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, String> {
        let Some((kind, name)) = text.split_once(':') else { return Ok(None) };
        let kind = kind.trim();
        if !matches!(kind, "netdev" | "ip" | "file" | "block" | "pci") {
            return Ok(None);
        }
        let name = name.trim();
        if name.is_empty() {
            return Err(format!("'{kind}:' names no device"));
        }
        Ok(Some(match kind {
            "netdev" => Self::Netdev(plain(kind, name)?),
            "ip" => Self::Ip(name.to_owned()),
            "file" => Self::File(name.to_owned()),
            "block" => Self::Block(plain(kind, name.strip_prefix("/dev/").unwrap_or(name))?),
            _ => Self::Pci(PciAddress::parse(name)?),
        }))
    }

    /// The device's nodes, never empty. `online` are the machine's nodes: with only one, hardware
    /// with an unknown node is there.
    pub(crate) fn nodes(
        &self,
        source: &Source,
        online: &NodeSet,
    ) -> Result<NodeSet, ListedDeviceError> {
        let nodes = nodes_of(&self.hardware(source)?);
        match nodes.is_empty() {
            false => Ok(nodes),
            true if online.len() == 1 => Ok(online.clone()),
            true => Err(ListedDeviceError::UnknownNode { online: online.clone() }),
        }
    }

    /// The hardware below the device, never empty.
    pub(crate) fn hardware(&self, source: &Source) -> Result<Vec<HardwareNode>, HardwareError> {
        self.locate(source, MAX_LAYERS)
    }

    /// Its hardware, through at most `layers` stacked devices. Loop devices are on files, and these
    /// on block devices.
    fn locate(&self, source: &Source, layers: u32) -> Result<Vec<HardwareNode>, HardwareError> {
        match self {
            Self::Netdev(name) => netdev::locate(source, name, layers),
            Self::Ip(host) => {
                route::device(source, host).and_then(|name| netdev::locate(source, &name, layers))
            }
            Self::File(path) => file::locate(source, path, layers),
            Self::Block(name) => block::locate(source, name, layers),
            Self::Pci(address) => locate_pci(source, *address),
        }
    }
}

fn locate_pci(source: &Source, address: PciAddress) -> Result<Vec<HardwareNode>, HardwareError> {
    let folder = format!("/sys/bus/pci/devices/{address}");
    if !source.exists(&folder) {
        return Err(HardwareError::NoPciDevice);
    }
    let found = parents::node_of_parents(source, &address.to_string(), &folder);
    found.map(|one| vec![one]).ok_or(HardwareError::NoPciNodes)
}

impl fmt::Display for ListedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Netdev(name) => write!(f, "netdev:{}", shorten(name)),
            Self::Ip(host) => write!(f, "ip:{}", shorten(host)),
            Self::File(path) => write!(f, "file:{}", shorten(path)),
            Self::Block(name) => write!(f, "block:{}", shorten(name)),
            Self::Pci(address) => write!(f, "pci:{address}"),
        }
    }
}

/// Checks that a name is one path component. Dots are part of names (`eth0.100`).
fn plain(kind: &str, name: &str) -> Result<String, String> {
    if name.contains('/') || matches!(name, "." | "..") {
        return Err(format!("'{kind}:{}' is no device name: names have no '/'", shorten(name)));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
pub(crate) mod tests;
