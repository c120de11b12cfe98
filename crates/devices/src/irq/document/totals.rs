//! Sums by node, and interrupts that belong to no device.

use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use super::NodeCount;

/// Devices' interrupts that a node served.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeTotal {
    /// The node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// How many.
    pub count: u64,
    /// `count` a second; null since boot.
    pub per_second: Option<f64>,
    /// How many of them are of devices far from this node.
    pub far: u64,
    /// How many are of devices whose node is unknown, or of no known device.
    pub unknown: u64,
}

/// An interrupt of the CPUs themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CpuInterrupt {
    /// The kernel's name: `LOC`, `IPI0`.
    pub name: String,
    /// What it is: `Local timer interrupts`; null if the kernel has no text for it.
    pub description: Option<String>,
    /// How often; null if unknown.
    pub count: Option<u64>,
    /// Counts by node.
    pub by_node: Vec<NodeCount>,
}

/// A kind of work after interrupts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Softirq {
    /// The kernel's name: `NET_RX`, `BLOCK`.
    pub name: String,
    /// How often; null if unknown.
    pub count: Option<u64>,
    /// Counts by node.
    pub by_node: Vec<NodeCount>,
}
