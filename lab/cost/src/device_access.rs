//! What it costs a CPU to reach the registers of a device of another node.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Costs of accesses to registers, and where the plugin finds out which addresses they have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceAccess {
    /// A load from another node's device.
    pub far_load_ns: f64,
    /// A store to it.
    pub far_store_ns: f64,
    /// The file with a list of [`DeviceWindow`], which appears when the guest has mapped them.
    pub windows: PathBuf,
}

/// Kernel addresses of a device's registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceWindow {
    /// The first virtual address.
    pub start: u64,
    /// The address behind the last.
    pub end: u64,
    /// The device, by its position in the description.
    pub device: usize,
    /// Groups whose CPUs are near.
    pub near: Vec<usize>,
}

/// How often a CPU reached a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceReached {
    /// The virtual CPU.
    pub cpu: usize,
    /// The device, by its position in the description.
    pub device: usize,
    /// Loads, near and far.
    pub loads: u64,
    /// Stores, near and far.
    pub stores: u64,
    /// What it was charged for all of them.
    pub total_ns: u64,
}

impl DeviceAccess {
    /// What an access costs a group's CPU, and whose registers it reaches.
    pub(crate) fn cost<'w>(
        &self,
        windows: &'w [DeviceWindow],
        group: usize,
        address: u64,
        store: bool,
    ) -> Option<(&'w DeviceWindow, f64)> {
        let window = windows.iter().find(|window| (window.start..window.end).contains(&address))?;
        let ns = match (window.near.contains(&group), store) {
            (true, _) => 0.0,
            (false, false) => self.far_load_ns,
            (false, true) => self.far_store_ns,
        };
        Some((window, ns))
    }
}
