//! The targets: checked, and with what the kernel has of their disks.

use std::path::{Path, PathBuf};

use nearfar_machine::interrupts::SettableInterrupts;
use nearfar_machine::{Disk, HardwareNode, NearDevice, Source, disk_limit};
use nearfar_probe::io::{FileIdentity, IoTarget, TargetError, TargetFile, folder_of};

use super::IoRequestedTarget;
use crate::{IoDiskFacts, IoTargetFacts};

/// A target for workers, and for the document.
pub(super) struct Target {
    pub(super) probed: IoTarget,
    pub(super) facts: IoTargetFacts,
}

impl Target {
    /// Checks a target, and finds its disks. If they are unknown, it can be measured all the same.
    /// `made` is the file that may be overwritten.
    pub(super) fn read(
        source: &Source,
        wanted: &IoRequestedTarget,
        made: Option<&(FileIdentity, PathBuf)>,
    ) -> Result<Self, TargetError> {
        let path = wanted.path.as_path();
        let made = made.filter(|_| wanted.is_made);
        let file = TargetFile::check(made.map_or(path, |(_, opened_by)| opened_by))?;
        if wanted.is_made && made.map(|(identity, _)| *identity) != Some(file.identity) {
            return Err(TargetError::Replaced(path.to_owned()));
        }
        // A made file may have no name: its folder is on the same disks.
        let on_disks = if wanted.is_made { folder_of(path) } else { path };
        let (hardware, disks_why) = match hardware(source, on_disks) {
            Ok(hardware) => (hardware, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let disks: Vec<IoDiskFacts> = hardware
            .iter()
            .map(|hardware| IoDiskFacts::new(hardware, Disk::read(source, &hardware.name)))
            .collect();
        let mut interrupts: Vec<u32> = hardware
            .iter()
            .filter_map(|hardware| hardware.address)
            .flat_map(|address| SettableInterrupts::read(source, address).numbers)
            .collect();
        interrupts.sort_unstable();
        interrupts.dedup();
        let node = disks.first().and_then(|disk| disk.node);
        let limits: Vec<String> =
            disks.iter().filter_map(|disk| disk_limit(source, &disk.name)).collect();
        let facts = IoTargetFacts {
            path: path.display().to_string(),
            bytes: file.bytes.0,
            is_disk: file.is_disk,
            is_made: wanted.is_made,
            node: node.filter(|_| disks.iter().all(|disk| disk.node == node)),
            disks_why,
            interrupts: interrupts.len(),
            interrupts_why: wanted.interrupts_why.clone(),
            cgroup_limit: (!limits.is_empty()).then(|| limits.join("; ")),
            disks,
        };
        let probed = IoTarget {
            path: path.to_owned(),
            opened_by: made.map(|(_, opened_by)| opened_by.clone()),
            identity: file.identity,
            bytes: file.bytes,
            disks: hardware.into_iter().map(|hardware| hardware.name).collect(),
            interrupts,
            interrupt_places: wanted.interrupt_places.clone(),
        };
        Ok(Self { probed, facts })
    }
}

/// The disks below a path, or why they are unknown.
fn hardware(source: &Source, path: &Path) -> Result<Vec<HardwareNode>, String> {
    let path = path.canonicalize().map_err(|error| error.to_string())?;
    let path = path.to_str().ok_or("its path is not UTF-8")?;
    let found = NearDevice::find_all(path, source).map_err(|error| error.to_string())?;
    let mut hardware: Vec<HardwareNode> =
        found.into_iter().flat_map(|device| device.hardware).collect();
    // Names of controllers have no counters: those of disks do.
    hardware
        .retain(|hardware| nearfar_machine::DiskCounters::read(source, &hardware.name).is_some());
    if hardware.is_empty() {
        return Err("the kernel shows no counters of its disk".to_owned());
    }
    Ok(hardware)
}
