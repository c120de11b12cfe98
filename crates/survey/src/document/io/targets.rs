//! What is known of a file or a disk beside its figures.

use nearfar_machine::{Disk, HardwareNode};
use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

/// A file or a disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoTargetFacts {
    /// Its path.
    pub path: String,
    /// Bytes that accesses stayed within.
    pub bytes: u64,
    /// Whether it is a whole disk or a partition.
    pub is_disk: bool,
    /// Whether nearfar made it (`--write`).
    pub is_made: bool,
    /// The disks that hold it; empty if unknown.
    pub disks: Vec<IoDiskFacts>,
    /// Why the disks are unknown.
    pub disks_why: Option<String>,
    /// The node of all its disks; null if it is unknown, or they are on several.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// How many interrupts its disks have.
    pub interrupts: usize,
    /// Why they stayed where they were, although they were to be set; null otherwise.
    pub interrupts_why: Option<String>,
    /// Limits of the cgroup on this disk, as its file has them; null without any.
    pub cgroup_limit: Option<String>,
}

/// A disk as the kernel shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoDiskFacts {
    /// The kernel name.
    pub name: String,
    /// The model; null where the driver has none.
    pub model: Option<String>,
    /// The PCI address of its controller; null without one.
    pub address: Option<String>,
    /// The node that sysfs claims; null if it claims none.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// Whether it has moving parts, as the driver claims.
    pub is_rotational: Option<bool>,
    /// The scheduler of its requests.
    pub scheduler: Option<String>,
    /// Hardware queues; 0 if the kernel shows none.
    pub queues: usize,
    /// Microseconds that its power states may add: a number, "auto" or "any".
    pub power_tolerance: Option<String>,
}

impl IoDiskFacts {
    /// From what sysfs has of it.
    pub fn new(hardware: &HardwareNode, disk: Disk) -> Self {
        Self {
            name: disk.name,
            model: disk.model,
            address: hardware.address.map(|address| address.to_string()),
            node: hardware.node,
            is_rotational: disk.is_rotational,
            scheduler: disk.scheduler,
            queues: disk.queues,
            power_tolerance: disk.power_tolerance,
        }
    }
}
