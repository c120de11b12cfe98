//! The predicted result of Linux for a set of tables.

use nearfar_model::{CpuSet, DistanceMatrix, NodeId, ProximityDomain};
use serde::Serialize;

use super::{CauseEffect, KernelCause, KernelDoubt};

/// The predicted result of Linux for a set of tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prediction {
    /// The overall result.
    pub outcome: NumaOutcome,
    /// The kernel's nodes, ascending. Without NUMA one node with all memory.
    pub nodes: Vec<PredictedNode>,
    /// The distances between them, as in sysfs; `None` without NUMA in the kernel, or if unknown.
    pub distances: Option<DistanceMatrix>,
    /// Source of the distances.
    pub distance_origin: DistanceOrigin,
    /// Whether the HMAT is used.
    pub hmat: HmatUse,
    /// Why firmware's data is not used, or missing, in the order of the decision: the first cause
    /// with [`CauseEffect::Numa`] decides.
    pub causes: Vec<KernelCause>,
    /// Data that is used and likely wrong.
    pub doubts: Vec<KernelDoubt>,
    /// What is undecided because information is missing, one line each.
    pub undecided: Vec<String>,
}

/// The NUMA result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumaOutcome {
    /// Two nodes or more, as firmware reports them.
    Visible,
    /// One node, as firmware reports it: all CPUs and memory are in one domain.
    OneDomain,
    /// One node, because firmware reports none: no SRAT, a SRAT without memory, or a device tree
    /// without nodes.
    Withheld,
    /// One node, because the kernel rejects firmware's data.
    Refused,
    /// One node, because of the command line.
    TurnedOff,
    /// Emulated nodes (`numa=fake=` on the command line).
    Emulated,
    /// No nodes: the kernel was built without NUMA.
    Impossible,
    /// Unknown: the tables exist and are not readable, or nothing was given.
    Unknown,
}

/// One of the kernel's nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PredictedNode {
    /// The kernel's number.
    pub id: NodeId,
    /// Firmware's domain; `None` for nodes that the kernel created, and with a device tree.
    pub domain: Option<ProximityDomain>,
    /// Whether it is online: it has RAM, present CPUs or a generic initiator. Others are only
    /// possible.
    pub online: bool,
    /// Its CPUs, by the kernel's numbers; empty if unknown.
    pub cpus: CpuSet,
    /// Number of enabled CPU entries in the table, present or not.
    pub cpu_entries: usize,
    /// Its address ranges as in the table, including those beyond RAM.
    pub ranges: Vec<NodeRange>,
    /// RAM in these ranges, in bytes; `None` without a memory map.
    pub ram_bytes: Option<u64>,
}

/// A range of physical addresses that a table gives to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeRange {
    /// First address.
    pub first: u64,
    /// Last address.
    pub last: u64,
    /// Whether memory can be hot-plugged there.
    pub hot_pluggable: bool,
    /// Whether the memory is non-volatile.
    pub non_volatile: bool,
}

/// Source of the distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DistanceOrigin {
    /// The SLIT, or the device tree's distance map.
    Firmware,
    /// 10 within a node and 20 between nodes: firmware reports none, or none that the kernel
    /// accepts.
    Default,
    /// Unknown.
    Unknown,
}

/// Whether the HMAT is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HmatUse {
    /// There is none.
    Absent,
    /// It is read.
    Used,
    /// It exists and is not used; a cause gives the reason.
    Ignored,
    /// It exists and is not readable.
    Unknown,
}

impl Prediction {
    /// The cause that discards firmware's nodes, if there is one.
    pub fn deciding(&self) -> Option<&KernelCause> {
        self.causes.iter().find(|cause| cause.effect == CauseEffect::Numa)
    }

    /// The online nodes.
    pub fn online(&self) -> impl Iterator<Item = &PredictedNode> {
        self.nodes.iter().filter(|node| node.online)
    }
}
