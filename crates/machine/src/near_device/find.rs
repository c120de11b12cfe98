//! From a word to hardware.

use super::classes::CLASSES;
use super::device_word::{DeviceWord, label};
use super::{NearDevice, nearest_names};
use crate::attribute::shorten;
use crate::device_node::{self, HardwareNode, ListedDevice};
use crate::error::MachineError;
use crate::hardware_error::HardwareError;
use crate::inventory::{DeviceKind, Inventory, InventoryScope};
use crate::source::Source;

type Found = Result<Vec<HardwareNode>, HardwareError>;

/// The hardware of a word.
pub(super) fn device(
    source: &Source,
    asked: String,
    word: &DeviceWord,
) -> Result<NearDevice, MachineError> {
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
