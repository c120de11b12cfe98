//! DEVICE: labels, names of the kernel, addresses.

use anyhow::bail;
use nearfar_devices::{Device, DevicesDocument};
use nearfar_machine::PciAddress;

/// Devices that an error lists.
const MOST_LISTED: usize = 8;

/// The labels of devices by any of their names.
pub(super) fn labels(document: &DevicesDocument, wanted: &[String]) -> anyhow::Result<Vec<String>> {
    let mut labels = Vec::new();
    for name in wanted {
        let Some(device) = document.devices.iter().find(|device| is_named(device, name)) else {
            bail!("no device is named '{name}': {}", available(document));
        };
        labels.push(device.label.clone());
    }
    Ok(labels)
}

fn is_named(device: &Device, name: &str) -> bool {
    let address = PciAddress::parse(name).ok().map(|address| address.to_string());
    device.label == name
        || device.names.iter().any(|own| own == name)
        || address.is_some() && device.address == address
}

fn available(document: &DevicesDocument) -> String {
    let usual = document.devices.iter().filter(|device| device.kind.is_usual());
    let name = |device: &Device| match device.names.first() {
        Some(name) => format!("{} ({name})", device.label),
        None => device.label.clone(),
    };
    let names: Vec<String> = usual.take(MOST_LISTED).map(name).collect();
    match names.is_empty() {
        true => "no device is known here".to_owned(),
        false => format!("'nearfar devices' lists {}", names.join(", ")),
    }
}
