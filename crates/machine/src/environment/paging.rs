//! Page placement and migration settings, which change memory during a measurement.

use serde::Serialize;

use crate::attribute::Attributes;
use crate::memory_tier::{self, MemoryTier};

const NODES: &str = "/sys/devices/system/node";

/// Settings of `/sys/kernel/mm` and `/proc/sys`.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PagingSettings {
    /// Transparent huge pages: "always", "madvise" or "never".
    pub thp_enabled: Option<String>,
    /// Defragmentation on a fault: "always", "defer", "defer+madvise", "madvise" or "never".
    pub thp_defrag: Option<String>,
    /// Automatic NUMA balancing: 0 off, 1 on, 2 for memory tiers, 3 both.
    pub numa_balancing: Option<u32>,
    /// Whether a full node is reclaimed before other nodes are used (bit mask; 0 is no).
    pub zone_reclaim_mode: Option<u32>,
    /// Whether cold pages are demoted to slower memory before swap.
    pub demotion: Option<bool>,
    /// Whether memory of single nodes can be reclaimed (`nodeN/reclaim`, since Linux 6.17).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub node_reclaim: bool,
    /// Kernel samepage merging (KSM): 0 off, 1 on, 2 being undone.
    pub ksm: Option<u32>,
    /// Memory tiers, fastest first.
    pub tiers: Vec<MemoryTier>,
}

pub(super) fn read(read: &Attributes<'_>) -> PagingSettings {
    let thp =
        |file: &str| chosen(&read.text(&format!("/sys/kernel/mm/transparent_hugepage/{file}"))?);
    PagingSettings {
        thp_enabled: thp("enabled"),
        thp_defrag: thp("defrag"),
        numa_balancing: read.parsed("/proc/sys/kernel/numa_balancing"),
        zone_reclaim_mode: read.parsed("/proc/sys/vm/zone_reclaim_mode"),
        demotion: read
            .text("/sys/kernel/mm/numa/demotion_enabled")
            .map(|text| text == "true" || text == "1"),
        node_reclaim: can_reclaim_nodes(read),
        ksm: read.parsed("/sys/kernel/mm/ksm/run"),
        tiers: memory_tier::read_all(read),
    }
}

/// The file can only be written; the kernel makes it for all nodes or for none.
///
/// # References
///
/// Documentation/ABI/stable/sysfs-devices-node: /sys/devices/system/node/nodeX/reclaim
fn can_reclaim_nodes(read: &Attributes<'_>) -> bool {
    let first = read.source.numbered(NODES, "node").into_iter().next();
    first.is_some_and(|node| read.source.exists(&format!("{NODES}/node{node}/reclaim")))
}

/// The word in brackets of "always [madvise] never".
fn chosen(text: &str) -> Option<String> {
    let word = text.split('[').nth(1)?.split(']').next()?;
    Some(word.to_owned())
}
