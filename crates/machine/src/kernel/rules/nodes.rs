//! The nodes that come of it: with RAM, CPUs or an initiator in use, else merely possible.

use std::collections::BTreeMap;

use nearfar_model::{CpuId, CpuSet, NodeId};

use super::draft::{Draft, Finding, Remedy};
use super::ranges::Block;
use super::srat_cpus::{self, present};
use crate::kernel::circumstances::{Architecture, Circumstances};
use crate::kernel::prediction::{AddressRange, PredictedNode};

/// RAM as the kernel takes it.
#[derive(Debug)]
pub(super) struct Ram {
    /// Half-open, ascending; none where the map of memory is not known.
    pub(super) ranges: Option<Vec<(u64, u64)>>,
}

impl Ram {
    pub(super) fn of(circumstances: &Circumstances<'_>, draft: &mut Draft) -> Self {
        let x86 = circumstances.architecture == Architecture::X86;
        let line = &circumstances.command_line;
        let Some(map) = circumstances.memory_map else { return Self { ranges: None } };
        let mut ranges = map.ram(x86);
        if let Some(limit) = line.memory_limit_bytes.filter(|_| x86) {
            ranges = ranges.into_iter().map(|(start, end)| (start, end.min(limit))).collect();
            ranges.retain(|(start, end)| start < end);
        }
        if line.map_changed || line.memory_limit_bytes.is_some() && !x86 {
            draft.undecided("memmap= or mem= changes the map of memory: RAM may be other than is taken here");
        }
        Self { ranges: (!ranges.is_empty()).then_some(ranges) }
    }

    /// The end of the last range.
    pub(super) fn end(&self) -> u64 {
        self.ranges.as_ref().and_then(|ranges| ranges.last()).map_or(0, |(_, end)| *end)
    }

    /// All of it.
    pub(super) fn bytes(&self) -> u64 {
        self.ranges.iter().flatten().map(|(start, end)| end - start).sum()
    }

    /// How much of it lies in a range.
    fn within(&self, from: u64, to: u64) -> Option<u64> {
        let ranges = self.ranges.as_ref()?;
        Some(ranges.iter().map(|&(start, end)| end.min(to).saturating_sub(start.max(from))).sum())
    }
}

/// All nodes that firmware names, ascending.
pub(super) fn assemble(circumstances: &Circumstances<'_>, ram: &Ram, found: &Finding) -> Vec<PredictedNode> {
    let memory = memory_of(ram, &found.blocks);
    let mut nodes: Vec<PredictedNode> = found.named.iter().map(|&id| node(id, ram, found, &memory)).collect();
    let with_memory: Vec<NodeId> =
        nodes.iter().filter(|node| memory.contains_key(&node.id)).map(|node| node.id).collect();
    place_cpus(circumstances, found, &with_memory, &mut nodes);
    let cpus_known = !circumstances.cpus.is_empty();
    for node in &mut nodes {
        let has_cpus =
            if cpus_known { found.places.placed.iter().any(|(_, at)| *at == node.id) } else { node.cpu_entries > 0 };
        let has_memory = memory.contains_key(&node.id);
        node.online = found.all_online || has_memory || has_cpus || found.initiators.contains(&node.id);
    }
    nodes
}

/// RAM of each node that has some; of each that has ranges, where RAM is not known.
fn memory_of(ram: &Ram, blocks: &[Block]) -> BTreeMap<NodeId, Option<u64>> {
    let mut memory: BTreeMap<NodeId, Option<u64>> = BTreeMap::new();
    for block in blocks {
        let bytes = ram.within(block.start, block.end);
        if bytes != Some(0) {
            let sum = memory.entry(block.node).or_insert(Some(0));
            *sum = sum.and_then(|sum| Some(sum + bytes?));
        }
    }
    memory
}

fn node(id: NodeId, ram: &Ram, found: &Finding, memory: &BTreeMap<NodeId, Option<u64>>) -> PredictedNode {
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

fn range(block: &Block) -> AddressRange {
    let Block { start, end, hot_pluggable, non_volatile, .. } = *block;
    AddressRange { first: start, last: end - 1, hot_pluggable, non_volatile }
}

fn place_cpus(circumstances: &Circumstances<'_>, found: &Finding, with_memory: &[NodeId], nodes: &mut [PredictedNode]) {
    let places = &found.places;
    let order: Vec<CpuId> = present(circumstances).map(|cpu| cpu.id).collect();
    let remedy = |cpu: CpuId| match places.remedy {
        Remedy::NodeZero => Some(NodeId(0)),
        Remedy::InTurn => {
            // The kernel deals all CPUs out before it looks at the table, so that places go by the CPU's own number.
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

/// The node that the kernel makes of everything when it has none from firmware.
pub(super) fn the_only_one(circumstances: &Circumstances<'_>, ram: &Ram) -> PredictedNode {
    let (hot_pluggable, non_volatile) = (false, false);
    let first = match circumstances.architecture {
        Architecture::X86 => Some(0),
        _ => ram.ranges.as_ref().and_then(|ranges| ranges.first()).map(|(start, _)| *start),
    };
    let whole = first.filter(|_| ram.end() > 0);
    // Without the MADT the kernel does not find all CPUs.
    let cpus_known = circumstances.architecture != Architecture::X86 || !circumstances.command_line.acpi_off;
    PredictedNode {
        id: NodeId(0),
        domain: None,
        online: true,
        cpus: srat_cpus::present(circumstances).filter(|_| cpus_known).map(|cpu| cpu.id).collect(),
        cpu_entries: 0,
        ranges: whole
            .map(|first| AddressRange { first, last: ram.end() - 1, hot_pluggable, non_volatile })
            .into_iter()
            .collect(),
        ram_bytes: ram.ranges.as_ref().map(|_| ram.bytes()),
    }
}
