//! Paths of devices, by root bus.

use std::collections::BTreeMap;

use nearfar_devices::{Device, DevicesDocument};

use crate::paragraph;

/// A line for each root bus, and one below it for each device: the bridges from the top down.
pub(super) fn text(document: &DevicesDocument) -> String {
    let mut buses: BTreeMap<&str, Vec<&Device>> = BTreeMap::new();
    for device in &document.devices {
        if let Some(bus) = device.path.first() {
            buses.entry(bus).or_default().push(device);
        }
    }
    // Sorted by text: 0001:00 stands before 10000:00 and after 0000:ff.
    let mut buses: Vec<(&str, Vec<&Device>)> = buses.into_iter().collect();
    buses.sort_by_key(|(bus, _)| (bus.len(), *bus));
    let lines: String = buses.iter().map(|(bus, devices)| of_bus(bus, devices)).collect();
    if lines.is_empty() { String::new() } else { format!("Paths\n{lines}") }
}

fn of_bus(bus: &str, devices: &[&Device]) -> String {
    let line = |device: &&Device| {
        let bridges = device.path.iter().skip(1).map(String::as_str);
        let path: Vec<&str> = bridges.chain(device.address.as_deref()).collect();
        paragraph::of(&path.join(" > "), &format!("  {}  ", device.label), "    ")
    };
    format!("{bus}\n{}", devices.iter().map(line).collect::<String>())
}
