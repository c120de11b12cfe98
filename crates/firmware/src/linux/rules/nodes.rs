//! The resulting nodes: online with RAM, CPUs or an initiator, else only possible.

use std::collections::BTreeMap;

use nearfar_model::{CpuId, CpuSet, NodeId};

use super::MemoryBlock;
use super::ram::UsableRam;
use super::srat_cpus::{self, present};
use super::{FirmwareNuma, UnplacedCpus};
use crate::linux::prediction::{NodeRange, PredictedNode};
use crate::linux::prediction_input::{Architecture, PredictionInput};

/// All nodes in firmware's tables, ascending.
pub(super) fn assemble(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    found: &FirmwareNuma,
) -> Vec<PredictedNode> {
    let memory = memory_of(ram, &found.blocks);
    let mut nodes: Vec<PredictedNode> =
        found.named.iter().map(|&id| node(id, ram, found, &memory)).collect();
    let with_memory: Vec<NodeId> =
        nodes.iter().filter(|node| memory.contains_key(&node.id)).map(|node| node.id).collect();
    place_cpus(input, found, &with_memory, &mut nodes);
    let cpus_known = !input.cpus.is_empty();
    for node in &mut nodes {
        let has_cpus = if cpus_known {
            found.places.placed.iter().any(|(_, at)| *at == node.id)
        } else {
            node.cpu_entries > 0
        };
        let has_memory = memory.contains_key(&node.id);
        node.online =
            found.all_online || has_memory || has_cpus || found.initiators.contains(&node.id);
    }
    nodes
}

/// RAM of each node with RAM; if RAM is unknown, all nodes with ranges.
fn memory_of(ram: &UsableRam, blocks: &[MemoryBlock]) -> BTreeMap<NodeId, Option<u64>> {
    let mut ranges: BTreeMap<NodeId, Vec<(u64, u64)>> = BTreeMap::new();
    for block in blocks {
        ranges.entry(block.node).or_default().push((block.start, block.end));
    }
    let memory = ranges.into_iter().map(|(node, ranges)| (node, covered(ram, ranges)));
    memory.filter(|(_, bytes)| *bytes != Some(0)).collect()
}

/// RAM in one node's ranges, in bytes. Overlaps count once.
fn covered(ram: &UsableRam, mut ranges: Vec<(u64, u64)>) -> Option<u64> {
    ranges.sort_unstable();
    let mut counted = 0;
    let parts = ranges.into_iter().map(|(start, end)| {
        let from = start.max(counted);
        counted = counted.max(end);
        ram.within(from, end.max(from))
    });
    parts.sum()
}

fn node(
    id: NodeId,
    ram: &UsableRam,
    found: &FirmwareNuma,
    memory: &BTreeMap<NodeId, Option<u64>>,
) -> PredictedNode {
    let own = found.claimed.iter().filter(|block| block.node == id);
    let none = ram.ranges.as_ref().map(|_| 0);
    PredictedNode {
        id,
        domain: found.domains.domain(id),
        online: false,
        cpus: CpuSet::new(),
        cpu_entries: found.cpu_entries.iter().filter(|node| **node == id).count(),
        ranges: own.map(range).collect(),
        ram_bytes: memory.get(&id).copied().unwrap_or(none),
    }
}

fn range(block: &MemoryBlock) -> NodeRange {
    let MemoryBlock { start, end, hot_pluggable, non_volatile, .. } = *block;
    NodeRange { first: start, last: end - 1, hot_pluggable, non_volatile }
}

fn place_cpus(
    input: &PredictionInput<'_>,
    found: &FirmwareNuma,
    with_memory: &[NodeId],
    nodes: &mut [PredictedNode],
) {
    let places = &found.places;
    let order: Vec<CpuId> = present(input).map(|cpu| cpu.id).collect();
    let remedy = |cpu: CpuId| match places.remedy {
        UnplacedCpus::NodeZero => Some(NodeId(0)),
        UnplacedCpus::InTurn => {
            // The kernel assigns all CPUs before it reads the table, so the CPU's own number
            // decides.
            let index = order.iter().position(|other| *other == cpu)?;
            with_memory.get(index % with_memory.len().max(1)).copied()
        }
    };
    let left = places.left.iter().filter_map(|&cpu| Some((cpu, remedy(cpu)?)));
    for (cpu, at) in places.placed.iter().copied().chain(left) {
        if let Some(node) = nodes.iter_mut().find(|node| node.id == at) {
            node.cpus.insert(cpu);
        }
    }
}

/// The single node without nodes from firmware.
pub(super) fn single_node(input: &PredictionInput<'_>, ram: &UsableRam) -> PredictedNode {
    let (hot_pluggable, non_volatile) = (false, false);
    let first = match input.architecture {
        Architecture::X86 => Some(0),
        _ => ram.ranges.as_ref().and_then(|ranges| ranges.first()).map(|(start, _)| *start),
    };
    let whole = first.filter(|_| ram.end() > 0);
    // Without the MADT the kernel does not find all CPUs.
    let cpus_known = input.architecture != Architecture::X86 || !input.command_line.acpi_off;
    PredictedNode {
        id: NodeId(0),
        domain: None,
        online: true,
        cpus: srat_cpus::present(input).filter(|_| cpus_known).map(|cpu| cpu.id).collect(),
        cpu_entries: 0,
        ranges: whole
            .map(|first| NodeRange { first, last: ram.end() - 1, hot_pluggable, non_volatile })
            .into_iter()
            .collect(),
        ram_bytes: ram.ranges.as_ref().map(|_| ram.bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_of_a_node_count_once() {
        let ram = UsableRam { ranges: Some(vec![(0, 100), (200, u64::MAX)]) };
        assert_eq!(covered(&ram, vec![(50, 90), (0, 80), (60, 70)]), Some(90));
        assert_eq!(
            covered(&ram, vec![(0, u64::MAX), (100, u64::MAX), (0, u64::MAX)]),
            ram.within(0, u64::MAX)
        );
        assert_eq!(covered(&ram, vec![(100, 200)]), Some(0));
        assert_eq!(covered(&UsableRam { ranges: None }, vec![(0, 1)]), None);
    }
}
