//! What a part knows of the machine, for comparison with other parts.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};

use crate::inventory::{Inventory, InventoryScope};
use crate::pci::KernelNode;
use crate::source::Source;
use crate::topology::{CacheKind, Topology};

/// Facts of a part; `None` for what it does not have.
#[derive(Default)]
pub(super) struct PartFacts {
    pub(super) topology: Option<Topology>,
    /// The nodes with their CPUs.
    pub(super) nodes: BTreeMap<NodeId, CpuSet>,
    pub(super) release: Option<String>,
    pub(super) memory: Option<Bytes>,
    /// The node of each PCI device.
    pub(super) devices: BTreeMap<String, NodeId>,
    /// The addresses of all PCI functions.
    pub(super) functions: BTreeSet<String>,
    lines: usize,
}

/// What a part is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentFacts {
    /// The CPU's model.
    pub model: Option<String>,
    /// CPUs that are online.
    pub cpus: Option<usize>,
    /// Nodes.
    pub nodes: Option<usize>,
    /// The kernel's release.
    pub release: Option<String>,
    /// PCI devices.
    pub devices: usize,
    /// Lines of a log.
    pub lines: usize,
}

impl PartFacts {
    pub(super) fn read(source: &Source) -> Self {
        let topology = Topology::read(source).ok();
        let log = source.parsed_log();
        let nodes = topology.iter().flat_map(|topology| &topology.nodes);
        let nodes = nodes.filter(|node| node.online).map(|node| (node.id, node.cpus.clone()));
        let mut nodes: BTreeMap<NodeId, CpuSet> = nodes.collect();
        // Lists of GPUs name nodes alone.
        let listed = source.text("/sys/devices/system/node/online").unwrap_or_default();
        for node in NodeSet::parse_list(&listed).unwrap_or_default().iter() {
            nodes.entry(node).or_default();
        }
        let release = source.kernel_release();
        let functions = source.list("/sys/bus/pci/devices").into_iter().collect();
        Self {
            nodes,
            release: release.or_else(|| log?.release().map(str::to_owned)),
            lines: log.map_or(0, |log| log.lines),
            memory: topology.as_ref().and_then(|topology| topology.memory_total),
            devices: devices(source),
            functions,
            topology,
        }
    }

    /// The same for people.
    pub(super) fn summary(&self) -> SentFacts {
        let topology = self.topology.as_ref();
        SentFacts {
            model: topology.and_then(|topology| topology.identity.model.clone()),
            cpus: topology.map(|topology| topology.online().len()),
            nodes: Some(self.nodes.len()).filter(|&nodes| nodes > 0),
            release: self.release.clone(),
            devices: self.devices.len(),
            lines: self.lines,
        }
    }

    pub(super) fn cpus(&self) -> Option<CpuSet> {
        self.topology.as_ref().map(Topology::online)
    }

    pub(super) fn node_set(&self) -> NodeSet {
        self.nodes.keys().copied().collect()
    }

    /// The nodes of its PCI devices.
    pub(super) fn device_nodes(&self) -> NodeSet {
        self.devices.values().copied().collect()
    }

    /// The largest size of the caches of each level.
    pub(super) fn caches(&self) -> BTreeMap<(u32, CacheKind), Bytes> {
        let mut caches = BTreeMap::new();
        for cache in self.topology.iter().flat_map(|topology| &topology.caches) {
            let Some(size) = cache.size else { continue };
            let largest = caches.entry((cache.level, cache.kind)).or_insert(size);
            *largest = size.max(*largest);
        }
        caches
    }
}

fn devices(source: &Source) -> BTreeMap<String, NodeId> {
    if !source.exists("/sys/bus/pci/devices") {
        return BTreeMap::new();
    }
    let inventory = Inventory::read(source, InventoryScope::Usual);
    let known = inventory.devices.into_iter().filter_map(|device| match device.node {
        KernelNode::Node(node) => Some((device.address?.to_string(), node)),
        _ => None,
    });
    known.collect()
}
