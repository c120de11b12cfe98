//! At which node a device sits: a network card, a disk, whatever is on the PCI bus, or what lies
//! behind a file or an address.
//!
//! sysfs writes `numa_node` beside hardware and only there: a partition, a VLAN, an encrypted disk
//! or a file has none. So a device is followed down to hardware (`lower_*` links of the network,
//! `slaves` of block devices, mounts of files, routes of addresses), and from there up through
//! bridges ([`climb`]) until a node is told. What is spread over several devices has several nodes.

mod block;
mod file;
mod mounts;
mod netdev;
mod parents;
mod pci;
mod route;

use std::fmt;

use nearfar_model::{NodeId, NodeSet};

use crate::attribute::shorten;
use crate::source::Source;
use parents::DeviceNodes;

/// How deep devices may stand on one another: disks on RAID on encryption on a file on a disk.
const MAX_LAYERS: u32 = 8;

/// The node of what stands at this folder of sysfs, if the kernel knows it.
pub(crate) fn of_folder(source: &Source, folder: &str) -> Option<NodeId> {
    match parents::node_of_parents(source, folder)? {
        DeviceNodes::Nodes(nodes) => nodes.iter().next(),
        DeviceNodes::Unreported => None,
    }
}

/// A device as lists name it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ListedDevice {
    /// A network interface.
    Netdev(String),
    /// The interface that packets to this host or address leave by.
    Ip(String),
    /// The disk of a file system, or a device's own file.
    File(String),
    /// A block device.
    Block(String),
    /// A PCI function.
    Pci(pci::PciAddress),
}

impl ListedDevice {
    /// Reads `kind:name`; none when the text is of no known kind.
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
            _ => Self::Pci(pci::PciAddress::parse(name)?),
        }))
    }

    /// The nodes that the device sits at, never none. `online` are the machine's nodes: where there
    /// is but one, hardware whose node the kernel does not tell is there.
    pub(crate) fn nodes(&self, source: &Source, online: &NodeSet) -> Result<NodeSet, String> {
        match self.locate(source, MAX_LAYERS).map_err(|why| format!("{self}: {why}"))? {
            DeviceNodes::Nodes(nodes) => Ok(nodes),
            DeviceNodes::Unreported if online.len() == 1 => Ok(online.clone()),
            DeviceNodes::Unreported => Err(format!(
                "{self}: the kernel does not know its node (numa_node is -1, so firmware left it \
                 out): give one of nodes {online}"
            )),
        }
    }

    /// What it sits at, below so many layers at most. Loop devices stand on files, and these on
    /// block devices.
    fn locate(&self, source: &Source, layers: u32) -> Result<DeviceNodes, String> {
        match self {
            Self::Netdev(name) => netdev::locate(source, name, layers),
            Self::Ip(host) => {
                route::device(source, host).and_then(|name| netdev::locate(source, &name, layers))
            }
            Self::File(path) => file::locate(source, path, layers),
            Self::Block(name) => block::locate(source, name, layers),
            Self::Pci(address) => address.locate(source),
        }
    }
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

/// A name that is one entry of a folder. Dots are part of names (`eth0.100`); only slashes and the
/// two special names are not.
fn plain(kind: &str, name: &str) -> Result<String, String> {
    match name.contains('/') || matches!(name, "." | "..") {
        true => Err(format!("'{kind}:{}' is no device's name: names hold no '/'", shorten(name))),

        false => Ok(name.to_owned()),
    }
}

#[cfg(test)]
mod tests;
