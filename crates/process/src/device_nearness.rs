//! Whether a process runs near the devices that it has open.
//!
//! A device is near the CPUs of its node; where that node has none, near those of the nearest
//! nodes with CPUs, by firmware's distances. A process is near by the CPU time of its threads: a
//! thread counts for the node that it last ran on.

use nearfar_devices::DeviceNode;
use nearfar_machine::process::{NoOpenDevices, OpenDevice, OpenDevices};
use nearfar_machine::{NodeTable, PciAddress, Process, Source};
use nearfar_model::{CpuSet, NodeId, NodeSet, nearest_nodes};
use serde::Serialize;

use crate::locality::{NEARLY_ALL, NEARLY_NONE};
use crate::memory::ProcessMemory;
use crate::text::near_devices as sentences;
use crate::threads::ThreadNode;

/// The devices that a process has open.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ProcessDevices {
    /// Whether they are known.
    pub state: DevicesState,
    /// The devices, by PCI address and name.
    pub open: Vec<DeviceNearness>,
    /// Its open sockets, which lead to no device.
    pub sockets: usize,
    /// Open files that were not looked at, because there are too many.
    pub skipped_files: usize,
    /// What to do about devices that it is far from; `None` if there are none.
    pub advice: Option<String>,
}

/// Whether the devices of a process are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DevicesState {
    /// They are.
    Known,
    /// Its open files are not readable.
    NotReadable,
    /// The captured machine does not have them.
    NotCaptured,
    /// It ended.
    Ended,
}

/// A device, and whether the process runs near it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct DeviceNearness {
    /// The kernel's names of what is open: disks, interfaces, device files.
    pub names: Vec<String>,
    /// Its PCI function; `None` without PCI.
    pub address: Option<PciAddress>,
    /// Its node; `None` if unknown.
    pub node: Option<NodeId>,
    /// The nodes whose CPUs are near it.
    pub near_nodes: NodeSet,
    /// Whether the process runs there.
    pub verdict: Nearness,
    /// The share of its threads' CPU time there.
    pub near_share: Option<f64>,
    /// Whether its threads may run on those CPUs only.
    pub bound: Option<bool>,
    /// Open files: the device's own, or on its file systems.
    pub files: usize,
    /// The path of one of them.
    pub example: String,
}

/// Whether a process runs near a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Nearness {
    /// At least 90 % of its CPU time.
    Near,
    /// At most 10 % of its CPU time.
    Far,
    /// Some of its CPU time.
    Partly,
    /// The node of the device or of the threads is unknown.
    Unknown,
}

impl ProcessDevices {
    /// Reads the devices of a process.
    pub fn read(source: &Source, memory: &ProcessMemory) -> Self {
        let open = Process::find(source, memory.pid).map_err(|_| NoOpenDevices::Ended);
        match open.and_then(|process| process.open_devices()) {
            Ok(open) => Self::known(open, memory, &NodeTable::read(source).unwrap_or_default()),
            Err(why) => Self {
                state: match why {
                    NoOpenDevices::NotReadable => DevicesState::NotReadable,
                    NoOpenDevices::NotCaptured => DevicesState::NotCaptured,
                    NoOpenDevices::Ended => DevicesState::Ended,
                },
                open: Vec::new(),
                sockets: 0,
                skipped_files: 0,
                advice: None,
            },
        }
    }

    fn known(open: OpenDevices, memory: &ProcessMemory, nodes: &NodeTable) -> Self {
        let devices: Vec<DeviceNearness> = open
            .devices
            .into_iter()
            .map(|device| DeviceNearness::new(device, memory, nodes))
            .collect();
        Self {
            state: DevicesState::Known,
            advice: advice(&devices, memory, nodes),
            open: devices,
            sockets: open.sockets,
            skipped_files: open.skipped,
        }
    }
}

impl DeviceNearness {
    fn new(open: OpenDevice, memory: &ProcessMemory, nodes: &NodeTable) -> Self {
        let only = (memory.around.nodes.len() == 1).then(|| memory.around.nodes[0].id);
        let decided = open.hardware.iter().map(|one| DeviceNode::from_hardware(one, &[], only));
        let known: NodeSet = decided.filter_map(|node| node.for_placement()).collect();
        let node = known.first();
        let near_nodes = node.map(|node| near_nodes(node, nodes)).unwrap_or_default();
        let threads = memory.threads.by_node();
        let near_share = share(&threads, &near_nodes);
        let near_cpus = memory.around.cpus_of(&near_nodes);
        let allowed = memory.threads.allowed();
        Self {
            names: open.hardware.iter().map(|one| one.name.clone()).collect(),
            address: open.hardware.first().and_then(|hardware| hardware.address),
            node,
            verdict: match near_share {
                None => Nearness::Unknown,
                Some(share) if share >= NEARLY_ALL => Nearness::Near,
                Some(share) if share <= NEARLY_NONE => Nearness::Far,
                Some(_) => Nearness::Partly,
            },
            near_share,
            bound: (!near_cpus.is_empty() && !allowed.is_empty())
                .then(|| allowed.is_subset(&near_cpus)),
            near_nodes,
            files: open.files,
            example: open.example,
        }
    }
}

/// The node if it has CPUs, else the nearest nodes with CPUs.
fn near_nodes(node: NodeId, table: &NodeTable) -> NodeSet {
    let with_cpus = table.nodes.iter().filter(|node| !node.cpus.is_empty()).map(|node| node.id);
    nearest_nodes(table.distances.as_ref(), node, &with_cpus.collect())
}

/// The share of CPU time on these nodes; `None` if these or the threads' nodes are unknown.
fn share(threads: &[ThreadNode], near: &NodeSet) -> Option<f64> {
    if threads.is_empty() || near.is_empty() {
        return None;
    }
    // An empty sum of floats is -0.
    Some(threads.iter().filter(|on| near.contains(on.node)).map(|on| on.share).sum::<f64>() + 0.0)
}

/// How to run near the devices that the process is far from, if they have CPUs in common.
fn advice(devices: &[DeviceNearness], memory: &ProcessMemory, nodes: &NodeTable) -> Option<String> {
    let is_far = |one: &&DeviceNearness| matches!(one.verdict, Nearness::Far | Nearness::Partly);
    let far: Vec<&DeviceNearness> = devices.iter().filter(is_far).collect();
    let (first, near) = (far.first()?, &far.first()?.near_nodes);
    let word = |one: &DeviceNearness| match one.address {
        Some(address) if one.names.len() != 1 => address.to_string(),
        _ => one.names.first().cloned().unwrap_or_default(),
    };
    let others = devices.iter().any(|device| device.verdict == Nearness::Near);
    let is_split = others || far.iter().any(|one| one.near_nodes != *near);
    if is_split {
        return Some(sentences::on_different_nodes(&word(first)));
    }
    let words: Vec<String> = far.iter().map(|one| word(one)).collect();
    let cpus: CpuSet = memory.around.cpus_of(near);
    let is_whole = |node: &NodeId| {
        nodes.nodes.iter().any(|one| one.id == *node && one.has_memory())
            && memory.allowed_nodes.as_ref().is_none_or(|allowed| allowed.contains(*node))
    };
    let homes: NodeSet = near.iter().filter(is_whole).collect();
    Some(sentences::on_one_node(&words, memory.pid, &cpus, &homes))
}

#[cfg(test)]
mod tests;
