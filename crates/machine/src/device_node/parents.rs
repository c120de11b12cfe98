//! The node of a device or of its nearest parent that reports one.

use nearfar_model::{MAX_ID, NodeId, NodeSet};

use crate::attribute::shorten;
use crate::source::Source;

/// Maximum number of parents: a disk behind several bridges has about 15.
const MAX_PARENTS: usize = 32;

/// The nodes of a device.
#[derive(Debug, PartialEq)]
pub(super) enum DeviceNodes {
    /// Its nodes.
    Nodes(NodeSet),
    /// Hardware without a known node (-1).
    Unreported,
}

/// The node of the hardware at a folder of sysfs or of a parent; `None` without hardware.
///
/// Links such as `/sys/class/net/eth0` are resolved first.
pub(super) fn node_of_parents(source: &Source, folder: &str) -> Option<DeviceNodes> {
    let mut here = source.real_path(folder)?;
    let mut unreported = None;
    for _ in 0..MAX_PARENTS {
        if let Some(text) = source.text(&format!("{here}/numa_node")) {
            let number = text.parse::<u32>().ok().filter(|&number| number <= MAX_ID);
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

/// Merges the nodes of several devices. Errors are ignored if another device has a node; otherwise
/// the first one is returned.
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
