//! Labels of devices: `GPU0`, `NIC0`.

use std::collections::BTreeMap;

use nearfar_machine::DeviceKind;
use nearfar_machine::inventory::ListedHardware;

/// A label for each device: its kind, and a number of its kind in the order of the list.
pub(crate) fn labels(devices: &[ListedHardware]) -> Vec<String> {
    let mut next: BTreeMap<DeviceKind, usize> = BTreeMap::new();
    let label = |device: &ListedHardware| {
        let number = next.entry(device.kind).or_default();
        *number += 1;
        format!("{}{}", device.kind.label(), *number - 1)
    };
    devices.iter().map(label).collect()
}
