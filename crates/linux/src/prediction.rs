//! What Linux would make of the tables.

use nearfar_model::{CpuSet, DistanceMatrix, NodeId, ProximityDomain};
use serde::Serialize;

use super::cause::{CauseEffect, KernelCause, KernelDoubt};

/// What Linux would make of the tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Prediction {
    /// In a word.
    pub outcome: NumaOutcome,
    /// The kernel's nodes, ascending. Without NUMA the one that it makes of all memory.
    pub nodes: Vec<PredictedNode>,
    /// The distances between them, as in sysfs; none without NUMA in the kernel, or where they
    /// cannot be known.
    pub distances: Option<DistanceMatrix>,
    /// Where the distances come from.
    pub distance_origin: DistanceOrigin,
    /// What becomes of the HMAT.
    pub hmat: HmatUse,
    /// Why something that firmware says is not taken, or why there is nothing to take; in the
    /// order of the decision, so that the first with [`CauseEffect::Numa`] is the one that decides.
    pub causes: Vec<KernelCause>,
    /// What is taken and likely wrong.
    pub doubts: Vec<KernelDoubt>,
    /// What could not be decided for want of information, one line each.
    pub undecided: Vec<String>,
}

/// What becomes of NUMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumaOutcome {
    /// Two nodes or more, as firmware says.
    Visible,
    /// One node, and firmware says so: every CPU and all memory are in one domain.
    OneDomain,
    /// One node, because firmware says nothing: no SRAT, or none that names memory; a device tree
    /// that names no node.
    Withheld,
    /// One node, because the kernel does not take what firmware says.
    Refused,
    /// One node, because somebody said so on the command line.
    TurnedOff,
    /// Nodes made up on the command line (`numa=fake=`).
    Emulated,
    /// No nodes at all: the kernel was built without NUMA.
    Impossible,
    /// Not to be known: the tables are there and this user may not read them, or nothing was given.
    Unknown,
}

/// One of the kernel's nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PredictedNode {
    /// The kernel's number.
    pub id: NodeId,
    /// Firmware's domain; none for a node that the kernel made up, and with a device tree.
    pub domain: Option<ProximityDomain>,
    /// Whether it is in use: it has RAM, CPUs that are present, or a generic initiator. Others are
    /// merely possible.
    pub online: bool,
    /// Its CPUs, by the kernel's numbers; empty where these cannot be known.
    pub cpus: CpuSet,
    /// How many CPUs it has, present or not: entries of the table that count.
    pub cpu_entries: usize,
    /// Its ranges, as the table has them: what is beyond RAM is in there too.
    pub ranges: Vec<NodeRange>,
    /// How much RAM is in them; none where the map of memory is not known.
    pub ram_bytes: Option<u64>,
}

/// A range of physical addresses that a table gives to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NodeRange {
    /// First address.
    pub first: u64,
    /// Last address.
    pub last: u64,
    /// Whether memory may be added there later.
    pub hot_pluggable: bool,
    /// Whether the memory keeps its content without power.
    pub non_volatile: bool,
}

/// Where the distances come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DistanceOrigin {
    /// The SLIT, or the device tree's map.
    Firmware,
    /// 10 within a node and 20 between any two: firmware says nothing, or nothing that the kernel
    /// takes.
    Default,
    /// Not to be known.
    Unknown,
}

/// What becomes of the HMAT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HmatUse {
    /// There is none.
    Absent,
    /// It is read.
    Used,
    /// It is there and is not taken; a cause says why.
    Ignored,
    /// It is there and cannot be read by this user.
    Unknown,
}

impl Prediction {
    /// The cause that decides that there are no nodes as firmware has them.
    pub fn deciding(&self) -> Option<&KernelCause> {
        self.causes.iter().find(|cause| cause.effect == CauseEffect::Numa)
    }

    /// The nodes that are in use.
    pub fn online(&self) -> impl Iterator<Item = &PredictedNode> {
        self.nodes.iter().filter(|node| node.online)
    }
}
