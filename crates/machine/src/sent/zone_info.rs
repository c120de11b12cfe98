//! `/proc/zoneinfo`: zones of memory by node. It has the nodes with memory, in pages of the kernel.

use std::collections::BTreeMap;

use nearfar_model::{MAX_ID, NodeId};

use crate::source::{MachineFiles, SYSTEM};

/// Pages of x86; others may have larger ones, so sizes are put for these alone.
const PAGE: u64 = 4096;

/// "Node 0, zone      DMA"
pub(super) fn begins(line: &str) -> bool {
    node(line).is_some()
}

fn node(line: &str) -> Option<NodeId> {
    let (number, rest) = line.trim().strip_prefix("Node ")?.split_once(',')?;
    let number = number.parse().ok().filter(|&number| number <= MAX_ID)?;
    rest.trim().starts_with("zone").then_some(NodeId(number))
}

pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let mut managed: BTreeMap<NodeId, u64> = BTreeMap::new();
    let mut here = None;
    let mut has_small_pages = false;
    for line in text.lines().map(str::trim) {
        if let Some(node) = node(line) {
            here = Some(node);
            managed.entry(node).or_default();
            // The zone of 32-bit devices is of x86 and 64-bit Arm, the one of 16 MiB of x86 alone.
            has_small_pages |= line.ends_with(" DMA32");
        }
        let pages = line.strip_prefix("managed").and_then(|rest| rest.trim().parse::<u64>().ok());
        if let (Some(node), Some(pages)) = (here, pages) {
            let sum = managed.entry(node).or_default();
            *sum = sum.saturating_add(pages);
        }
    }
    for (node, pages) in &managed {
        files.nodes.insert(*node);
        if has_small_pages && *pages > 0 {
            let kib = pages.saturating_mul(PAGE) >> 10;
            let line = format!("Node {node} MemTotal: {kib} kB");
            files.put(&format!("{SYSTEM}/node/node{node}/meminfo"), line);
        }
    }
    !managed.is_empty()
}
