//! Suspicious distances that the kernel accepts.

use nearfar_model::NodeId;

use super::super::BlockSource;
use super::super::distances::DistancePairs;
use super::super::evidence::{doubt, evidence};
use super::super::{FirmwareNuma, PredictionDraft};
use super::name;
use crate::acpi::Slit;
use crate::linux::prediction_input::PredictionInput;
use crate::linux::{KernelDoubt, TableEvidence};

const DISTANCES_AT: usize = 44;
const UNREACHABLE: u32 = 255;
const REMOTE: u32 = 20;

pub(super) fn doubts(
    input: &PredictionInput<'_>,
    found: &FirmwareNuma,
    draft: &mut PredictionDraft,
) {
    let Some(pairs) = found.distances.as_ref().filter(|pairs| !pairs.is_empty()) else { return };
    draft.doubt(asymmetric(input, found, pairs));
    draft.doubt(unreachable(input, found, pairs));
    draft.doubt(default(input, pairs));
    draft.doubt(size(input, found));
}

fn asymmetric(
    input: &PredictionInput<'_>,
    found: &FirmwareNuma,
    pairs: &DistancePairs,
) -> Option<KernelDoubt> {
    let differs = |(&(from, to), &there): (&(NodeId, NodeId), &u32)| {
        let back = *pairs.get(&(to, from))?;
        (from < to && back != there).then_some((from, to, there, back))
    };
    let all: Vec<_> = pairs.iter().filter_map(differs).collect();
    let &(from, to, there, back) = all.first()?;
    let (one, other) = (name(from, found), name(to, found));
    let what = format!(
        "{} pairs of distances differ by direction: {one} to {other} {there}, back {back}",
        all.len()
    );
    Some(doubt("slit-asymmetric", what, place(input, found, from, to)))
}

fn unreachable(
    input: &PredictionInput<'_>,
    found: &FirmwareNuma,
    pairs: &DistancePairs,
) -> Option<KernelDoubt> {
    // Memory of accelerators is 255 from itself by design: no CPU accesses it from there.
    let has_cpus = |node: NodeId| found.cpu_entries.contains(&node);
    let has_memory = |node: NodeId| found.claimed.iter().any(|block| block.node == node);
    let is_used = |&(from, to): &(NodeId, NodeId)| {
        has_cpus(from) && has_memory(to) || has_cpus(to) && has_memory(from)
    };
    let mut pairs = pairs.iter().filter(|(_, value)| **value == UNREACHABLE);
    let (&(from, to), _) = pairs.find(|(pair, _)| is_used(pair))?;
    let what = format!(
        "{} is unreachable from {} (255): the kernel treats it as a large distance and avoids \
         that memory",
        name(to, found),
        name(from, found)
    );
    Some(doubt("slit-unreachable", what, place(input, found, from, to)))
}

/// 10 and 20 everywhere are the kernel's own default: firmware that uses them did not measure
/// anything.
fn default(input: &PredictionInput<'_>, pairs: &DistancePairs) -> Option<KernelDoubt> {
    let mut others = pairs.iter().filter(|((from, to), _)| from != to).peekable();
    let is_default = others.peek().is_some() && others.all(|(_, value)| *value == REMOTE);
    let what = "every distance between two nodes is 20, the kernel's default: it carries no \
                information";
    let shown =
        input.firmware.first::<Slit>().map(|(file, _)| evidence(file, DISTANCES_AT, usize::MAX));
    is_default.then(|| doubt("slit-default", what, shown))
}

/// Domains without a row have distance 20 to all others.
fn size(input: &PredictionInput<'_>, found: &FirmwareNuma) -> Option<KernelDoubt> {
    let (file, slit) = input.firmware.first::<Slit>()?;
    let size = slit.content.distances.size();
    let named = found.named.iter().filter_map(|node| found.domains.domain(*node));
    let without: Vec<String> = named
        .filter(|domain| domain.0 as usize >= size)
        .map(|domain| domain.to_string())
        .take(20)
        .collect();
    let what = format!(
        "the SLIT has {size} rows, and the SRAT has domains beyond: {}; the kernel uses 20 for \
         them",
        without.join(", ")
    );
    (!without.is_empty()).then(|| doubt("slit-too-small", what, [evidence(file, 36, 8)]))
}

/// The bytes of the distances between two nodes, in both directions.
fn place(
    input: &PredictionInput<'_>,
    found: &FirmwareNuma,
    from: NodeId,
    to: NodeId,
) -> Vec<TableEvidence> {
    let table = input.firmware.first::<Slit>();
    let domains = found.domains.domain(from).zip(found.domains.domain(to));
    if let Some(((file, slit), (from, to))) = table.zip(domains) {
        let size = slit.content.distances.size();
        let at = |row: u32, column: u32| DISTANCES_AT + row as usize * size + column as usize;
        return vec![evidence(file, at(from.0, to.0), 1), evidence(file, at(to.0, from.0), 1)];
    }
    let tree = input.firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
    let map = tree.and_then(|tree| tree.distance_map.as_ref());
    map.and_then(|map| BlockSource::DeviceTree(map.path.clone()).evidence(None))
        .into_iter()
        .collect()
}
