//! Files: by their file system to its block device; device files by their own number.

use std::fs;

use super::mounts::Mount;
use super::{HardwareNode, merge};
use super::{block, char_device, route};
use crate::hardware_error::HardwareError;
use crate::source::{DeviceNumbers, Source};

/// File systems in memory or of the kernel.
const OF_NO_DEVICE: [&str; 13] = [
    "tmpfs",
    "ramfs",
    "devtmpfs",
    "hugetlbfs",
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "devpts",
    "mqueue",
    "securityfs",
];

/// The hardware of a file.
pub(super) fn locate(
    source: &Source,
    path: &str,
    layers: u32,
) -> Result<Vec<HardwareNode>, HardwareError> {
    if layers == 0 {
        return Err(HardwareError::TooDeep { name: path.to_owned() });
    }
    // A server that is down blocks every look at its files.
    if let Some(mount) = Mount::new(source, path).filter(Mount::has_server) {
        return locate_mount(source, &mount, layers);
    }
    let path = real(source, path)?;
    let numbers = if source.is_live() {
        fs::metadata(&path).ok().and_then(|found| DeviceNumbers::from_metadata(&found))
    } else {
        None
    };
    if let Some(found) = locate_device_file(source, &path, numbers, layers) {
        return found;
    }
    let mount = Mount::new(source, &path).ok_or(HardwareError::NotMounted)?;
    locate_mount(source, &mount, layers)
}

/// The path without links. Paths on a captured machine are not resolved.
fn real(source: &Source, path: &str) -> Result<String, HardwareError> {
    if !source.is_live() {
        return Ok(path.to_owned());
    }
    let real = fs::canonicalize(path).map_err(HardwareError::Open)?;
    real.into_os_string().into_string().map_err(|_| HardwareError::NotUtf8)
}

/// The hardware of a device file. Captured machines have no numbers: there the name decides.
pub(super) fn locate_device_file(
    source: &Source,
    path: &str,
    numbers: Option<DeviceNumbers>,
    layers: u32,
) -> Option<Result<Vec<HardwareNode>, HardwareError>> {
    match numbers {
        Some(DeviceNumbers::Block(major, minor)) => {
            let lost = Err(HardwareError::NoBlockDevice { major, minor });
            Some(block::locate_number(source, major, minor, layers).unwrap_or(lost))
        }
        Some(DeviceNumbers::Char(major, minor)) => {
            Some(char_device::locate(source, path, Some((major, minor))))
        }
        None if source.is_live() => None,
        None => {
            let name = path.strip_prefix("/dev/").filter(|name| !name.starts_with("shm/"))?;
            let named = char_device::locate(source, path, None);
            Some(if named.is_ok() { named } else { block::locate(source, name, layers) })
        }
    }
}

pub(super) fn locate_mount(
    source: &Source,
    mount: &Mount,
    layers: u32,
) -> Result<Vec<HardwareNode>, HardwareError> {
    let kind = mount.kind.as_str();
    if kind == "overlay" {
        return locate_overlay(source, mount, layers);
    }
    if OF_NO_DEVICE.contains(&kind) {
        return Err(HardwareError::FileSystemWithoutDevice { kind: kind.to_owned() });
    }
    if mount.is_of_network() {
        return over_the_network(source, mount, layers);
    }
    if let Some(found) = block::locate_number(source, mount.major, mount.minor, layers) {
        return found;
    }
    if kind == "zfs" {
        let pool = mount.of.split('/').next().unwrap_or_default();
        return Err(HardwareError::ZfsPool { pool: pool.to_owned() });
    }
    // File systems on several devices have their own number. bcachefs names all devices.
    let named: Option<Vec<&str>> =
        mount.of.split(':').map(|device| device.strip_prefix("/dev/")).collect();
    match named {
        Some(names) => {
            let names = names.iter().flat_map(|name| with_siblings(source, kind, name));
            let found = merge(names.map(|name| block::locate(source, &name, layers - 1)));
            let kind = kind.to_owned();
            found.unwrap_or(Err(HardwareError::FileSystemOnNoDevice { kind }))
        }
        None => Err(HardwareError::FileSystemWithoutKnownDevice {
            kind: kind.to_owned(),
            origin: mount.of.clone(),
        }),
    }
}

/// The devices of a btrfs file system, which names one of them in its mount.
fn with_siblings(source: &Source, kind: &str, name: &str) -> Vec<String> {
    const FOLDER: &str = "/sys/fs/btrfs";
    let own = block::volume(source, name).unwrap_or_else(|| name.to_owned());
    let lists = source.list(FOLDER).into_iter().filter(|_| kind == "btrfs");
    let mut lists = lists.map(|system| source.list(&format!("{FOLDER}/{system}/devices")));
    lists.find(|devices| devices.contains(&own)).unwrap_or_else(|| vec![own])
}

/// The file system of an overlay's folders. In a container those are paths of the host, which do
/// not exist or lead back to the overlay.
fn locate_overlay(
    source: &Source,
    mount: &Mount,
    layers: u32,
) -> Result<Vec<HardwareNode>, HardwareError> {
    let outside = || Err(HardwareError::OverlayOutside { point: mount.point.clone() });
    let seen = |folder: &String| {
        let by_name = Mount::new(source, folder).filter(Mount::has_server);
        let under = by_name.or_else(|| Mount::new(source, &real(source, folder).ok()?));
        under.is_some_and(|under| under.point != mount.point)
    };
    let folders: Vec<String> = mount.layers().into_iter().filter(seen).collect();
    merge(folders.iter().map(|folder| locate(source, folder, layers - 1))).unwrap_or_else(outside)
}

/// The network device for the server: its address in the options of the mount, else its name in
/// `server:/path` or `//server/share`.
fn over_the_network(
    source: &Source,
    mount: &Mount,
    layers: u32,
) -> Result<Vec<HardwareNode>, HardwareError> {
    let share = mount.of.strip_prefix("//").and_then(|rest| rest.split('/').next());
    let server =
        mount.address().or(share).or_else(|| mount.of.rsplit_once(":/").map(|(server, _)| server));
    let server =
        server.map(|server| server.trim_matches(['[', ']'])).filter(|server| !server.is_empty());
    let server = server.ok_or_else(|| HardwareError::OnNetwork {
        kind: mount.kind.clone(),
        origin: mount.of.clone(),
    })?;
    super::locate(source, &route::device(source, server)?, layers - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_file_is_an_error() {
        let message = locate(&Source::live(), "/no/such/file", 3).unwrap_err().to_string();
        assert!(message.contains("No such file"), "{message}");
    }

    #[test]
    fn a_file_in_memory_has_no_device() {
        let message = locate(&Source::live(), "/proc/self/status", 3).unwrap_err().to_string();
        assert!(message.contains("is in proc, which has no device"), "{message}");
    }
}
