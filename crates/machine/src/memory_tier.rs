//! Memory tiers: nodes of equal performance
//! (Documentation/ABI/testing/sysfs-kernel-mm-memory-tiers).

use nearfar_model::NodeSet;
use serde::Serialize;

use crate::attribute::Attributes;

const FOLDER: &str = "/sys/devices/virtual/memory_tiering";

/// A memory tier: nodes of equal performance.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MemoryTier {
    /// The kernel's number; lower is faster.
    pub id: u32,
    /// Its nodes.
    pub nodes: NodeSet,
}

/// Reads all tiers, fastest first; empty before Linux 6.1.
pub(crate) fn read_all(read: &Attributes<'_>) -> Vec<MemoryTier> {
    let nodes = |tier: u32| read.list(&format!("{FOLDER}/memory_tier{tier}/nodelist"));
    let numbers = read.source.numbered(FOLDER, "memory_tier").into_iter();
    numbers.filter_map(|id| Some(MemoryTier { id, nodes: nodes(id)? })).collect()
}
