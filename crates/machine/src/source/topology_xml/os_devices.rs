//! Devices of the operating system in hwloc's XML: network cards, disks, memory devices. GPUs are
//! known by their PCI class.

use nearfar_model::NodeId;
use roxmltree::Node;

use super::{infos, number};
use crate::source::machine_files::{MachineFiles, numa_node};

/// Where devices without PCI stand.
const WITHOUT_PCI: &str = "/sys/devices/hwloc";
/// A sector of a disk.
const SECTOR: u64 = 512;

/// A device, below its PCI function or at a node.
pub(super) fn put_os_device(
    files: &mut MachineFiles,
    object: Node<'_, '_>,
    has_type_bits: bool,
    pci_folder: &str,
    node: Option<NodeId>,
) {
    let name = object.attribute("name").unwrap_or_default();
    let Some(class) = class(object, name, has_type_bits) else { return };
    if name.is_empty() || name.contains('/') {
        return;
    }
    let mut parent = pci_folder.to_owned();
    if parent.is_empty() {
        // Without PCI, only what is memory is hardware for sure.
        if class != "dax" && !name.starts_with("pmem") {
            return;
        }
        parent = format!("{WITHOUT_PCI}/{name}");
        files.put(&format!("{parent}/numa_node"), numa_node(node).unwrap_or_default());
    }
    files.named(class, &parent, name);
    put_sizes(files, object, class, &format!("{parent}/{class}/{name}"));
}

/// The class of sysfs. hwloc counts types since version 3 as bits: 1 storage, 2 memory, 16 network,
/// 32 InfiniBand.
fn class(object: Node<'_, '_>, name: &str, has_type_bits: bool) -> Option<&'static str> {
    let kind = number::<u32>(object, "osdev_type")?;
    let holds = if has_type_bits { kind & 3 != 0 } else { kind == 0 };
    let is_memory = object.attribute("subtype") == Some("CXLMem");
    match (has_type_bits, kind) {
        (true, bits) if bits & 32 != 0 => Some("infiniband"),
        (true, bits) if bits & 16 != 0 => Some("net"),
        _ if holds && is_memory => Some("cxl"),
        _ if holds && name.starts_with("dax") => Some("dax"),
        _ if holds => Some("block"),
        (false, 2) => Some("net"),
        (false, 3) => Some("infiniband"),
        _ => None,
    }
}

fn put_sizes(files: &mut MachineFiles, object: Node<'_, '_>, class: &str, folder: &str) {
    for (name, value) in infos(object) {
        let Some(bytes) = bytes(value) else { continue };
        match (class, name) {
            ("block", "Size") => {
                files.put(&format!("{folder}/size"), (bytes / SECTOR).to_string());
            }
            ("dax", "Size") => files.put(&format!("{folder}/size"), bytes.to_string()),
            ("cxl", "CXLRAMSize") => files.put(&format!("{folder}/ram/size"), bytes.to_string()),
            ("cxl", "CXLPMEMSize") => files.put(&format!("{folder}/pmem/size"), bytes.to_string()),
            _ => {}
        }
    }
}

/// "10485760KiB", "10485760": both are KiB.
fn bytes(value: &str) -> Option<u64> {
    value.strip_suffix("KiB").unwrap_or(value).parse::<u64>().ok()?.checked_mul(1024)
}
