//! The document of `nearfar devices --json`.

mod device;
mod finding;
mod node;

use nearfar_machine::PciAddress;
use nearfar_model::{CpuSet, NodeSet};
use serde::{Deserialize, Serialize};

pub use device::{Device, InterruptKind, Interrupts, Lanes, Link, NarrowLink};
pub use finding::{DeviceFinding, LinkAbove, SmiColumn};
pub use node::{ClaimedNode, DeviceNode, NodeClaim, NodeVerdict, NodeWitness};

use crate::level::Level;

/// The schema of [`DevicesDocument`]. Within a number, parts may be added, never changed.
pub const SCHEMA: &str = "nearfar.devices/1";

/// The devices of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DevicesDocument {
    /// The schema's name: `nearfar.devices/1`.
    pub schema: String,
    /// The machine: its model of CPU, or what its firmware calls it; null if unknown.
    pub machine: Option<String>,
    /// The kernel's version; null if unknown.
    pub kernel: Option<String>,
    /// The online nodes.
    #[schemars(with = "String")]
    pub nodes: NodeSet,
    /// The online nodes that have CPUs.
    #[schemars(with = "String")]
    pub nodes_with_cpus: NodeSet,
    /// PCI functions, listed or not.
    pub functions: usize,
    /// The devices, by address; those without PCI last.
    pub devices: Vec<Device>,
    /// Levels of pairs of labelled devices; null for `--all`, and for more than 1,024 devices.
    pub matrix: Option<LevelMatrix>,
    /// Findings, most severe first.
    pub findings: Vec<DeviceFinding>,
    /// The list with names of vendors and devices; null if only built-in names are known.
    pub names_from: Option<String>,
    /// Malformed values in sysfs, one line each.
    pub oddities: Vec<String>,
}

impl DevicesDocument {
    /// The device that is this hardware: by its PCI function, without PCI by a name.
    pub fn device_of(&self, address: Option<PciAddress>, name: &str) -> Option<&Device> {
        let address = address.map(|address| address.to_string());
        self.devices.iter().find(|device| match &address {
            Some(_) => device.address == address,
            None => device.label == name || device.names.iter().any(|one| one == name),
        })
    }
}

/// Levels of pairs: what `nvidia-smi topo -m` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LevelMatrix {
    /// Labels of rows and columns.
    pub labels: Vec<String>,
    /// A row for each label, a level for each column.
    pub levels: Vec<Vec<Level>>,
    /// The CPUs near each device; null if its node is unknown.
    #[schemars(with = "Vec<Option<String>>")]
    pub cpus: Vec<Option<CpuSet>>,
    /// Second witnesses of pairs: `nvidia-smi`, `amdkfd`.
    pub witnesses: Vec<String>,
}
