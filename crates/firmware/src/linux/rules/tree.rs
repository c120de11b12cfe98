//! Rules for the device tree. Sources: drivers/of/of_numa.c, drivers/base/arch_numa.c.

use std::collections::BTreeSet;

use nearfar_model::NodeId;

use super::DomainNodes;
use super::acpi::faking_message;
use super::distances::{ClaimedDistances, DistancePairs};
use super::evidence::bare;
use super::ram::UsableRam;
use super::{BlockSource, MemoryBlock};
use super::{CpuPlacement, FirmwareNuma, PredictionDraft, UnplacedCpus};
use super::{ranges, srat_cpus};
use crate::device_tree::{DeviceTree, DistanceMap, TreeMemory};
use crate::linux::memory_map::is_okay;
use crate::linux::prediction::NumaOutcome;
use crate::linux::prediction_input::PredictionInput;
use crate::linux::{CauseEffect, KernelCause};

const MEMORY: &str = "drivers/of/of_numa.c: of_numa_parse_memory_nodes";
const MAP: &str = "drivers/of/of_numa.c: of_numa_parse_distance_map_v1";
const LOCAL: u32 = 10;

pub(super) fn decide(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    draft: &mut PredictionDraft,
) -> Result<FirmwareNuma, NumaOutcome> {
    let part = input.firmware.device_tree.as_ref();
    let Some(tree) = part.and_then(|part| part.state.decoded()) else {
        draft.undecided("there is no readable device tree");
        return Err(NumaOutcome::Unknown);
    };
    let mut refuse = |cause: Box<KernelCause>| {
        draft.cause(*cause);
        NumaOutcome::Refused
    };
    let mut named = nodes_of_cpus(input, tree);
    let claimed = memory(input, tree).map_err(&mut refuse)?;
    named.extend(claimed.iter().map(|block| block.node));
    let distances = distances(input, tree, &mut named).map_err(&mut refuse)?;
    if has_no_nodes(input, &named, &claimed) {
        draft.cause(names_no_node(input, ram));
        return Err(NumaOutcome::Withheld);
    }
    let blocks = ranges::covering(input, ram, None, &claimed, draft)?;
    Ok(FirmwareNuma {
        domains: DomainNodes::default(),
        initiators: BTreeSet::new(),
        cpu_entries: tree.cpus.iter().filter_map(|cpu| cpu.node).collect(),
        places: places(input, tree, &named),
        named,
        claimed,
        blocks,
        all_online: true,
        distances,
    })
}

/// Since Linux 6.12 CPUs are not enough: memory must have a node.
fn has_no_nodes(
    input: &PredictionInput<'_>,
    named: &BTreeSet<NodeId>,
    claimed: &[MemoryBlock],
) -> bool {
    named.is_empty() || claimed.is_empty() && input.kernel >= super::COMMON_RANGES
}

fn names_no_node(input: &PredictionInput<'_>, ram: &UsableRam) -> KernelCause {
    let what = "the device tree has no node: its memory has no numa-node-id";
    let cause =
        bare("tree-names-no-node", CauseEffect::Numa, what, "drivers/of/of_numa.c: of_numa_init")
            .with_versions(
                "before Linux 6.12 the kernel logs 'No NUMA configuration found'; since then it \
                 silently uses one node",
            );
    let old = input.kernel < super::COMMON_RANGES;
    let message = if old {
        Some("NUMA: No NUMA configuration found".to_owned())
    } else {
        faking_message(ram)
    };
    KernelCause { message, ..cause }
}

fn nodes_of_cpus(input: &PredictionInput<'_>, tree: &DeviceTree) -> BTreeSet<NodeId> {
    let nodes =
        tree.cpus.iter().filter(|cpu| is_okay(cpu.status.as_deref())).filter_map(|cpu| cpu.node);
    nodes.filter(|node| node.0 < input.max_nodes).collect()
}

fn memory(
    input: &PredictionInput<'_>,
    tree: &DeviceTree,
) -> Result<Vec<MemoryBlock>, Box<KernelCause>> {
    let mut blocks = Vec::new();
    for memory in tree.memory.iter().filter(|memory| memory.typed) {
        let Some(node) = memory.node else { continue };
        if node.0 >= input.max_nodes || memory.ranges.is_empty() {
            return Err(Box::new(bad_memory(memory, node)));
        }
        let place = BlockSource::DeviceTree(memory.path.clone());
        let (hot_pluggable, non_volatile) = (false, false);
        blocks.extend(memory.ranges.iter().filter_map(|range| {
            let (start, end) =
                (range.base_address, range.base_address.checked_add(range.size_bytes)?);
            (start < end).then(|| MemoryBlock {
                node,
                start,
                end,
                hot_pluggable,
                non_volatile,
                place: place.clone(),
            })
        }));
    }
    // More than any tree has; later rules compare all pairs.
    blocks.truncate(4096);
    Ok(blocks)
}

fn bad_memory(memory: &TreeMemory, node: NodeId) -> KernelCause {
    let what = if memory.ranges.is_empty() {
        format!("{} names node {node} and has no address range", memory.path)
    } else {
        format!("{} names node {node}, above this kernel's maximum", memory.path)
    };
    let shown = BlockSource::DeviceTree(memory.path.clone()).evidence(None);
    bare("tree-property-invalid", CauseEffect::Numa, what, MEMORY)
        .with_message("OF: NUMA: bad property in memory node")
        .with_evidence(shown)
}

/// One invalid distance discards everything, nodes included.
fn distances(
    input: &PredictionInput<'_>,
    tree: &DeviceTree,
    named: &mut BTreeSet<NodeId>,
) -> Result<ClaimedDistances, Box<KernelCause>> {
    let Some(map) = &tree.distance_map else { return Ok(Some(DistancePairs::new())) };
    if map.entries.is_empty() {
        let what = "the device tree's distance map is empty";
        let cause = bare("tree-property-invalid", CauseEffect::Numa, what, MAP)
            .with_message("OF: NUMA: Invalid distance-matrix");
        return Err(Box::new(
            cause.with_evidence(BlockSource::DeviceTree(map.path.clone()).evidence(None)),
        ));
    }
    let highest = named.last().copied();
    let mut pairs = DistancePairs::new();
    for entry in &map.entries {
        let wrong =
            if entry.from == entry.to { entry.distance != LOCAL } else { entry.distance <= LOCAL };
        if wrong {
            return Err(Box::new(wrong_distance(map, entry.from, entry.to, entry.distance)));
        }
        let known = |node: NodeId| {
            highest.is_some_and(|highest| node <= highest) && node.0 < input.max_nodes
        };
        if !known(entry.from) || !known(entry.to) || entry.distance > u8::MAX.into() {
            continue;
        }
        named.insert(entry.from);
        pairs.insert((entry.from, entry.to), entry.distance);
        if entry.to > entry.from {
            pairs.insert((entry.to, entry.from), entry.distance);
        }
    }
    Ok(Some(pairs))
}

fn wrong_distance(map: &DistanceMap, from: NodeId, to: NodeId, distance: u32) -> KernelCause {
    let what = format!(
        "{} has {distance} from node {from} to node {to}; it must be 10 within a node and more \
         between nodes. The kernel drops all nodes for it",
        map.path
    );
    bare("tree-distance-invalid", CauseEffect::Numa, what, MAP)
        .with_message(format!(
            "OF: NUMA: Invalid distance[node{from} -> node{to}] = {}",
            i32::from_ne_bytes(distance.to_ne_bytes())
        ))
        .with_evidence(BlockSource::DeviceTree(map.path.clone()).evidence(None))
}

/// The kernel numbers the tree's CPUs in order, without disabled ones.
fn places(
    input: &PredictionInput<'_>,
    tree: &DeviceTree,
    named: &BTreeSet<NodeId>,
) -> CpuPlacement {
    let okay = tree.cpus.iter().filter(|cpu| is_okay(cpu.status.as_deref()));
    let (mut placed, mut left) = (Vec::new(), Vec::new());
    for (present, cpu) in srat_cpus::present(input).zip(okay) {
        match cpu.node.filter(|node| named.contains(node)) {
            Some(node) => placed.push((present.id, node)),
            None => left.push(present.id),
        }
    }
    CpuPlacement { placed, left, remedy: UnplacedCpus::NodeZero }
}
