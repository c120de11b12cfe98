//! Data that the kernel accepts silently and that is likely wrong.

mod slit;
mod srat;

use std::collections::BTreeSet;

use nearfar_model::{NodeId, NodeSet, ProximityDomain};

use super::evidence::{doubt, entry_bytes, evidence};
use super::srat_cpus;
use super::{FirmwareNuma, PredictionDraft};
use crate::acpi::{Cedt, Crat, CratEntry, Hmat, HmatStructure, Locality, LocalityData, Msct, Srat};
use crate::linux::KernelDoubt;
use crate::linux::prediction::PredictedNode;
use crate::linux::prediction_input::PredictionInput;
use crate::{FaultKind, TableFile};

/// The tables that decide about NUMA.
const TABLES: [&str; 3] = ["SRAT", "SLIT", "HMAT"];
/// Offset of a table's checksum.
const CHECKSUM_AT: usize = 9;

/// Adds all doubts about the tables.
pub(super) fn all(
    input: &PredictionInput<'_>,
    found: Option<&FirmwareNuma>,
    draft: &mut PredictionDraft,
) {
    draft.doubt(input.firmware.tables.iter().filter_map(checksum));
    srat::doubts(input, draft);
    draft.doubt(doubt_of_units(input));
    doubts(input, draft);
    if !input.firmware.has::<Srat>() {
        draft.doubt(super::slit::doubt_alone(input));
        draft.doubt(super::hmat::doubt_alone(input));
    }
    if let Some(found) = found {
        slit::doubts(input, found, draft);
        srat_cpus::remark(input, &found.places, draft);
    }
}

/// Doubts about nodes without CPUs or memory, and about CPUs that are all in one node.
pub(super) fn for_nodes(
    input: &PredictionInput<'_>,
    nodes: &[PredictedNode],
    draft: &mut PredictionDraft,
) {
    let online: Vec<&PredictedNode> = nodes.iter().filter(|node| node.online).collect();
    if online.len() < 2 {
        return;
    }
    let with_cpus: Vec<&&PredictedNode> = online.iter().filter(|node| has_cpus(node)).collect();
    let lacks_cpus =
        |node: &PredictedNode| !has_cpus(node) && !is_expected_without_cpus(input, node);
    if let ([only], true) = (with_cpus.as_slice(), online.iter().any(|node| lacks_cpus(node))) {
        let what =
            format!("every CPU is in node {}, and there are {} nodes", only.id, online.len());
        draft.doubt([doubt("cpus-in-one-node", what, None)]);
    }
    let lacks_memory = |node: &PredictedNode| {
        has_cpus(node) && (node.ram_bytes == Some(0) || node.ranges.is_empty())
    };
    let some = |lacks: &dyn Fn(&PredictedNode) -> bool| -> Vec<&PredictedNode> {
        online.iter().copied().filter(|node| lacks(node)).collect()
    };
    let found = [
        ("memory-only-node", some(&lacks_cpus), "memory and no CPUs"),
        ("cpu-only-node", some(&lacks_memory), "CPUs and no memory"),
    ];
    for (code, nodes, what) in found {
        draft.doubt(named(&nodes).map(|named| doubt(code, format!("{named} {what}"), None)));
    }
}

/// "node 1 (domain 7) has", "nodes 1-3 have".
fn named(nodes: &[&PredictedNode]) -> Option<String> {
    match nodes {
        [] => None,
        [node] => Some(format!("node {}{} has", node.id, of(node.domain))),
        _ => {
            let ids: NodeSet = nodes.iter().map(|node| node.id).collect();
            Some(format!("nodes {ids} have"))
        }
    }
}

/// Whether a node without CPUs is expected: non-volatile, hot-pluggable or CXL memory, memory
/// described by an HMAT, and nodes with only an initiator or a CXL window.
fn is_expected_without_cpus(input: &PredictionInput<'_>, node: &PredictedNode) -> bool {
    let firmware = input.firmware;
    node.ranges.iter().all(|range| range.non_volatile || range.hot_pluggable)
        || firmware.has::<Hmat>()
        || firmware.has::<Cedt>()
}

fn has_cpus(node: &PredictedNode) -> bool {
    node.cpu_entries > 0 || !node.cpus.is_empty()
}

fn of(domain: Option<ProximityDomain>) -> String {
    domain.map(|domain| format!(" (domain {domain})")).unwrap_or_default()
}

fn checksum(file: &TableFile) -> Option<KernelDoubt> {
    let holds = file.state.decoded()?.header().checksum_holds?;
    let is_wrong = !holds && TABLES.contains(&file.name.as_str());
    let what = || format!("the checksum of the {} is wrong, which Linux does not check", file.name);
    is_wrong.then(|| doubt("bad-checksum", what(), [evidence(file, CHECKSUM_AT, 1)]))
}

/// A node's name in a sentence.
fn name(node: NodeId, found: &FirmwareNuma) -> String {
    format!("node {node}{}", of(found.domains.domain(node)))
}

/// Plausible latencies: from local memory to CXL memory behind switches.
const LATENCY_NS: std::ops::RangeInclusive<u32> = 10..=3_000;
/// Plausible bandwidths of a node: from one old channel to HBM.
const BANDWIDTH_MB_PER_S: std::ops::RangeInclusive<u32> = 2_000..=20_000_000;

/// A doubt about the first implausible value.
fn doubt_of_units(input: &PredictionInput<'_>) -> Option<KernelDoubt> {
    let (file, hmat) = input.firmware.first::<Hmat>()?;
    let (entry, locality, (row, column, value)) =
        hmat.content.entries.iter().find_map(|entry| match entry.known()? {
            HmatStructure::Locality(locality) => Some((entry, locality, implausible(locality)?)),
            _ => None,
        })?;
    let revision = hmat.header.revision;
    let unit = if locality.data().is_latency() { "ns" } else { "MB/s" };
    let (from, to) = (locality.initiators[row], locality.targets[column]);
    let (code, meant) = match revision {
        1 => ("hmat-revision-1-units", ": firmware likely used the units of revision 2, or others"),
        _ => ("hmat-implausible", ""),
    };
    let what = format!(
        "in the units of revision {revision}, the HMAT has {value} {unit} from domain {from} to \
         memory of domain {to}, which is implausible{meant}"
    );
    Some(doubt(code, what, [entry_bytes(file, entry)]))
}

/// The first implausible value.
fn implausible(locality: &Locality) -> Option<(usize, usize, u32)> {
    let plausible = match locality.data() {
        LocalityData::Unknown => return None,
        data if data.is_latency() => LATENCY_NS,
        _ => BANDWIDTH_MB_PER_S,
    };
    let cells = (0..locality.initiators.len())
        .flat_map(|row| (0..locality.targets.len()).map(move |column| (row, column)));
    cells
        .filter_map(|(row, column)| Some((row, column, locality.value(row, column)?)))
        .find(|(_, _, value)| !plausible.contains(value))
}

fn doubts(input: &PredictionInput<'_>, draft: &mut PredictionDraft) {
    let srat = input.firmware.first::<Srat>();
    if srat
        .is_some_and(|(_, srat)| srat.faults.iter().any(|fault| fault.kind == FaultKind::CutShort))
    {
        return;
    }
    let entries = srat.iter().flat_map(|(_, srat)| &srat.content.entries);
    let enabled = entries.filter_map(|entry| entry.known()).filter(|affinity| affinity.enabled());
    let domains: BTreeSet<ProximityDomain> = enabled.map(crate::acpi::Affinity::domain).collect();
    msct(input, &domains, draft);
    draft.doubt(crat(input, &domains));
}

/// The MSCT has the maximum number of domains of the board.
fn msct(
    input: &PredictionInput<'_>,
    domains: &BTreeSet<ProximityDomain>,
    draft: &mut PredictionDraft,
) {
    let Some((file, msct)) = input.firmware.first::<Msct>() else { return };
    let Some(highest) = msct.content.max_domain else { return };
    let shown = || [evidence(file, 40, 4)];
    if let Some(beyond) = domains.iter().find(|domain| domain.0 > highest) {
        let what = format!("the SRAT has domain {beyond}, and the MSCT's highest is {highest}");
        draft.doubt([doubt("msct-disagrees", what, shown())]);
    }
    if domains.len() <= 1 && highest > 0 {
        let there = if domains.is_empty() { "has none" } else { "has one" };
        let what = format!(
            "the MSCT allows {} domains on this board, and the SRAT {there}",
            u64::from(highest) + 1
        );
        draft.doubt([doubt("msct-promises-more", what, shown())]);
    }
}

/// AMD's CRAT is for GPUs, and may have domains that the SRAT lacks.
fn crat(input: &PredictionInput<'_>, domains: &BTreeSet<ProximityDomain>) -> Option<KernelDoubt> {
    let (file, crat) = input.firmware.first::<Crat>()?;
    let memory = crat.content.entries.iter().filter_map(|entry| match entry.known()? {
        CratEntry::Memory(memory) if memory.enabled => Some(memory.domain),
        _ => None,
    });
    let known: BTreeSet<ProximityDomain> = memory.collect();
    let what = format!(
        "AMD's CRAT has memory in {} domains, and the SRAT has {}",
        known.len(),
        domains.len()
    );
    (known.len() > domains.len().max(1))
        .then(|| doubt("crat-knows-more", what, [evidence(file, 36, 12)]))
}
