//! Interrupts of one device as an axis: near the device, or far from it.

mod axis;
mod counting;
mod far;

use std::collections::BTreeMap;

use nearfar_model::{CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

pub use axis::InterruptAxis;
pub use counting::RunInterrupts;

/// The device of the axis, and where its interrupts are set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepInterrupts {
    /// The device's label.
    pub device: String,
    /// Its PCI address.
    pub address: String,
    /// Its node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// Its interrupts.
    pub interrupts: Vec<u32>,
    /// The CPUs of each value: `near`, `far`.
    pub targets: BTreeMap<String, InterruptTarget>,
    /// Interrupts that irqbalance may move; empty if it does not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub irqbalance: Vec<u32>,
}

/// The CPUs of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct InterruptTarget {
    /// The CPUs that may serve the interrupts.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// Their nodes.
    #[schemars(with = "String")]
    pub nodes: NodeSet,
}
