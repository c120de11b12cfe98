//! AMD's compute driver: the NUMA node to which it links a GPU.
//!
//! The driver copies `numa_node` when it is loaded (`kfd_fill_gpu_direct_io_link_to_cpu` in
//! drivers/gpu/drm/amd/amdkfd/kfd_crat.c), and its users go by that. Its agreement is no second
//! opinion. It links a GPU without node to node 0, so it is silent about those.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_machine::inventory::KfdNode;
use nearfar_machine::{Inventory, PciAddress};
use nearfar_model::NodeId;

use super::ClaimSubject;
use crate::context::DeviceContext;
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The nodes of the driver's GPUs, and the folders that have them.
#[derive(Default)]
pub(super) struct KfdLinks(BTreeMap<PciAddress, (NodeId, String)>);

impl KfdLinks {
    /// Empty where the driver's numbers may mean something else: it counts nodes, and leaves some
    /// out (one for all CPUs, none for memory alone).
    pub(super) fn new(context: &DeviceContext<'_>, inventory: &Inventory) -> Self {
        let drivers: Vec<(u32, u32)> =
            inventory.kfd.iter().filter_map(|node| Some((node.id, node.cpus?))).collect();
        let kernels: Vec<(u32, u32)> = context
            .nodes()
            .filter_map(|node| Some((node.id.0, u32::try_from(node.cpus.len()).ok()?)))
            .collect();
        if drivers != kernels {
            return Self::default();
        }
        let ids: BTreeSet<u32> = drivers.iter().map(|(id, _)| *id).collect();
        let gpu = |node: &KfdNode| {
            let linked: BTreeSet<u32> =
                node.links.iter().map(|link| link.to).filter(|to| ids.contains(to)).collect();
            let to = *linked.first().filter(|_| linked.len() == 1)?;
            Some((node.address?, (NodeId(to), node.folder())))
        };
        Self(inventory.kfd.iter().filter_map(gpu).collect())
    }

    /// The claim for a GPU whose node the kernel knows.
    pub(super) fn claim(&self, of: ClaimSubject<'_>) -> Option<NodeClaim> {
        of.listed.node.node()?;
        let (node, folder) = self.0.get(&of.listed.address?)?;
        Some(NodeClaim {
            witness: NodeWitness::Amdkfd,
            claimed: ClaimedNode::Node { node: *node },
            source: Some(format!("io_links of {folder}")),
        })
    }
}
