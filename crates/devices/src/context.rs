//! What is known about the machine besides its devices.

use std::collections::BTreeMap;

use nearfar_firmware::Firmware;
use nearfar_firmware::linux::{KernelLog, LogEventKind};
use nearfar_machine::{Node, Package, PciAddress, Topology};
use nearfar_model::{CpuSet, NodeId, NodeSet, ProximityDomain, nearest_nodes};

/// The nearest nodes of a device, as its copies showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredNode {
    /// The device.
    pub address: PciAddress,
    /// The nodes, several if they are equally near; never empty.
    pub nodes: Vec<NodeId>,
    /// The document with the measurement, and when it was.
    pub source: String,
}

impl MeasuredNode {
    /// The node that counts: the kernel's, if it is among the nearest.
    pub fn node(&self, kernel: Option<NodeId>) -> Option<NodeId> {
        kernel.filter(|node| self.nodes.contains(node)).or_else(|| self.nodes.first().copied())
    }
}

/// The machine that the devices are in.
#[derive(Clone, Copy, Debug)]
pub struct DeviceContext<'a> {
    /// CPUs and nodes; `None` where sysfs shows no CPU.
    pub topology: Option<&'a Topology>,
    /// Firmware's tables, as far as they are readable.
    pub firmware: &'a Firmware,
    /// The kernel's log.
    pub log: &'a KernelLog,
    /// The nodes of firmware's domains.
    pub domains: &'a BTreeMap<ProximityDomain, NodeId>,
    /// Whether this is a guest: a hypervisor makes up its links.
    pub is_guest: bool,
    /// Devices whose nearest node was measured.
    pub measured: &'a [MeasuredNode],
}

impl<'a> DeviceContext<'a> {
    /// The nodes of firmware's domains as the kernel's log has them, else as predicted.
    pub fn domain_nodes(
        log: &KernelLog,
        predicted: impl IntoIterator<Item = (ProximityDomain, NodeId)>,
    ) -> BTreeMap<ProximityDomain, NodeId> {
        let mut domains: BTreeMap<ProximityDomain, NodeId> = predicted.into_iter().collect();
        domains.extend(log.events.iter().filter_map(|event| match event.kind {
            LogEventKind::MemoryAffinity { node, domain, .. }
            | LogEventKind::CpuAffinity { node, domain, .. } => Some((domain, node)),
            _ => None,
        }));
        domains
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = &'a Node> + use<'a> {
        let nodes = self.topology.map_or(&[][..], |topology| &topology.nodes);
        nodes.iter().filter(|node| node.online)
    }

    /// The only online node of a machine that has one.
    pub(crate) fn only_node(&self) -> Option<NodeId> {
        let mut nodes = self.nodes();
        let first = nodes.next()?.id;
        nodes.next().is_none().then_some(first)
    }

    pub(crate) fn cpus(&self, node: NodeId) -> CpuSet {
        self.nodes().find(|one| one.id == node).map(|node| node.cpus.clone()).unwrap_or_default()
    }

    /// The nodes with CPUs that are nearest to a node, by firmware's distances; without distances
    /// the only one.
    pub(crate) fn nearest_with_cpus(&self, node: NodeId) -> NodeSet {
        let distances = self.topology.and_then(|topology| topology.distances.as_ref());
        let with_cpus = self.nodes().filter(|node| !node.cpus.is_empty());
        nearest_nodes(distances, node, &with_cpus.map(|node| node.id).collect())
    }

    /// The packages, in the order of their first CPU.
    pub(crate) fn packages(&self) -> &'a [Package] {
        self.topology.map_or(&[], Topology::packages)
    }

    /// The index of the package that has all CPUs of a node.
    pub(crate) fn package_of(&self, node: NodeId) -> Option<usize> {
        let cpus = self.cpus(node);
        if cpus.is_empty() {
            return None;
        }
        self.packages().iter().position(|package| cpus.is_subset(&package.cpus))
    }
}
