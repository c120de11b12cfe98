//! Files: by their file system to its block device; device files by their own number.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use super::mounts::Mount;
use super::parents::{DeviceNodes, merge, node_of_parents, too_deep};
use super::{block, route};
use crate::source::Source;

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
/// Network file systems.
const OF_THE_NETWORK: [&str; 5] = ["nfs", "nfs4", "cifs", "smb3", "ceph"];

/// Nodes of the device of a file.
pub(super) fn locate(source: &Source, path: &str, layers: u32) -> Result<DeviceNodes, String> {
    if layers == 0 {
        return Err(too_deep(path));
    }
    let path = real(source, path)?;
    if let Some(found) = device_file(source, &path, layers) {
        return found;
    }
    let mount = Mount::new(source, &path)
        .ok_or_else(|| "its file system is not in /proc/self/mountinfo".to_owned())?;
    locate_mount(source, &mount, layers)
}

/// The path without links. Paths on a captured machine are not resolved.
fn real(source: &Source, path: &str) -> Result<String, String> {
    if !source.is_live() {
        return Ok(path.to_owned());
    }
    let real = fs::canonicalize(path).map_err(|cause| format!("cannot open it: {cause}"))?;
    real.into_os_string()
        .into_string()
        .map_err(|_| "its path is not UTF-8, which lists do not support".to_owned())
}

/// Nodes of a file in `/dev`.
fn device_file(source: &Source, path: &str, layers: u32) -> Option<Result<DeviceNodes, String>> {
    if !source.is_live() {
        let name = path.strip_prefix("/dev/").filter(|name| !name.starts_with("shm/"))?;
        return Some(block::locate(source, name, layers));
    }
    let found = fs::metadata(path).ok()?;
    let (major, minor) = numbers(found.rdev());
    if found.file_type().is_block_device() {
        let lost = || Err(format!("sysfs has no block device {major}:{minor}"));
        return Some(block::locate_number(source, major, minor, layers).unwrap_or_else(lost));
    }
    found.file_type().is_char_device().then(|| {
        let above = node_of_parents(source, &format!("/sys/dev/char/{major}:{minor}"));
        above.ok_or_else(|| {
            format!("character device {major}:{minor} has no hardware: give the node by its number")
        })
    })
}

fn locate_mount(source: &Source, mount: &Mount, layers: u32) -> Result<DeviceNodes, String> {
    let kind = mount.kind.as_str();
    if kind == "overlay" {
        return locate_overlay(source, mount, layers);
    }
    if OF_NO_DEVICE.contains(&kind) {
        return Err(format!("it is in {kind}, which has no device: give the node by its number"));
    }
    if OF_THE_NETWORK.contains(&kind) {
        return over_the_network(source, mount, layers);
    }
    if let Some(found) = block::locate_number(source, mount.major, mount.minor, layers) {
        return found;
    }
    // btrfs and others on several devices have their own number and name one of the devices.
    match mount.of.strip_prefix("/dev/") {
        Some(name) => block::locate(source, name, layers - 1),
        None => Err(format!(
            "it is in {kind} ({}), which has no known device: give the node by its number",
            mount.of
        )),
    }
}

/// The file system of an overlay's folders. In a container those are paths of the host, which do
/// not exist or lead back to the overlay.
fn locate_overlay(source: &Source, mount: &Mount, layers: u32) -> Result<DeviceNodes, String> {
    let outside = || {
        Err(format!(
            "the folders of the overlay file system at {} are outside this container: give the \
             node by its number",
            mount.point
        ))
    };
    let seen = |folder: &String| {
        let under = real(source, folder).ok().and_then(|folder| Mount::new(source, &folder));
        under.is_some_and(|under| under.point != mount.point)
    };
    let folders: Vec<String> = mount.layers().into_iter().filter(seen).collect();
    merge(folders.iter().map(|folder| locate(source, folder, layers - 1))).unwrap_or_else(outside)
}

/// Nodes of the network device for the server of `server:/path` or `//server/share`.
fn over_the_network(source: &Source, mount: &Mount, layers: u32) -> Result<DeviceNodes, String> {
    let share = mount.of.strip_prefix("//").and_then(|rest| rest.split('/').next());
    let server = share.or_else(|| mount.of.rsplit_once(":/").map(|(server, _)| server));
    let server =
        server.map(|server| server.trim_matches(['[', ']'])).filter(|server| !server.is_empty());
    let server = server.ok_or_else(|| {
        format!(
            "it is on the network ({} {}): name the interface with netdev: or ip:",
            mount.kind, mount.of
        )
    })?;
    super::netdev::locate(source, &route::device(source, server)?, layers - 1)
}

/// Major and minor of a device number, as glibc's `gnu_dev_major` and `gnu_dev_minor` compute them.
fn numbers(device: u64) -> (u32, u32) {
    let major = ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff);
    let minor = (device & 0xff) | ((device >> 12) & !0xff);
    (major as u32, minor as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_number_is_split() {
        assert_eq!(numbers(0xfe00), (254, 0));
        assert_eq!(numbers(0x10_3003), (0x30, 0x103));
    }

    #[test]
    fn missing_file_is_an_error() {
        let message = locate(&Source::live(), "/no/such/file", 3).unwrap_err();
        assert!(message.contains("No such file"), "{message}");
    }

    #[test]
    fn a_file_in_memory_has_no_device() {
        let message = locate(&Source::live(), "/proc/self/status", 3).unwrap_err();
        assert!(message.contains("is in proc, which has no device"), "{message}");
    }
}
