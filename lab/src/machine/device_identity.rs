//! The node of a described device, and the numbers by which a guest recognises it.

use nearfar_model::NodeId;

use super::description::Description;
use super::devices::Device;

/// The serial number of a disk, by its device's index.
pub(crate) fn serial(index: usize) -> String {
    format!("lab{index}")
}

/// The Ethernet address of a network card, by its device's index.
pub(crate) fn mac(index: usize) -> String {
    format!("52:54:00:00:00:{index:02x}")
}

/// The node of a device's host bridge.
pub(super) fn node(description: &Description, device: &Device) -> Option<NodeId> {
    let bridge = description.host_bridges.iter().find(|bridge| bridge.id == device.bridge());
    bridge.and_then(|bridge| bridge.node)
}
