//! Devices near which a program shall run: `gpu:0`, `nic:mlx5_0`, `3b:00.0`, `/dev/nvme0n1`.
//!
//! A word is read in this order:
//!
//! 1. numactl's forms: `netdev:`, `ip:`, `file:`, `block:`, `pci:`;
//! 2. a path, which has a `/`: a device file, else the disks of the file's file system;
//! 3. a kind with a number or a kernel name: `gpu:0` (as `nearfar devices` counts), `nic:eth0`;
//! 4. a PCI address: `0000:3b:00.0`, `3b:00.0`;
//! 5. a label in capitals: `GPU0`;
//! 6. a kernel name: interface, RDMA device, NVMe controller, block device, card, USB bus, CXL
//!    memory;
//! 7. a label in small letters: `gpu0`.

mod device_word;
mod nearest_names;
#[cfg(test)]
mod tests;

use nearfar_model::NodeSet;
use serde::Serialize;

use crate::attribute::shorten;
use crate::device_node;
use crate::device_node::ListedDevice;
use crate::error::MachineError;
use crate::hardware_error::HardwareError;
use crate::inventory::{DeviceKind, Inventory, InventoryScope};
use crate::source::Source;
use device_word::{DeviceWord, label};

pub use crate::device_node::HardwareNode;

/// A device as a user names it, and the hardware that it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NearDevice {
    /// The word.
    pub asked: String,
    /// The hardware, never empty. A file system or a RAID may be on several disks.
    pub hardware: Vec<HardwareNode>,
}

impl NearDevice {
    /// Finds the devices of a list, separated by commas.
    ///
    /// # Errors
    ///
    /// [`MachineError::MalformedDevice`], [`MachineError::NoSuchDevice`] with the most similar
    /// names, or [`MachineError::NoHardware`].
    pub fn find_all(list: &str, source: &Source) -> Result<Vec<Self>, MachineError> {
        let words = DeviceWord::parse_list(list, |path| source.exists(path))?;
        words.into_iter().map(|(asked, word)| device(source, asked, &word)).collect()
    }

    /// The known nodes of its hardware.
    pub fn nodes(&self) -> NodeSet {
        crate::device_node::nodes_of(&self.hardware)
    }
}

type Found = Result<Vec<HardwareNode>, HardwareError>;

/// The hardware of a word.
fn device(source: &Source, asked: String, word: &DeviceWord) -> Result<NearDevice, MachineError> {
    let found = match word {
        DeviceWord::Listed(device) => Some(device.hardware(source)),
        DeviceWord::Path(path) => Some(ListedDevice::File(path.clone()).hardware(source)),
        DeviceWord::Address(address) => {
            let is_there = source.exists(&format!("/sys/bus/pci/devices/{address}"));
            is_there.then(|| ListedDevice::Pci(*address).hardware(source))
        }
        DeviceWord::Label(kind, number) => labelled(source, *kind, *number),
        DeviceWord::NameOfKind(kind, name) => named(source, Some(*kind), name),
        DeviceWord::Name(name) => for_name(source, name),
    };
    match found {
        Some(Ok(hardware)) => Ok(NearDevice { asked, hardware }),
        Some(Err(why)) => {
            Err(MachineError::NoHardware { word: shorten(&asked), why: Box::new(why) })
        }
        None => Err(MachineError::NoSuchDevice {
            nearest: nearest_names::sentence(source, word, &asked),
            word: shorten(&asked),
        }),
    }
}

fn for_name(source: &Source, name: &str) -> Option<Found> {
    let labelled = || label(name).and_then(|(kind, number)| labelled(source, kind, number));
    let is_in_capitals = !name.bytes().any(|b| b.is_ascii_lowercase());
    let first = if is_in_capitals { labelled() } else { None };
    first.or_else(|| named(source, None, name)).or_else(labelled)
}

/// The hardware of a kernel name.
fn named(source: &Source, kind: Option<DeviceKind>, name: &str) -> Option<Found> {
    let is_of_kind = |of: DeviceKind| match kind {
        // A card of the class drm may be either.
        Some(DeviceKind::Display) => of == DeviceKind::Gpu,
        Some(kind) => of == kind,
        None => true,
    };
    let entry = name.replace('/', "!");
    let mut classes = CLASSES.iter().filter(|(of, _)| is_of_kind(*of));
    let class = classes.find(|(_, folder)| source.exists(&format!("{folder}/{entry}")));
    if let Some((_, folder)) = class {
        return Some(device_node::for_class(source, folder, &entry));
    }
    if is_of_kind(DeviceKind::Disk) && device_node::is_volume(source, name) {
        return Some(device_node::for_class(source, "/sys/class/block", name));
    }
    let minor = name.strip_prefix("nvidia")?.parse().ok()?;
    is_of_kind(DeviceKind::Gpu).then(|| device_node::for_nvidia(source, minor))
}

/// The hardware of a label: its number counts the devices of its kind in the inventory.
fn labelled(source: &Source, kind: DeviceKind, number: usize) -> Option<Found> {
    let inventory = Inventory::read(source, InventoryScope::Usual);
    let wanted = format!("{}{number}", kind.label());
    let index = inventory.labels().iter().position(|label| *label == wanted)?;
    let listed = &inventory.devices[index];
    let first = listed.names.first().map(|name| name.name.clone());
    Some(match listed.address {
        Some(address) => ListedDevice::Pci(address).hardware(source).map(|mut hardware| {
            hardware
                .iter_mut()
                .for_each(|one| one.name = first.clone().unwrap_or(one.name.clone()));
            hardware
        }),
        None => Ok(vec![HardwareNode {
            name: first.unwrap_or(wanted),
            address: None,
            node: listed.node.node(),
            source: None,
            measured_by: None,
        }]),
    })
}

/// Classes of sysfs with kernel names, in the order in which a name is looked up.
const CLASSES: [(DeviceKind, &str); 9] = [
    (DeviceKind::Network, "/sys/class/net"),
    (DeviceKind::Network, "/sys/class/infiniband"),
    (DeviceKind::Disk, "/sys/class/nvme"),
    (DeviceKind::Disk, "/sys/class/block"),
    (DeviceKind::Gpu, "/sys/class/drm"),
    (DeviceKind::Accelerator, "/sys/class/accel"),
    (DeviceKind::Usb, "/sys/bus/usb/devices"),
    (DeviceKind::Cxl, "/sys/bus/cxl/devices"),
    (DeviceKind::Dax, "/sys/bus/dax/devices"),
];
