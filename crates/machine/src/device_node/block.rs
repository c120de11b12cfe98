//! Block devices, down to hardware: partitions are on disks; RAID, encryption and volumes on
//! `slaves`; loop devices on files; an NVMe namespace with several paths on its controllers.

use super::ListedDevice;
use super::{HardwareNode, merge, node_of_parents};
use crate::attribute::shorten;
use crate::hardware_error::HardwareError;
use crate::source::Source;

const FOLDER: &str = "/sys/class/block";

/// The hardware of a block device. The name may be that of a device mapper volume, as under
/// `/dev/mapper`.
pub(super) fn locate(
    source: &Source,
    name: &str,
    layers: u32,
) -> Result<Vec<HardwareNode>, HardwareError> {
    let entry = name.replace('/', "!");
    let found = if source.exists(&format!("{FOLDER}/{entry}")) {
        Some(entry)
    } else {
        volume(source, name)
    };
    let entry = found.ok_or_else(|| unknown(source, name))?;
    locate_folder(source, &format!("{FOLDER}/{entry}"), &entry, layers)
}

/// The hardware of the block device with this number, as in a file system's mount.
pub(super) fn locate_number(
    source: &Source,
    major: u32,
    minor: u32,
    layers: u32,
) -> Option<Result<Vec<HardwareNode>, HardwareError>> {
    let folder = format!("/sys/dev/block/{major}:{minor}");
    let real = source.real_path(&folder)?;
    let name = real.rsplit('/').next().unwrap_or_default();
    Some(locate_folder(source, &folder, name, layers))
}

fn locate_folder(
    source: &Source,
    folder: &str,
    name: &str,
    layers: u32,
) -> Result<Vec<HardwareNode>, HardwareError> {
    if layers == 0 {
        return Err(HardwareError::TooDeep { name: name.to_owned() });
    }
    let disk = if source.exists(&format!("{folder}/partition")) {
        format!("{folder}/..")
    } else {
        folder.to_owned()
    };
    let below =
        |names: Vec<String>| merge(names.iter().map(|name| locate(source, name, layers - 1)));
    if let Some(found) = below(source.list(&format!("{disk}/slaves"))) {
        return found;
    }
    if let Some(path) = source.text(&format!("{disk}/loop/backing_file")) {
        return ListedDevice::File(path).locate(source, layers - 1);
    }
    let whole = disk_name(source, &disk, name);
    let own = node_of_parents(source, &whole, &disk)
        .or_else(|| node_of_parents(source, &whole, &format!("{disk}/device")));
    let found = own.map(|one| Ok(vec![one])).or_else(|| merge(controllers(source, &disk)));
    found.unwrap_or_else(|| Err(HardwareError::SoftwareDisk { name: shorten(name) }))
}

/// The name of a disk: that of its folder, where links are known.
fn disk_name(source: &Source, disk: &str, name: &str) -> String {
    let real = source.real_path(disk).unwrap_or_default();
    match real.rsplit_once("/block/").or_else(|| real.rsplit_once('/')) {
        Some((_, last)) if !last.is_empty() => {
            last.split('/').next().unwrap_or(name).replace('!', "/")
        }
        _ => name.to_owned(),
    }
}

/// The controllers of an NVMe namespace with several paths, which belongs to its subsystem.
fn controllers(source: &Source, disk: &str) -> Vec<Result<Vec<HardwareNode>, HardwareError>> {
    let subsystem = format!("{disk}/device");
    let is_controller = |name: &&String| {
        name.strip_prefix("nvme")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let names = source.list(&subsystem);
    names
        .iter()
        .filter(is_controller)
        .filter_map(|name| node_of_parents(source, name, &format!("{subsystem}/{name}")))
        .map(|name| Ok(vec![name]))
        .collect()
}

/// The block device of a device mapper volume.
pub(super) fn volume(source: &Source, name: &str) -> Option<String> {
    let name = name.strip_prefix("mapper/").unwrap_or(name);
    let volumes = source.list(FOLDER).into_iter().filter(|entry| entry.starts_with("dm-"));
    let mut named = volumes
        .filter(|entry| source.text(&format!("{FOLDER}/{entry}/dm/name")).as_deref() == Some(name));
    named.next()
}

fn unknown(source: &Source, name: &str) -> HardwareError {
    let known = source.list(FOLDER).into_iter().filter(|name| !is_idle(source, name)).collect();
    HardwareError::NoSuchDevice { kind: "block", name: shorten(name), folder: FOLDER, known }
}

/// Whether a device is unused: there may be dozens of unused loop devices and RAM disks.
fn is_idle(source: &Source, name: &str) -> bool {
    source.text(&format!("{FOLDER}/{name}/size")).as_deref() == Some("0") || name.starts_with("ram")
}
