//! The devices of `--near` and their nodes, in words.

use nearfar_devices::DeviceNode;
use nearfar_machine::{HardwareNode, NearDevice, Topology};
use nearfar_model::{NodeId, NodeSet};
use serde::Serialize;

use super::format_set;
use crate::launch::near::NearPlacement;

/// The devices near which a program would run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NearExplained {
    /// The devices, and the chosen nodes.
    #[serde(flatten)]
    pub placement: NearPlacement,
    /// The same in words.
    pub sentence: String,
    /// What firmware and the kernel claim about the nodes; empty until they are read.
    pub claims: Vec<NearClaims>,
}

/// The claims about the node of one piece of hardware.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NearClaims {
    /// The hardware's name.
    pub name: String,
    /// The verdict, and the claim of each witness.
    #[serde(flatten)]
    pub node: DeviceNode,
}

pub(super) fn explain(near: &NearPlacement, topology: &Topology) -> NearExplained {
    let devices = near.devices.iter().map(|device| placed(device, near.assumed_node, topology));
    let mut sentences: Vec<String> = devices.collect();
    sentences.extend(near.nodes.iter().filter_map(|node| without_cpus(node, near, topology)));
    NearExplained { placement: near.clone(), sentence: sentences.join(" "), claims: Vec::new() }
}

/// "disk:0 is nvme0 (0000:01:00.0): it is on node 0, as the kernel shows (numa_node)."
fn placed(device: &NearDevice, assumed: Option<NodeId>, topology: &Topology) -> String {
    let place = |one| place(one, assumed, topology);
    match &device.hardware[..] {
        [one] if one.name == device.asked => format!("{} {}.", named(one), place(one)),
        [one] => format!("{} is {}: it {}.", device.asked, named(one), place(one)),
        several => {
            let each = several.iter().map(|one| format!("{} {}", named(one), place(one)));
            let each: Vec<String> = each.collect();
            format!("{} is on several devices: {}.", device.asked, each.join("; "))
        }
    }
}

/// The name, with the PCI address unless that is the name.
fn named(one: &HardwareNode) -> String {
    let address = one.address.map(|address| address.to_string());
    match address.filter(|address| *address != one.name) {
        Some(address) => format!("{} ({address})", one.name),
        None => one.name.clone(),
    }
}

fn place(one: &HardwareNode, assumed: Option<NodeId>, topology: &Topology) -> String {
    match (one.node, assumed) {
        (Some(node), _) => {
            let source = match (&one.measured_by, &one.source) {
                (Some(by), _) => format!(", as copies showed ({by})"),
                (None, Some(_)) => ", as the kernel shows (numa_node)".to_owned(),
                (None, None) => String::new(),
            };
            format!("is on node {node}{source}")
        }
        _ if topology.online_nodes().len() == 1 => "is on the only node".to_owned(),
        (None, Some(node)) => {
            format!("is on a node that the kernel does not know; --near-anyway gives {node}")
        }
        (None, None) => "is on a node that the kernel does not know".to_owned(),
    }
}

/// Where a program goes that cannot be on the node of its device.
fn without_cpus(node: NodeId, near: &NearPlacement, topology: &Topology) -> Option<String> {
    let found = topology.nodes.iter().find(|one| one.id == node)?;
    let distances = topology.distances.as_ref()?;
    let claimed = |nodes: &NodeSet| {
        let far = nodes.iter().filter_map(|from| distances.between(from, node)).min();
        far.map(|far| format!(", at a claimed distance of {far}")).unwrap_or_default()
    };
    if found.cpus.is_empty() {
        let with_cpus = topology.nodes.iter().filter(|node| !node.cpus.is_empty());
        let nearest = distances.nearest(node, with_cpus.map(|node| node.id));
        return Some(format!(
            "Node {node} has no CPUs: the nearest with CPUs is {}{}.",
            format_set(&nearest),
            claimed(&nearest)
        ));
    }
    (!found.has_memory()).then(|| {
        format!("Node {node} has no memory: {} is nearest.", format_set(&near.memory_nodes))
    })
}
