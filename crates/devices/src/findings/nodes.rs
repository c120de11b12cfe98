//! Devices whose node is unknown, disputed, without CPUs or memory, or doubtful.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_machine::Node;
use nearfar_model::{NodeId, NodeSet, nearest_nodes};

use crate::context::DeviceContext;
use crate::document::{ClaimedNode, Device, DeviceFinding, NodeVerdict, NodeWitness};

/// Devices whose node the kernel does not know, by root bus; apart from them those whose node
/// another witness names. With one node it has no effect.
pub(super) fn without_node(context: &DeviceContext<'_>, devices: &[&Device]) -> Vec<DeviceFinding> {
    if context.nodes().count() < 2 {
        return Vec::new();
    }
    let mut unknown: BTreeMap<Option<&String>, Vec<String>> = BTreeMap::new();
    let mut named: BTreeMap<(Option<&String>, NodeId), NamedDevices> = BTreeMap::new();
    for device in devices.iter().filter(|device| kernel_knows_none(device)) {
        let bus = device.path.first();
        let Some(node) = device.node.node else {
            // Those with a dispute are a finding of their own.
            if device.node.verdict != NodeVerdict::Disputed {
                unknown.entry(bus).or_default().push(device.label.clone());
            }
            continue;
        };
        named.entry((bus, node)).or_default().add(device, node);
    }
    let unknown = unknown
        .into_iter()
        .map(|(bus, devices)| DeviceFinding::DeviceWithoutNode { root_bus: bus.cloned(), devices });
    let named = named.into_iter().map(|((bus, node), of)| DeviceFinding::DeviceNodeNotUsed {
        node,
        witnesses: of.witnesses,
        root_bus: bus.cloned(),
        devices: of.devices,
    });
    unknown.chain(named).collect()
}

/// Devices whose node witnesses name.
#[derive(Default)]
struct NamedDevices {
    witnesses: Vec<NodeWitness>,
    devices: Vec<String>,
}

impl NamedDevices {
    fn add(&mut self, device: &Device, node: NodeId) {
        let naming = device.node.claims.iter().filter(|claim| claim.claimed.node() == Some(node));
        for witness in naming.map(|naming| naming.witness) {
            if !self.witnesses.contains(&witness) {
                self.witnesses.push(witness);
            }
        }
        self.devices.push(device.label.clone());
    }
}

fn kernel_knows_none(device: &Device) -> bool {
    let claims = &device.node.claims;
    claims
        .iter()
        .any(|claim| claim.witness == NodeWitness::Sysfs && claim.claimed == ClaimedNode::NoNode)
}

/// Devices for which witnesses name different nodes. A measurement decides, and what it
/// contradicts is another finding.
pub(super) fn disagreements(devices: &[Device]) -> Vec<DeviceFinding> {
    let finding = |device: &Device| {
        let label = device.label.clone();
        match device.node.verdict {
            NodeVerdict::Measured => {
                let (node, kernel_node) = (device.node.node?, device.node.sysfs_node()?);
                (node != kernel_node).then_some(DeviceFinding::DeviceNodeMeasured {
                    device: label,
                    node,
                    kernel_node,
                })
            }
            NodeVerdict::Disputed => {
                let claims = device.node.claims.iter();
                let claims =
                    claims.filter(|claim| claim.claimed.node().is_some()).cloned().collect();
                Some(DeviceFinding::DeviceWitnessesDisagree { device: label, claims })
            }
            _ => None,
        }
    };
    devices.iter().filter_map(finding).collect()
}

/// Devices on a node that has no CPUs.
pub(super) fn without_cpus(context: &DeviceContext<'_>, devices: &[&Device]) -> Vec<DeviceFinding> {
    let finding = |(node, devices)| DeviceFinding::DeviceNodeWithoutCpus {
        node,
        nearest: context.nearest_with_cpus(node),
        devices,
    };
    on_nodes(context, devices, |node| node.cpus.is_empty()).into_iter().map(finding).collect()
}

/// Devices on a node that has CPUs and no memory. Silent where the memory of a node is unknown, and
/// on nodes without CPUs, which are another finding.
pub(super) fn without_memory(
    context: &DeviceContext<'_>,
    devices: &[&Device],
) -> Vec<DeviceFinding> {
    let distances = context.topology.and_then(|topology| topology.distances.as_ref());
    let with_memory: NodeSet =
        context.nodes().filter(|node| node.has_memory()).map(|node| node.id).collect();
    let finding = |(node, devices)| DeviceFinding::DeviceNodeWithoutMemory {
        node,
        nearest: nearest_nodes(distances, node, &with_memory),
        devices,
    };
    let is_bare = |node: &Node| !node.may_have_memory() && !node.cpus.is_empty();
    on_nodes(context, devices, is_bare).into_iter().map(finding).collect()
}

/// The devices on each of the wanted nodes that are online.
fn on_nodes(
    context: &DeviceContext<'_>,
    devices: &[&Device],
    is_wanted: impl Fn(&Node) -> bool,
) -> BTreeMap<NodeId, Vec<String>> {
    let wanted: NodeSet =
        context.nodes().filter(|node| is_wanted(node)).map(|node| node.id).collect();
    let mut by_node: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for device in devices {
        if let Some(node) = device.node.node.filter(|node| wanted.contains(*node)) {
            by_node.entry(node).or_default().push(device.label.clone());
        }
    }
    by_node
}

/// Packages with several nodes whose root buses are all on one of them.
///
/// Firmware that names one domain for all root buses of a package may mean the package: with
/// sub-NUMA clustering the nearest node is unknown then. One root bus has no choice. Where copies
/// measured the nearest node, it is known.
pub(super) fn one_of_a_package(
    context: &DeviceContext<'_>,
    devices: &[&Device],
) -> Vec<DeviceFinding> {
    let mut findings = Vec::new();
    // One whose node is unknown may be on any node.
    if devices.iter().any(|device| device.node.node.is_none()) {
        return findings;
    }
    for package in 0..context.packages().len() {
        let package_nodes: NodeSet = context
            .nodes()
            .map(|node| node.id)
            .filter(|&id| context.package_of(id) == Some(package))
            .collect();
        if package_nodes.len() < 2 {
            continue;
        }
        let here: Vec<&&Device> = devices
            .iter()
            .filter(|device| device.node.node.is_some_and(|node| package_nodes.contains(node)))
            .collect();
        if here.iter().any(|device| device.node.verdict == NodeVerdict::Measured) {
            continue;
        }
        let used: NodeSet = here.iter().filter_map(|device| device.node.node).collect();
        let buses: BTreeSet<&String> =
            here.iter().filter_map(|device| device.path.first()).collect();
        let (Some(node), true, true) = (used.iter().next(), used.len() == 1, buses.len() > 1)
        else {
            continue;
        };
        findings.push(DeviceFinding::DevicesOnOneNodeOfPackage {
            node,
            package_nodes,
            root_buses: buses.len(),
            devices: here.iter().map(|device| device.label.clone()).collect(),
        });
    }
    findings
}
