//! The device tree: memory, CPUs and devices with their NUMA nodes, and the distance map.
//!
//! It comes in two forms that decode to the same: a flattened blob (`/sys/firmware/fdt`, a `.dtb`
//! file), or a folder per node and a file per property (`/sys/firmware/devicetree/base`).
//! Specifications: Documentation/devicetree/bindings/numa.txt of the kernel, and the Devicetree
//! Specification 0.4.

mod blob;
mod builder;
mod meaning;
#[cfg(test)]
mod tests;

use nearfar_model::NodeId;
use serde::Serialize;

use super::fault::{Fault, Faults};

pub use blob::{Token, Tokens};
pub use builder::{BuiltNode, TreeBuilder};

/// The first four bytes of a flattened device tree.
pub(super) const MAGIC: [u8; 4] = [0xd0, 0x0d, 0xfe, 0xed];

/// Memory, CPUs and distances as a device tree reports them. Node numbers are the kernel's own:
/// Linux uses them unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DeviceTree {
    /// Name of the machine.
    pub model: Option<String>,
    /// The compatible machines, the most specific first.
    pub compatible: Vec<String>,
    /// Memory nodes.
    pub memory: Vec<TreeMemory>,
    /// CPU nodes.
    pub cpus: Vec<TreeCpu>,
    /// Other devices with a NUMA node, such as PCI host bridges.
    pub others: Vec<TreePart>,
    /// The distance map, if there is one.
    pub distance_map: Option<DistanceMap>,
    /// Problems of the tree.
    pub faults: Vec<Fault>,
}

/// Memory nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TreeMemory {
    /// Path in the tree.
    pub path: String,
    /// Whether it has `device_type = "memory"`; Linux ignores it otherwise.
    pub typed: bool,
    /// Its NUMA node.
    pub node: Option<NodeId>,
    /// Its address ranges.
    pub ranges: Vec<TreeRange>,
    /// `status`, if there is one; anything but "okay" means disabled.
    pub status: Option<String>,
}

/// A range of physical addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TreeRange {
    /// First address.
    pub base_address: u64,
    /// Size in bytes.
    pub size_bytes: u64,
}

/// A CPU node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TreeCpu {
    /// Path in the tree.
    pub path: String,
    /// Its hardware ID (`reg`): MPIDR on Arm, hart ID on RISC-V.
    pub hardware_id: Option<u64>,
    /// Its NUMA node.
    pub node: Option<NodeId>,
    /// `status`, if there is one.
    pub status: Option<String>,
}

/// Another device with a NUMA node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TreePart {
    /// Path in the tree.
    pub path: String,
    /// Its NUMA node.
    pub node: NodeId,
}

/// The distance map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct DistanceMap {
    /// Path in the tree.
    pub path: String,
    /// The distances, in the order of the property.
    pub entries: Vec<MapEntry>,
}

/// One entry of the distance map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MapEntry {
    /// From node.
    pub from: NodeId,
    /// To node.
    pub to: NodeId,
    /// The distance; 10 is local.
    pub distance: u32,
}

impl DistanceMap {
    /// The distance between two nodes. If only the opposite direction is listed, that one is
    /// returned; of several entries the last.
    ///
    /// # References
    ///
    /// drivers/of/of_numa.c: of_numa_parse_distance_map_v1
    pub fn between(&self, from: NodeId, to: NodeId) -> Option<u32> {
        let written =
            |from, to| self.entries.iter().rev().find(|entry| (entry.from, entry.to) == (from, to));
        written(from, to).or_else(|| written(to, from)).map(|entry| entry.distance)
    }
}

impl DeviceTree {
    /// Decodes a flattened device tree. `None` if the bytes do not begin with its magic number or
    /// header. Other problems are in [`faults`](Self::faults).
    ///
    /// # References
    ///
    /// Devicetree Specification 0.4, chapter 5
    pub fn decode(blob: &[u8]) -> Option<Self> {
        let mut faults = Faults::default();
        let nodes = blob::read(blob, &mut faults)?;
        Some(meaning::decode(&nodes, faults))
    }

    /// Whether anything in the tree has a NUMA node.
    pub fn names_a_node(&self) -> bool {
        self.memory.iter().any(|memory| memory.node.is_some())
            || self.cpus.iter().any(|cpu| cpu.node.is_some())
            || !self.others.is_empty()
    }
}

/// Maximum depth. Memory, CPUs and distances are at levels 1 and 2; buses reach about 8.
const MAX_DEPTH: usize = 16;
/// Maximum length of a node's name; the specification allows 31 characters before the address.
const MAX_NAME_BYTES: usize = 64;
/// The properties that are used.
const WANTED: [&str; 9] = [
    "#address-cells",
    "#size-cells",
    "compatible",
    "device_type",
    "distance-matrix",
    "model",
    "numa-node-id",
    "reg",
    "status",
];

#[derive(Debug)]
struct RawNode {
    /// "memory@80000000"; empty for the root.
    name: String,
    /// Index of the parent; `None` for the root.
    parent: Option<usize>,
    properties: Vec<(&'static str, Vec<u8>)>,
}

/// All nodes of a tree, each after its parent.
#[derive(Debug, Default)]
struct RawNodes(Vec<RawNode>);

impl RawNodes {
    /// Adds a node and returns its index. Long names are cut.
    fn add(&mut self, name: &[u8], parent: Option<usize>) -> usize {
        let name = crate::byte_view::printable(&name[..name.len().min(MAX_NAME_BYTES)]);
        self.0.push(RawNode { name, parent, properties: Vec::new() });
        self.0.len() - 1
    }

    /// A node's path: "/cpus/cpu@1".
    fn path(&self, node: &RawNode) -> String {
        match node.parent.and_then(|parent| self.0.get(parent)) {
            None => "/".to_owned(),
            Some(parent) if parent.parent.is_none() => format!("/{}", node.name),
            Some(parent) => format!("{}/{}", self.path(parent), node.name),
        }
    }

    fn parent(&self, node: &RawNode) -> Option<&RawNode> {
        self.0.get(node.parent?)
    }
}

impl RawNode {
    /// Adds a property, if it is used.
    fn add(&mut self, name: &[u8], value: &[u8]) {
        if let Some(wanted) = wanted(name) {
            self.properties.push((wanted, value.to_vec()));
        }
    }

    /// A property's raw value.
    fn property(&self, name: &str) -> Option<&[u8]> {
        self.properties.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_slice())
    }

    /// A property as a 32-bit number.
    fn number(&self, name: &str) -> Option<u32> {
        Some(u32::from_be_bytes(self.property(name)?.try_into().ok()?))
    }

    /// A property as a list of strings.
    fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.property(name).unwrap_or_default().split(|&byte| byte == 0);
        texts.filter(|text| !text.is_empty()).map(crate::byte_view::printable).collect()
    }

    /// A property's first string.
    fn text(&self, name: &str) -> Option<String> {
        self.texts(name).into_iter().next()
    }
}

/// The property's name, if it is used.
fn wanted(name: &[u8]) -> Option<&'static str> {
    WANTED.into_iter().find(|wanted| wanted.as_bytes() == name)
}
