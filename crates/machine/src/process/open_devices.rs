//! The devices that a process has open, by the links in `/proc/PID/fd`.
//!
//! A file is never opened, and files of a server are not looked at: if it is down, that never ends.
//! The number of a file's mount (`fdinfo`) leads to its file system
//! in the process's own table of mounts. See proc_pid_fd(5) and proc_pid_fdinfo(5).

use std::collections::BTreeMap;

use super::Process;
use crate::device_node::{self, HardwareNode, Mount};
use crate::pci::PciAddress;
use crate::source::Source;

/// Most open files that are looked at.
const MAX_FILES: usize = 65_536;

/// What a process has open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenDevices {
    /// Devices, by PCI address and name.
    pub devices: Vec<OpenDevice>,
    /// Sockets: no link leads from them to an interface.
    pub sockets: usize,
    /// Files that were not looked at, because there are too many.
    pub skipped: usize,
}

/// A device with open files.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDevice {
    /// The hardware: disks of one controller, or the files of one GPU's drivers.
    pub hardware: Vec<HardwareNode>,
    /// Open files: the device's own, or files on its file systems.
    pub files: usize,
    /// The path of one of them.
    pub example: String,
}

/// Why the open files of a process are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOpenDevices {
    /// Another user's process, or a protected one.
    NotReadable,
    /// The capture does not have them.
    NotCaptured,
    /// It ended.
    Ended,
}

impl Process<'_> {
    /// The devices that it has open.
    ///
    /// # Errors
    ///
    /// [`NoOpenDevices`].
    ///
    /// # References
    ///
    /// proc_pid_fd(5), proc_pid_fdinfo(5), proc_pid_mountinfo(5)
    pub fn open_devices(&self) -> Result<OpenDevices, NoOpenDevices> {
        let folder = self.path("fd");
        if self.source.is_folder_denied(&folder) {
            return Err(NoOpenDevices::NotReadable);
        }
        if !self.source.exists(&folder) {
            let is_live = self.source.is_live();
            return Err(if is_live { NoOpenDevices::Ended } else { NoOpenDevices::NotCaptured });
        }
        let numbers = self.source.numbered(&folder, "");
        let mut found = FoundDevices::new(self);
        for number in numbers.iter().take(MAX_FILES) {
            found.add(*number);
        }
        Ok(OpenDevices {
            devices: found.devices.into_values().collect(),
            sockets: found.sockets,
            skipped: numbers.len().saturating_sub(MAX_FILES),
        })
    }
}

/// Devices that are one: the same PCI function, or without PCI the same name.
type DeviceKey = (Option<PciAddress>, String);

struct FoundDevices<'p, 's> {
    process: &'p Process<'s>,
    mounts: BTreeMap<u32, Mount>,
    /// The hardware of each mount that has files open.
    of_mounts: BTreeMap<u32, Vec<HardwareNode>>,
    devices: BTreeMap<DeviceKey, OpenDevice>,
    sockets: usize,
}

impl<'p, 's> FoundDevices<'p, 's> {
    fn new(process: &'p Process<'s>) -> Self {
        let text = process.source.text(&process.path("mountinfo")).unwrap_or_default();
        let mounts = text.lines().filter_map(Mount::parse).map(|mount| (mount.id, mount));
        Self {
            process,
            mounts: mounts.collect(),
            of_mounts: BTreeMap::new(),
            devices: BTreeMap::new(),
            sockets: 0,
        }
    }

    /// Adds an open file; a file that is closed meanwhile is absent.
    fn add(&mut self, number: u32) {
        let link = self.process.path(&format!("fd/{number}"));
        let Some(target) = self.process.source.link(&link) else { return };
        if target.starts_with("socket:") {
            self.sockets += 1;
        }
        if !target.starts_with('/') {
            return;
        }
        for hardware in self.hardware(number, &link, &target) {
            let name = if hardware.address.is_some() { "" } else { hardware.name.as_str() };
            let device =
                self.devices.entry((hardware.address, name.to_owned())).or_insert_with(|| {
                    OpenDevice { hardware: Vec::new(), files: 0, example: target.clone() }
                });
            device.files += 1;
            if !device.hardware.contains(&hardware) {
                device.hardware.push(hardware);
            }
        }
    }

    fn hardware(&mut self, number: u32, link: &str, target: &str) -> Vec<HardwareNode> {
        let source = self.process.source;
        let mount = self.mount(number);
        let mount = mount.and_then(|id| self.mounts.get(&id));
        if is_in_devices(source, target, mount) {
            let numbers = source.device_numbers(link);
            return device_node::for_device_file(source, target, numbers).unwrap_or_default();
        }
        let Some(mount) = mount else { return Vec::new() };
        // A named pipe has no data on the disk of its name.
        if !mount.has_server() && source.is_pipe_or_socket(link) {
            return Vec::new();
        }
        self.of_mounts
            .entry(mount.id)
            .or_insert_with(|| device_node::for_mount(source, mount).unwrap_or_default())
            .clone()
    }

    /// The number of the mount of an open file.
    fn mount(&self, number: u32) -> Option<u32> {
        let text = self.process.source.text(&self.process.path(&format!("fdinfo/{number}")))?;
        text.lines().find_map(|line| line.strip_prefix("mnt_id:"))?.trim().parse().ok()
    }
}

/// Whether a file may be a device: device files are in file systems in memory. Captures have no
/// numbers of device files, so there the path decides.
fn is_in_devices(source: &Source, target: &str, mount: Option<&Mount>) -> bool {
    let is_below_dev = target.starts_with("/dev/") && !target.starts_with("/dev/shm/");
    match mount {
        Some(mount) if source.is_live() => {
            matches!(mount.kind.as_str(), "devtmpfs" | "tmpfs" | "ramfs")
        }
        _ => is_below_dev && !source.is_live(),
    }
}

#[cfg(test)]
mod tests;
