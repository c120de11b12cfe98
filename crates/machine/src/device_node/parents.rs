//! The node of a device or of its nearest parent that reports one.

use std::iter;

use nearfar_model::{NodeId, NodeSet};
use serde::Serialize;

use crate::attribute::Attributes;
use crate::hardware_error::HardwareError;
use crate::pci::{self, KernelNode, PciAddress};
use crate::source::Source;

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
pub(super) fn merge(
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
