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
mod route;
#[cfg(test)]
pub(crate) mod tests;

use std::{fmt, iter};

use nearfar_model::{NodeId, NodeSet};
use serde::Serialize;

use crate::attribute::{Attributes, shorten};
use crate::hardware_error::{HardwareError, ListedDeviceError};
use crate::pci;
use crate::pci::{KernelNode, PciAddress};
use crate::source::{DeviceNumbers, Source};

pub(crate) use mounts::Mount;

/// Maximum depth of stacked devices: disks on RAID on encryption on a file on a disk.
const MAX_LAYERS: u32 = 8;

/// The node of the hardware at a folder of sysfs, if known.
pub(crate) fn for_folder(source: &Source, folder: &str) -> Option<NodeId> {
    node_of_parents(source, "", folder)?.node
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
        "/sys/class/net" => locate(source, name, MAX_LAYERS),
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
            Self::Netdev(name) => locate(source, name, layers),
            Self::Ip(host) => {
                route::device(source, host).and_then(|name| locate(source, &name, layers))
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
    let found = node_of_parents(source, &address.to_string(), &folder);
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

/// Maximum number of parents: a disk behind several bridges has about 15.
const MAX_PARENTS: usize = 32;

/// Hardware, and the node that the kernel reports for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct HardwareNode {
    /// The kernel's name: `nvme0n1`, `eth0`; the PCI address where it has none.
    pub name: String,
    /// Its PCI function; `None` without PCI.
    pub address: Option<PciAddress>,
    /// The node; `None` where the kernel knows none (-1).
    pub node: Option<NodeId>,
    /// The file of sysfs with the node, or with -1.
    pub source: Option<String>,
    /// The measurement that the node is of, instead of the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_by: Option<String>,
}

/// The known nodes of hardware.
pub(crate) fn nodes_of(hardware: &[HardwareNode]) -> NodeSet {
    hardware.iter().filter_map(|one| one.node).collect()
}

/// The hardware at a folder of sysfs, with its node or that of a parent; `None` without hardware.
///
/// Links such as `/sys/class/net/eth0` are resolved first.
pub(crate) fn node_of_parents(source: &Source, name: &str, folder: &str) -> Option<HardwareNode> {
    let folder = source.real_path(folder)?;
    let (file, node) = nearest_numa_node(&Attributes::new(source), &folder)?;
    Some(HardwareNode {
        name: name.to_owned(),
        address: folder.rsplit('/').find_map(PciAddress::for_folder),
        node: node.node(),
        source: Some(file),
        measured_by: None,
    })
}

/// The `numa_node` that counts for a folder without links, and its content.
///
/// The PCI function's own file counts, even if it has -1: bridges above it may be on other nodes.
/// Folders without PCI, or without that file, have the node of their nearest parent with one.
pub(crate) fn nearest_numa_node(
    read: &Attributes<'_>,
    folder: &str,
) -> Option<(String, KernelNode)> {
    let is_function =
        |folder: &&str| folder.rsplit('/').next().and_then(PciAddress::for_folder).is_some();
    let start = with_parents(folder).find(is_function).unwrap_or(folder);
    with_parents(start).find_map(|folder| match pci::kernel_node(read, folder) {
        KernelNode::Absent => None,
        node => Some((format!("{folder}/numa_node"), node)),
    })
}

fn with_parents(folder: &str) -> impl Iterator<Item = &str> {
    let parents = iter::successors(Some(folder), |folder| Some(folder.rsplit_once('/')?.0));
    parents.take_while(|folder| !folder.is_empty()).take(MAX_PARENTS)
}

/// Merges the hardware of several devices. Errors are ignored if another device has hardware;
/// otherwise the first one is returned.
fn merge(
    each: impl IntoIterator<Item = Result<Vec<HardwareNode>, HardwareError>>,
) -> Option<Result<Vec<HardwareNode>, HardwareError>> {
    let mut hardware: Vec<HardwareNode> = Vec::new();
    let mut first_error = None;
    for below in each {
        match below {
            Ok(more) => {
                for one in more {
                    if !hardware.contains(&one) {
                        hardware.push(one);
                    }
                }
            }
            Err(why) => first_error = first_error.or(Some(Err(why))),
        }
    }
    if hardware.is_empty() { first_error } else { Some(Ok(hardware)) }
}

const FOLDER: &str = "/sys/class/net";

/// The hardware of an interface.
fn locate(source: &Source, name: &str, layers: u32) -> Result<Vec<HardwareNode>, HardwareError> {
    if layers == 0 {
        return Err(HardwareError::TooDeep { name: name.to_owned() });
    }
    let folder = format!("{FOLDER}/{name}");
    let entries = source.list(&folder);
    if entries.is_empty() {
        let known =
            source.list(FOLDER).into_iter().filter(|name| name != "bonding_masters").collect();
        let (kind, name) = ("network", shorten(name));
        return Err(HardwareError::NoSuchDevice { kind, name, folder: FOLDER, known });
    }
    // Stacked interfaces first: their own parents may be another device, as with a VF's VLAN or a
    // bond of two cards.
    let lower = entries.iter().filter_map(|entry| entry.strip_prefix("lower_"));
    if let Some(found) = merge(lower.map(|lower| locate(source, lower, layers - 1))) {
        return found;
    }
    node_of_parents(source, name, &format!("{folder}/device"))
        .or_else(|| node_of_parents(source, name, &folder))
        .map(|one| vec![one])
        .ok_or(HardwareError::SoftwareInterface)
}
