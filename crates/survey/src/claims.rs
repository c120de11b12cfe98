//! Claims of kernel and firmware, kept beside what was measured.

use nearfar_diagnose::{Diagnosis, MemorySlot, Performance, Witnesses};
use nearfar_infer::MachineNodes;
use nearfar_machine::Topology;
use nearfar_machine::inventory::MachineDevice;
use nearfar_model::{Bytes, CpuSet, DistanceMatrix, NodeId};
use serde::{Deserialize, Serialize};

use crate::ClaimedParts;

/// Claims of kernel and firmware.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Claims {
    /// The nodes that are online.
    pub nodes: Vec<ClaimedNode>,
    /// Claimed distances, 10 for local: `{nodes[], rows[][]}`.
    #[schemars(with = "Option<serde_json::Value>")]
    pub distances: Option<DistanceMatrix>,
    /// Latencies and bandwidths of ACPI's HMAT, by the kernel's nodes; null where there is none
    /// that could be read.
    pub hmat: Option<Performance>,
    /// Result of `nearfar diagnose`; null where there is none.
    pub diagnosis: Option<Diagnosis>,
    /// The machine's parts as the kernel lists them; null where they are unknown.
    #[serde(default)]
    pub parts: Option<ClaimedParts>,
    /// Names of network cards, disks, InfiniBand and graphics cards. `devices`
    /// has all of each device.
    #[serde(default)]
    pub devices: Vec<ClaimedDevice>,
    /// The board's slots for memory modules (SMBIOS). Absent in guests, and where the table is not
    /// readable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_slots: Vec<MemorySlot>,
}

/// One node as the kernel shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimedNode {
    /// The kernel's number.
    #[schemars(with = "u32")]
    pub id: NodeId,
    /// Its CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// Its memory; null where the kernel does not report it.
    #[schemars(with = "Option<u64>")]
    pub memory_bytes: Option<Bytes>,
}

/// A device, by the kernel's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimedDevice {
    /// "network", "disk", "infiniband" or "graphics".
    pub kind: String,
    /// Its name: "eth0"; an address in it is a number instead ("enx000000000001").
    pub name: String,
    /// The node it sits at; null where the kernel does not know.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
}

impl ClaimedDevice {
    fn from_device(device: &MachineDevice) -> Self {
        Self { kind: device.kind.to_owned(), name: device.name.clone(), node: device.node }
    }
}

impl Claims {
    /// Its nodes by what they have. Memory of unknown size is memory.
    pub(crate) fn machine_nodes(&self) -> MachineNodes {
        let numbers = |has: fn(&ClaimedNode) -> bool| {
            self.nodes.iter().filter(|node| has(node)).map(|node| node.id.0).collect()
        };
        MachineNodes {
            with_cpus: numbers(|node| !node.cpus.is_empty()),
            with_memory: numbers(|node| node.memory_bytes.is_none_or(|size| size.0 > 0)),
        }
    }

    /// How many CPUs a node has; none of a node that is not known.
    pub(crate) fn cpus_of(&self, node: u32) -> usize {
        let node = self.nodes.iter().find(|claimed| claimed.id.0 == node);
        node.map_or(0, |node| node.cpus.len())
    }

    /// The claims in a topology, and the witnesses' statements.
    pub fn new(topology: &Topology, witnesses: &Witnesses) -> Self {
        let online = topology.nodes.iter().filter(|node| node.online);
        let nodes = online.map(|node| ClaimedNode {
            id: node.id,
            cpus: node.cpus.clone(),
            memory_bytes: node.memory.as_ref().map(|memory| memory.total),
        });
        Self {
            nodes: nodes.collect(),
            distances: topology.distances.clone(),
            hmat: nearfar_diagnose::performance(witnesses),
            diagnosis: Some(nearfar_diagnose::diagnose(witnesses)),
            parts: Some(ClaimedParts::from_topology(topology)),
            devices: topology.devices.iter().map(ClaimedDevice::from_device).collect(),
            memory_slots: nearfar_diagnose::memory_slots(witnesses),
        }
    }
}
