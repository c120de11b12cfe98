//! Labels of devices: `GPU0`, `NIC0`.

use std::collections::BTreeMap;

use super::{DeviceKind, Inventory, ListedHardware};

impl Inventory {
    /// A label for each device: its kind, and a number of its kind in the order of the list.
    pub fn labels(&self) -> Vec<String> {
        labels(&self.devices)
    }
}

fn labels(devices: &[ListedHardware]) -> Vec<String> {
    let mut next: BTreeMap<DeviceKind, usize> = BTreeMap::new();
    let mut label = |device: &ListedHardware| {
        let number = next.entry(device.kind).or_default();
        *number += 1;
        format!("{}{}", device.kind.label(), *number - 1)
    };
    let is_virtual = |device: &&ListedHardware| device.details.physical_function.is_some();
    // Virtual functions come last: the others have one label with and without them.
    let mut order: Vec<usize> = (0..devices.len()).collect();
    order.sort_by_key(|&index| is_virtual(&&devices[index]));
    let mut labels = vec![String::new(); devices.len()];
    for index in order {
        labels[index] = label(&devices[index]);
    }
    labels
}

#[cfg(test)]
mod tests {
    use crate::pci::{KernelNode, PciAddress, PciDetails};

    use super::*;

    #[test]
    fn virtual_functions_are_counted_last() {
        let network = |address: &str, physical: Option<&str>| ListedHardware {
            bytes: None,
            kind: DeviceKind::Network,
            names: Vec::new(),
            address: PciAddress::parse(address).ok(),
            node: KernelNode::Unknown,
            details: PciDetails {
                physical_function: physical.and_then(|address| PciAddress::parse(address).ok()),
                ..PciDetails::default()
            },
            interrupts: crate::inventory::DeviceInterrupts::default(),
        };
        let devices =
            [network("1:0.0", None), network("1:0.1", Some("1:0.0")), network("2:0.0", None)];
        assert_eq!(labels(&devices), ["NIC0", "NIC2", "NIC1"]);
    }
}
