//! The document of `nearfar devices --json`.

mod finding;
mod node;

use nearfar_machine::{DeviceKind, PciAddress};
use nearfar_model::{Bytes, CpuSet, NodeSet};
use serde::{Deserialize, Serialize};

use crate::level::Level;

pub use finding::{DeviceFinding, LinkAbove, SmiColumn};
pub use node::{ClaimedNode, DeviceNode, NodeClaim, NodeVerdict, NodeWitness};

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

/// A device, and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Device {
    /// Its label: `GPU0`, `NIC0`. Each kind counts from 0, by address.
    pub label: String,
    /// What it is: `gpu`, `accelerator`, `network`, `disk`, `cxl`, `usb`, `display`, `bridge`,
    /// `other`.
    #[schemars(with = "String")]
    pub kind: DeviceKind,
    /// The kernel's names: `eth0`, `mlx5_0`; empty without a driver.
    pub names: Vec<String>,
    /// What it holds in bytes, of disks (all of a controller) and CXL memory; absent for others,
    /// and where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u64>")]
    pub bytes: Option<Bytes>,
    /// Its PCI address, `domain:bus:device.function`; null without PCI.
    pub address: Option<String>,
    /// Its PCI class, six hexadecimal digits; null if unknown.
    pub class: Option<String>,
    /// The class in words; null if unknown.
    pub class_name: Option<String>,
    /// Vendor and device, as `lspci -n` writes them: `15b3:1021`; null if unknown.
    pub id: Option<String>,
    /// The vendor's name; null if unknown.
    pub vendor: Option<String>,
    /// The device's name; null if unknown.
    pub model: Option<String>,
    /// The driver that is bound; null without one.
    pub driver: Option<String>,
    /// Its node.
    pub node: DeviceNode,
    /// The CPUs near it: those of its node, or of the nearest nodes with CPUs; null if unknown.
    #[schemars(with = "Option<String>")]
    pub cpus: Option<CpuSet>,
    /// The root bus and the bridges above it, from the top; empty without PCI.
    pub path: Vec<String>,
    /// Its PCIe link; null without one, and for devices of the chipset.
    pub link: Option<Link>,
    /// The narrowest link above it, where that has less than its own link; null otherwise, and in
    /// guests.
    #[serde(default)]
    pub narrow_link: Option<NarrowLink>,
    /// Enabled virtual functions (SR-IOV).
    pub virtual_functions: u32,
    /// The physical function that it is a virtual function of; null for all others.
    pub physical_function: Option<String>,
    /// Its interrupts.
    pub interrupts: Interrupts,
}

/// A PCIe link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Link {
    /// What it runs at. Idle devices may lower the speed.
    pub now: Lanes,
    /// What the device supports.
    pub device_max: Lanes,
    /// What the port above it supports; null if unknown.
    pub port_max: Option<Lanes>,
}

/// A link between two bridges above a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NarrowLink {
    /// The bridge at its lower end.
    pub bridge: String,
    /// What it runs at.
    pub now: Lanes,
}

/// Speed and width of a link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Lanes {
    /// Transfers of each lane in GT/s; null if unknown.
    pub gt_s: Option<f64>,
    /// Lanes; null if unknown.
    pub lanes: Option<u32>,
}

/// The interrupts of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Interrupts {
    /// Their number.
    pub count: usize,
    /// Their kind; null without any.
    pub kind: Option<InterruptKind>,
    /// The CPUs that they run on; null if unknown.
    #[schemars(with = "Option<String>")]
    pub cpus: Option<CpuSet>,
    /// Whether these are CPUs that are allowed: the kernel does not show which it chose.
    pub only_allowed: bool,
    /// Whether the kernel's files about them are not readable.
    pub not_readable: bool,
    /// The nodes of these CPUs.
    #[schemars(with = "String")]
    pub nodes: NodeSet,
}

/// The kind of interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InterruptKind {
    /// MSI or MSI-X: the device's own.
    Message,
    /// A line, which other devices may share.
    Line,
}
