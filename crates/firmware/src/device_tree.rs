//! The device tree: memory, CPUs and other nodes with the NUMA node they name, and the map of
//! distances.
//!
//! It comes in two shapes, which decode to the same: one flattened blob (`/sys/firmware/fdt`, a
//! `.dtb` file), or a folder for each node and a file for each property
//! (`/sys/firmware/devicetree/base`). Bindings: `numa.txt` of the kernel's Documentation/
//! devicetree/bindings, and the Devicetree Specification 0.4.

mod blob;
mod builder;
mod meaning;
mod node;

use nearfar_model::NodeId;
use serde::Serialize;

use super::fault::{Fault, Faults};
pub use blob::{Token, Tokens};
pub use builder::{BuiltNode, TreeBuilder};

/// The first four bytes of a flattened device tree.
pub(super) const MAGIC: [u8; 4] = [0xd0, 0x0d, 0xfe, 0xed];

/// What a device tree says of memory, CPUs and distance. Node numbers are the kernel's own: Linux
/// takes them as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeviceTree {
    /// What the machine is called.
    pub model: Option<String>,
    /// What it is compatible with, the most specific first.
    pub compatible: Vec<String>,
    /// Memory.
    pub memory: Vec<TreeMemory>,
    /// CPUs.
    pub cpus: Vec<TreeCpu>,
    /// Other parts that name a node, such as PCI host bridges.
    pub others: Vec<TreePart>,
    /// The distances, if the tree has a map of them.
    pub distance_map: Option<DistanceMap>,
    /// What is wrong with the tree.
    pub faults: Vec<Fault>,
}

/// Memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeMemory {
    /// Where it stands in the tree.
    pub path: String,
    /// Whether it has `device_type = "memory"`, without which Linux does not see it.
    pub typed: bool,
    /// The node it names.
    pub node: Option<NodeId>,
    /// Its ranges of addresses.
    pub ranges: Vec<TreeRange>,
    /// `status`, if there is one: other than "okay" means left out.
    pub status: Option<String>,
}

/// A range of physical addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TreeRange {
    /// First address.
    pub base_address: u64,
    /// How many bytes.
    pub size_bytes: u64,
}

/// A CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeCpu {
    /// Where it stands in the tree.
    pub path: String,
    /// Its hardware id (`reg`): MPIDR on Arm, hart id on RISC-V.
    pub hardware_id: Option<u64>,
    /// The node it names.
    pub node: Option<NodeId>,
    /// `status`, if there is one.
    pub status: Option<String>,
}

/// Another part that names a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreePart {
    /// Where it stands in the tree.
    pub path: String,
    /// The node it names.
    pub node: NodeId,
}

/// The map of distances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DistanceMap {
    /// Where it stands in the tree.
    pub path: String,
    /// The distances, in the order in which they are written.
    pub entries: Vec<MapEntry>,
}

/// One distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MapEntry {
    /// From this node.
    pub from: NodeId,
    /// To this one.
    pub to: NodeId,
    /// 10 is local.
    pub distance: u32,
}

impl DistanceMap {
    /// The distance between two nodes. Where the way back is not written, it is as the way there;
    /// the last one written counts.
    pub fn between(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let written =
            |from, to| self.entries.iter().rev().find(|entry| (entry.from, entry.to) == (from, to));
        written(from, to).or_else(|| written(to, from)).map(|entry| entry.distance)
    }
}

impl DeviceTree {
    /// Decodes a flattened device tree. None where the bytes are no such thing.
    pub fn decode(blob: &[u8]) -> Option<Self> {
        let mut faults = Faults::default();
        let nodes = blob::read(blob, &mut faults)?;
        Some(meaning::of(&nodes, faults))
    }

    /// Whether any part names a node.
    pub fn names_a_node(&self) -> bool {
        self.memory.iter().any(|memory| memory.node.is_some())
            || self.cpus.iter().any(|cpu| cpu.node.is_some())
            || !self.others.is_empty()
    }
}

#[cfg(test)]
mod tests;
