//! The node of a device or of its nearest parent that reports one.

use nearfar_model::{MAX_ID, NodeId, NodeSet};
use serde::Serialize;

use crate::attribute::shorten;
use crate::pci::PciAddress;
use crate::source::Source;

/// Maximum number of parents: a disk behind several bridges has about 15.
const MAX_PARENTS: usize = 32;

/// Hardware, and the node that the kernel reports for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HardwareNode {
    /// The kernel's name: `nvme0n1`, `eth0`; the PCI address where it has none.
    pub name: String,
    /// Its PCI function; `None` without PCI.
    pub address: Option<PciAddress>,
    /// The node; `None` where the kernel knows none (-1).
    pub node: Option<NodeId>,
    /// The file of sysfs with the node, or with -1.
    pub source: Option<String>,
}

/// The known nodes of hardware.
pub(crate) fn nodes_of(hardware: &[HardwareNode]) -> NodeSet {
    hardware.iter().filter_map(|one| one.node).collect()
}

/// The hardware at a folder of sysfs, with its node or that of a parent; `None` without hardware.
///
/// Links such as `/sys/class/net/eth0` are resolved first.
pub(crate) fn node_of_parents(source: &Source, name: &str, folder: &str) -> Option<HardwareNode> {
    let mut here = source.real_path(folder)?;
    let address = here.rsplit('/').find_map(PciAddress::of_folder);
    let found = |node, source| HardwareNode { name: name.to_owned(), address, node, source };
    let mut unreported = None;
    for _ in 0..MAX_PARENTS {
        let file = format!("{here}/numa_node");
        if let Some(text) = source.text(&file) {
            let number = text.parse::<u32>().ok().filter(|&number| number <= MAX_ID);
            if let Some(number) = number {
                return Some(found(Some(NodeId(number)), Some(file)));
            }
            unreported = unreported.or(Some(file));
        }
        match here.rfind('/') {
            Some(end) if end > 0 => here.truncate(end),
            _ => break,
        }
    }
    unreported.map(|file| found(None, Some(file)))
}

/// Merges the hardware of several devices. Errors are ignored if another device has hardware;
/// otherwise the first one is returned.
pub(super) fn merge(
    each: impl IntoIterator<Item = Result<Vec<HardwareNode>, String>>,
) -> Option<Result<Vec<HardwareNode>, String>> {
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

/// The error for an unknown device, with the names of the known ones.
pub(super) fn no_such(kind: &str, name: &str, folder: &str, known: &[String]) -> String {
    let there = if known.is_empty() {
        format!("{folder} has none")
    } else {
        format!("there are {}", known.join(", "))
    };
    format!("there is no {kind} device '{}': {there}", shorten(name))
}

/// The error for a device on too many others, or on itself.
pub(super) fn too_deep(name: &str) -> String {
    format!("{name} has too many stacked devices")
}
