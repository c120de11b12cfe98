//! Character devices: those with a folder in sysfs by their number, others by what their drivers
//! show.

use super::{HardwareNode, merge, node_of_parents};
use crate::hardware_error::{HardwareError, NVIDIA_GPUS};
use crate::source::Source;

/// Folders below `/dev`, and the classes of sysfs with the same names.
const CLASSES: [(&str, &str); 7] = [
    ("dri/", "/sys/class/drm"),
    ("infiniband/", "/sys/class/infiniband_verbs"),
    ("infiniband/", "/sys/class/infiniband_mad"),
    ("accel/", "/sys/class/accel"),
    ("vfio/devices/", "/sys/class/vfio-dev"),
    ("", "/sys/class/nvme"),
    ("", "/sys/class/dax"),
];

/// The hardware of a character device.
pub(super) fn locate(
    source: &Source,
    path: &str,
    numbers: Option<(u32, u32)>,
) -> Result<Vec<HardwareNode>, HardwareError> {
    let name = path.strip_prefix("/dev/").unwrap_or(path);
    if name == "kfd" {
        return Err(HardwareError::AllAmdGpus);
    }
    if let Some(minor) = numbered(name, "nvidia") {
        return nvidia(source, minor);
    }
    if let Some(group) = numbered(name, "vfio/") {
        return group_of_vfio(source, group);
    }
    let by_number = numbers.and_then(|(major, minor)| {
        let folder = format!("/sys/dev/char/{major}:{minor}");
        let real = source.real_path(&folder)?;
        node_of_parents(source, real.rsplit('/').next()?, &folder)
    });
    let found = by_number.or_else(|| for_classes(source, name));
    found.map(|one| vec![one]).ok_or(HardwareError::SoftwareCharDevice { numbers })
}

fn for_classes(source: &Source, name: &str) -> Option<HardwareNode> {
    CLASSES.iter().find_map(|(below, class)| {
        let entry = name.strip_prefix(below).filter(|entry| !entry.contains('/'))?;
        node_of_parents(source, entry, &format!("{class}/{entry}"))
    })
}

fn numbered(name: &str, prefix: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The GPU of `/dev/nvidiaN`: its driver has no folder in sysfs for it.
pub(super) fn nvidia(source: &Source, minor: u32) -> Result<Vec<HardwareNode>, HardwareError> {
    let is_it = |address: &String| {
        let text = source.text(&format!("{NVIDIA_GPUS}/{address}/information")).unwrap_or_default();
        text.lines().any(|line| {
            line.strip_prefix("Device Minor:").is_some_and(|rest| rest.trim() == minor.to_string())
        })
    };
    let address = source.list(NVIDIA_GPUS).into_iter().find(is_it);
    let address = address.ok_or(HardwareError::NoNvidiaGpu { minor })?;
    let folder = format!("/sys/bus/pci/devices/{}", address.to_lowercase());
    let found = node_of_parents(source, &format!("nvidia{minor}"), &folder);
    found.map(|one| vec![one]).ok_or(HardwareError::NoNodeOfNvidiaGpu { address })
}

/// The functions of a group that a program drives itself.
fn group_of_vfio(source: &Source, group: u32) -> Result<Vec<HardwareNode>, HardwareError> {
    let folder = format!("/sys/kernel/iommu_groups/{group}/devices");
    let functions = source.list(&folder);
    let each = functions.iter().filter_map(|name| {
        node_of_parents(source, name, &format!("{folder}/{name}"))
            .or_else(|| node_of_parents(source, name, &format!("/sys/bus/pci/devices/{name}")))
    });
    merge(each.map(|one| Ok(vec![one]))).unwrap_or(Err(HardwareError::NoNodeOfIommuGroup { group }))
}
