//! The names that drivers give to devices: interfaces, disks, cards.

use std::collections::BTreeMap;

use nearfar_model::Bytes;
use serde::Serialize;

use super::{DeviceKind, NamesByFunction};
use crate::attribute::Attributes;
use crate::device_node;
use crate::pci::{KernelNode, PciAddress};
use crate::source::{FolderNames, Source};

/// Largest number of entries of a class that are read.
const MAX_NAMES: usize = 8192;
/// Where software devices are. Of the platform: SCSI hosts in software (iSCSI over TCP), USB
/// controllers of other machines (usbip) and of the kernel's tests.
const SOFTWARE: [&str; 4] = [
    "/sys/devices/virtual/",
    "/sys/devices/platform/host",
    "/sys/devices/platform/vhci_hcd",
    "/sys/devices/platform/dummy_hcd",
];

/// Classes of devices that hold data.
const HOLDING: [&str; 4] = ["nvme", "block", "cxl", "dax"];

/// A name of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct KernelName {
    /// The class in sysfs that has it: `net`, `infiniband`, `nvme`, `block`, `drm`, `accel`, `usb`,
    /// `cxl`, `dax`.
    pub class: &'static str,
    /// The name: `eth0`.
    pub name: String,
    /// What a disk, CXL or DAX memory holds; `None` for others, and where the kernel does not
    /// show it.
    pub bytes: Option<Bytes>,
}

/// A class of sysfs: folder, name, prefixes of the entries that are whole devices, kind.
struct NamedClass {
    folder: &'static str,
    class: &'static str,
    prefixes: &'static [&'static str],
    kind: DeviceKind,
}

const CLASSES: [NamedClass; 10] = [
    NamedClass {
        folder: "/sys/class/net",
        class: "net",
        prefixes: &[""],
        kind: DeviceKind::Network,
    },
    NamedClass {
        folder: "/sys/class/infiniband",
        class: "infiniband",
        prefixes: &[""],
        kind: DeviceKind::Network,
    },
    NamedClass {
        folder: "/sys/class/nvme",
        class: "nvme",
        prefixes: &["nvme"],
        kind: DeviceKind::Disk,
    },
    NamedClass { folder: "/sys/block", class: "block", prefixes: &DISKS, kind: DeviceKind::Disk },
    NamedClass { folder: BLOCKS, class: "block", prefixes: &DISKS, kind: DeviceKind::Disk },
    NamedClass {
        folder: "/sys/class/drm",
        class: "drm",
        prefixes: &["card"],
        kind: DeviceKind::Gpu,
    },
    NamedClass {
        folder: "/sys/class/accel",
        class: "accel",
        prefixes: &["accel"],
        kind: DeviceKind::Accelerator,
    },
    NamedClass {
        folder: "/sys/bus/usb/devices",
        class: "usb",
        prefixes: &["usb"],
        kind: DeviceKind::Usb,
    },
    NamedClass {
        folder: "/sys/bus/cxl/devices",
        class: "cxl",
        prefixes: &["mem"],
        kind: DeviceKind::Cxl,
    },
    NamedClass {
        folder: "/sys/bus/dax/devices",
        class: "dax",
        prefixes: &["dax"],
        kind: DeviceKind::Dax,
    },
];

/// Disks by their drivers.
const DISKS: [&str; 7] = ["sd", "vd", "hd", "xvd", "mmcblk", "pmem", "nvme"];
/// Where kernels list disks with their partitions; some captures have disks here alone.
const BLOCKS: &str = "/sys/class/block";

impl KernelName {
    pub(super) fn kind(&self) -> DeviceKind {
        let class = CLASSES.iter().find(|one| one.class == self.class);
        class.map_or(DeviceKind::Other, |class| class.kind)
    }

    /// Its entry in sysfs.
    pub(super) fn entry(&self) -> String {
        let class = CLASSES.iter().find(|one| one.class == self.class);
        format!("{}/{}", class.map_or("", |class| class.folder), self.name)
    }
}

/// Hardware without PCI: a network card of a board, a disk of a hypervisor's own bus.
pub(super) struct OtherHardware {
    pub(super) names: Vec<KernelName>,
    pub(super) node: KernelNode,
}

/// The names of PCI functions, and of other hardware.
pub(super) fn all(read: &Attributes<'_>) -> (NamesByFunction, Vec<OtherHardware>) {
    let mut by_function = NamesByFunction::new();
    let mut others: BTreeMap<String, OtherHardware> = BTreeMap::new();
    // Listing is not recorded: names of software devices may identify a network or a person.
    let unrecorded = read.source.unrecorded();
    for class in &CLASSES {
        let folder = class.folder;
        let mut names = match unrecorded.names(folder) {
            FolderNames::Names(names) => names,
            FolderNames::Absent => Vec::new(),
            FolderNames::Denied => {
                // A capture records it as not readable.
                read.names(folder);
                Vec::new()
            }
        };
        names.retain(|name| is_whole(class, name));
        if names.len() > MAX_NAMES {
            read.odd(format!("{folder} has {} entries: {MAX_NAMES} are read", names.len()));
            names.truncate(MAX_NAMES);
        }
        for name in names {
            let entry = format!("{folder}/{name}");
            let Some(path) = unrecorded.real_path(&entry) else { continue };
            let is_listed = || unrecorded.exists(&format!("/sys/block/{name}"));
            if (folder == BLOCKS && (is_partition(&path) || is_listed()))
                || is_a_nodes(read, class.class, &entry)
            {
                continue;
            }
            let bytes = size(read, class.class, &entry);
            let name = KernelName { class: class.class, name, bytes };
            match function_above(unrecorded, &entry, &path) {
                Some(address) => {
                    record(read.source, &entry);
                    by_function.entry(address).or_default().push(name);
                }
                None => add_other(read, &mut others, &entry, &path, name),
            }
        }
    }
    by_function.values_mut().for_each(without_namespaces);
    (by_function, others.into_values().collect())
}

/// A partition's folder is in its disk's.
fn is_partition(folder: &str) -> bool {
    folder.rsplit('/').nth(1) != Some("block")
}

/// Whether the memory of this device is a node's: the driver `kmem` gave it to the kernel.
fn is_a_nodes(read: &Attributes<'_>, class: &str, entry: &str) -> bool {
    let driver = || read.source.real_path(&format!("{entry}/driver"));
    class == "dax" && driver().is_some_and(|driver| driver.ends_with("/kmem"))
}

/// Namespaces (`nvme0n1`) of a controller that has a name itself are parts of it.
fn without_namespaces(names: &mut Vec<KernelName>) {
    let is_namespace = |name: &KernelName| name.class == "block" && name.name.starts_with("nvme");
    let bytes = sum(names.iter().filter(|name| is_namespace(name)).map(|name| name.bytes));
    if let Some(controller) = names.iter_mut().find(|name| name.class == "nvme") {
        controller.bytes = bytes;
        names.retain(|name| !is_namespace(name));
    }
}

/// What a device with these names holds; `None` where some disk's size is not known.
pub(super) fn size_of(names: &[KernelName]) -> Option<Bytes> {
    sum(names.iter().filter(|name| HOLDING.contains(&name.class)).map(|name| name.bytes))
}

/// The sum of sizes; `None` without any, and where one is not known.
fn sum(sizes: impl Iterator<Item = Option<Bytes>>) -> Option<Bytes> {
    let sizes: Option<Vec<u64>> = sizes.map(|size| size.map(|bytes| bytes.0)).collect();
    let sizes = sizes.filter(|sizes| !sizes.is_empty())?;
    sizes.into_iter().try_fold(0u64, u64::checked_add).map(Bytes)
}

/// Documentation/ABI/stable/sysfs-block (sectors of 512 bytes), testing/sysfs-bus-cxl,
/// testing/sysfs-bus-dax.
fn size(read: &Attributes<'_>, class: &str, entry: &str) -> Option<Bytes> {
    let number = |path: String| {
        let text = read.text(&path)?;
        let digits = text.strip_prefix("0x");
        digits.map_or_else(|| text.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok())
    };
    let bytes = match class {
        "block" => number(format!("{entry}/size"))?.checked_mul(512),
        "cxl" => {
            let parts = ["ram", "pmem"].map(|part| number(format!("{entry}/{part}/size")));
            let known: Vec<u64> = parts.into_iter().flatten().collect();
            (!known.is_empty()).then(|| known.into_iter().fold(0, u64::saturating_add))
        }
        "dax" => number(format!("{entry}/size")),
        _ => None,
    };
    bytes.filter(|bytes| *bytes > 0).map(Bytes)
}

/// Connectors of a card (`card0-HDMI-A-1`) and partitions are parts of a device.
fn is_whole(class: &NamedClass, name: &str) -> bool {
    class.prefixes.iter().any(|prefix| name.starts_with(prefix))
        && (class.class != "drm" || !name.contains('-'))
        && (class.class != "net" || name != "lo")
}

/// The PCI function that a device hangs on: the last address in its path. Old kernels have folders
/// of classes without links, with a link `device`.
pub(crate) fn function_above(source: &Source, entry: &str, folder: &str) -> Option<PciAddress> {
    let last = |path: &str| path.rsplit('/').find_map(PciAddress::for_folder);
    last(folder).or_else(|| last(&source.real_path(&format!("{entry}/device"))?))
}

/// Adds the links of hardware to a capture.
fn record(source: &Source, entry: &str) {
    let _ = (source.real_path(entry), source.real_path(&format!("{entry}/device")));
}

/// Whether a folder is a software device's.
pub(crate) fn is_software(folder: &str) -> bool {
    SOFTWARE.iter().any(|software| folder.starts_with(software))
}

/// Software devices have no hardware above them.
fn add_other(
    read: &Attributes<'_>,
    others: &mut BTreeMap<String, OtherHardware>,
    entry: &str,
    folder: &str,
    name: KernelName,
) {
    let device = match name.class {
        "dax" => Some(folder.to_owned()),
        // The root hub of a controller is right below it.
        "usb" => folder.rsplit_once('/').map(|(controller, _)| controller.to_owned()),
        _ => read.source.unrecorded().real_path(&format!("{folder}/device")),
    };
    let Some(device) = device.filter(|device| !is_software(device)) else { return };
    if folder.starts_with("/sys/devices/virtual/") {
        return;
    }
    record(read.source, entry);
    let node =
        device_node::nearest_numa_node(read, &device).map_or(KernelNode::Absent, |(_, node)| node);
    let other = others.entry(device).or_insert_with(|| OtherHardware { names: Vec::new(), node });
    other.names.push(name);
}
