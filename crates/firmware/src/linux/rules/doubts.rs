//! Data that the kernel accepts silently and that is likely wrong.

mod hmat;
mod others;
mod slit;
mod srat;

use nearfar_model::{NodeId, ProximityDomain};

use super::draft::{FirmwareNuma, PredictionDraft};
use super::evidence::{doubt, evidence};
use super::srat_cpus;
use crate::TableFile;
use crate::acpi::{Cedt, Hmat};
use crate::linux::cause::KernelDoubt;
use crate::linux::prediction::PredictedNode;
use crate::linux::prediction_input::PredictionInput;

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
    draft.doubt(hmat::doubt_of_units(input));
    others::doubts(input, draft);
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
    for node in online {
        if lacks_cpus(node) {
            draft.doubt([doubt(
                "memory-only-node",
                format!("node {}{} has no CPU", node.id, of(node.domain)),
                None,
            )]);
        }
        if has_cpus(node) && (node.ram_bytes == Some(0) || node.ranges.is_empty()) {
            draft.doubt([doubt(
                "cpu-only-node",
                format!("node {}{} has no memory", node.id, of(node.domain)),
                None,
            )]);
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
    let what = || {
        format!(
            "the checksum of the {} is wrong; Linux does not check it and uses the table",
            file.name
        )
    };
    is_wrong.then(|| doubt("bad-checksum", what(), [evidence(file, CHECKSUM_AT, 1)]))
}

/// A node's name in a sentence.
fn name(node: NodeId, found: &FirmwareNuma) -> String {
    format!("node {node}{}", of(found.domains.domain(node)))
}
