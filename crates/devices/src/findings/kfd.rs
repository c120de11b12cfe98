//! GPUs that AMD's compute driver lists and sysfs does not have.

use std::collections::BTreeSet;

use nearfar_machine::Inventory;

use crate::document::DeviceFinding;

/// GPUs of the driver without a PCI function.
///
/// Domain and function are not compared: older drivers show no domain, and have a partition's
/// number in the function.
pub(super) fn absent(inventory: &Inventory) -> Vec<DeviceFinding> {
    let places: BTreeSet<(u8, u8)> = inventory
        .functions
        .iter()
        .map(|function| (function.address.bus, function.address.device))
        .collect();
    if places.is_empty() {
        return Vec::new();
    }
    let absent = inventory.kfd.iter().filter_map(|node| {
        let address = node.address.filter(|one| !places.contains(&(one.bus, one.device)))?;
        Some(DeviceFinding::KfdGpuAbsent { kfd_node: node.id, address: address.to_string() })
    });
    absent.collect()
}
