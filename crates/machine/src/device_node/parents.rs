//! From a device up through what it hangs on, until something tells its node.

use nearfar_model::{MAX_ID, NodeId, NodeSet};

use crate::attribute::shorten;
use crate::source::Source;

/// How many folders up: a disk behind several bridges has some 15 above it.
const MAX_PARENTS: usize = 32;

/// What stands above a device.
#[derive(Debug, PartialEq)]
pub(super) enum DeviceNodes {
    /// Its nodes.
    Nodes(NodeSet),
    /// Hardware, of which the kernel tells no node (-1).
    Unreported,
}

/// The node of the hardware that a folder of sysfs stands for or hangs on; none where there is no
/// hardware above.
///
/// A link such as `/sys/class/net/eth0` is left by where it leads.
pub(super) fn node_of_parents(source: &Source, folder: &str) -> Option<DeviceNodes> {
    let mut here = source.real_path(folder)?;
    let mut unreported = None;
    for _ in 0..MAX_PARENTS {
        if let Some(told) = source.text(&format!("{here}/numa_node")) {
            let number = told.parse::<u32>().ok().filter(|&number| number <= MAX_ID);
            if let Some(number) = number {
                return Some(DeviceNodes::Nodes(NodeSet::from_id(NodeId(number))));
            }
            unreported = Some(DeviceNodes::Unreported);
        }
        match here.rfind('/') {
            Some(end) if end > 0 => here.truncate(end),
            _ => break,
        }
    }
    unreported
}

/// The nodes of several devices merge. One that cannot be followed is left out while another
/// tells; the first reason stands where none does.
pub(super) fn merge(
    each: impl IntoIterator<Item = Result<DeviceNodes, String>>,
) -> Option<Result<DeviceNodes, String>> {
    let mut nodes = NodeSet::new();
    let mut other = None;
    for above in each {
        match above {
            Ok(DeviceNodes::Nodes(more)) => nodes.extend(more.iter()),
            Ok(DeviceNodes::Unreported) => other = Some(Ok(DeviceNodes::Unreported)),
            Err(why) => other = other.or(Some(Err(why))),
        }
    }
    if nodes.is_empty() { other } else { Some(Ok(DeviceNodes::Nodes(nodes))) }
}

/// The reason of a device that a folder of sysfs does not show, beside the names that it shows.
pub(super) fn no_such(kind: &str, name: &str, folder: &str, known: &[String]) -> String {
    let there = if known.is_empty() {
        format!("{folder} shows none")
    } else {
        format!("there are {}", known.join(", "))
    };
    format!("there is no {kind} device '{}': {there}", shorten(name))
}

/// The reason of a device that stands on too many others, or on itself.
pub(super) fn too_deep(name: &str) -> String {
    format!("{name} stands on too many devices, one on another, to be followed")
}
