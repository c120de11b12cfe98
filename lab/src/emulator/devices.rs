//! Devices on a node's own PCI bus.

use super::Words;
use crate::machine::{Device, DeviceKind};

/// Each device gets a host bridge of its own that firmware puts into the node, and a port below it.
/// Bus numbers leave room for both, and for the devices of the machine itself.
const FIRST_BUS: usize = 32;
const BUSES_OF_A_BRIDGE: usize = 8;

/// A disk's size: its content is not kept.
const DISK_BYTES: u64 = 64 << 20;

/// The most devices for which there are bus numbers (to 255).
pub(crate) const MOST_DEVICES: usize = (256 - FIRST_BUS) / BUSES_OF_A_BRIDGE;

/// Adds them.
pub(super) fn on_their_nodes(devices: &[Device], words: &mut Words) {
    for (index, Device { kind, node }) in devices.iter().enumerate() {
        let bus = FIRST_BUS + index * BUSES_OF_A_BRIDGE;
        words.option(
            "-device",
            format!("pxb-pcie,id=bridge{index},bus=pcie.0,bus_nr={bus},numa_node={node}"),
        );
        words.option(
            "-device",
            format!("pcie-root-port,id=port{index},bus=bridge{index},chassis={}", index + 1),
        );
        let device = match kind {
            DeviceKind::Nvme => {
                words.option(
                    "-blockdev",
                    format!("null-co,node-name=disk{index},size={DISK_BYTES},read-zeroes=on"),
                );
                format!("nvme,serial=lab{index},drive=disk{index}")
            }
            DeviceKind::E1000e => "e1000e".to_owned(),
            DeviceKind::Xhci => "qemu-xhci".to_owned(),
        };
        words.option("-device", format!("{device},bus=port{index}"));
    }
}
