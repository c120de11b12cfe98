//! A device that has interrupts.

use nearfar_machine::DeviceKind;
use nearfar_model::{CpuSet, NodeId};
use serde::{Deserialize, Serialize};

use super::{Irq, IrqDisk, IrqInterface, NodeCount};

/// A device, its interrupts and its queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqDevice {
    /// Its label, as in `nearfar devices`: `NIC0`. For a device that is known only by the names of
    /// its interrupts, that name.
    pub label: String,
    /// What it is, as in `nearfar devices`; null if unknown.
    #[schemars(with = "Option<String>")]
    pub kind: Option<DeviceKind>,
    /// The kernel's names: `eth0`.
    pub names: Vec<String>,
    /// Its PCI address; null without PCI.
    pub address: Option<String>,
    /// The driver that is bound; null if unknown.
    pub driver: Option<String>,
    /// Its node; null if unknown.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// The CPUs near it; null if unknown.
    #[schemars(with = "Option<String>")]
    pub cpus: Option<CpuSet>,
    /// Its interrupts, by number.
    pub interrupts: Vec<Irq>,
    /// How often its interrupts were served.
    pub count: u64,
    /// How often CPUs far from it served them; null if its node is unknown.
    pub far: Option<u64>,
    /// Counts by node, for nodes that served it.
    #[serde(default)]
    pub by_node: Vec<NodeCount>,
    /// Its network interfaces.
    pub interfaces: Vec<IrqInterface>,
    /// Its disks.
    pub disks: Vec<IrqDisk>,
}
