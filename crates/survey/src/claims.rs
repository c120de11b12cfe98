//! What the kernel and the firmware say, kept beside what was measured.

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuSet, DistanceMatrix, NodeId};
use serde::{Deserialize, Serialize};

/// Claims of kernel and firmware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claims {
    /// The nodes that are online.
    pub nodes: Vec<ClaimedNode>,
    /// Claimed distances, 10 for local: `{nodes[], rows[][]}`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub distances: Option<DistanceMatrix>,
    /// Latencies and bandwidths of ACPI's HMAT; null where it was not read.
    pub hmat: Option<serde_json::Value>,
    /// The verdict of `nearfar diagnose`; null where it was not asked.
    pub diagnosis: Option<serde_json::Value>,
}

/// One node as the kernel shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimedNode {
    /// The kernel's number.
    #[cfg_attr(feature = "schema", schemars(with = "u32"))]
    pub id: NodeId,
    /// Its CPUs, in list form.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub cpus: CpuSet,
    /// Its memory; null where the kernel does not say.
    #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
    pub memory_bytes: Option<Bytes>,
}

impl Claims {
    /// The claims in a topology.
    pub fn of(topology: &Topology) -> Self {
        let online = topology.nodes.iter().filter(|node| node.online);
        let nodes = online.map(|node| ClaimedNode {
            id: node.id,
            cpus: node.cpus.clone(),
            memory_bytes: node.memory.as_ref().map(|memory| memory.total),
        });
        Self { nodes: nodes.collect(), distances: topology.distances.clone(), hmat: None, diagnosis: None }
    }
}
