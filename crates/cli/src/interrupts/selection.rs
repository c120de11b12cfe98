//! DEVICE, as `nearfar run --near` reads it.

use anyhow::{Context, bail};
use nearfar_devices::{Device, DevicesDocument};
use nearfar_machine::{HardwareNode, MachineError, NearDevice, PciAddress, Source};

/// The devices of a word: labels, names of the kernel, addresses, paths. A file system may be on
/// several.
pub(crate) fn devices<'d>(
    source: &Source,
    document: &'d DevicesDocument,
    word: &str,
) -> anyhow::Result<Vec<&'d Device>> {
    let found = match NearDevice::find_all(word, source) {
        Ok(found) => found,
        Err(why) => {
            // A kernel without NUMA reports no nodes, and has the devices nevertheless.
            let listed = document.devices.iter().find(|device| is_named(device, word));
            return match (listed, &why) {
                (Some(device), MachineError::NoHardware { .. }) => Ok(vec![device]),
                (None, MachineError::NoHardware { why: cause, .. }) if cause.is_software() => {
                    bail!("{why}: only hardware has a node and interrupts")
                }
                _ => Err(why.into()),
            };
        }
    };
    let hardware = found.iter().flat_map(|one| &one.hardware);
    let listed = hardware.map(|hardware| {
        listed(document, hardware, word)
            .with_context(|| format!("'{word}': 'nearfar devices' does not list {}", hardware.name))
    });
    listed.collect()
}

/// Several disks may have the address of one controller.
fn listed<'d>(
    document: &'d DevicesDocument,
    hardware: &HardwareNode,
    word: &str,
) -> Option<&'d Device> {
    let first = document.device_of(hardware.address, &hardware.name)?;
    let is_this = |device: &&Device| {
        device.address == first.address
            && (device.label == word || device.names.contains(&hardware.name))
    };
    Some(document.devices.iter().find(is_this).unwrap_or(first))
}

fn is_named(device: &Device, name: &str) -> bool {
    let address = PciAddress::parse(name).ok().map(|address| address.to_string());
    device.label == name
        || device.names.iter().any(|own| own == name)
        || address.is_some() && device.address == address
}
