//! Doubtful distances that the kernel shows without a message. They replace an unreadable SLIT.

use nearfar_firmware::acpi::Slit;
use nearfar_firmware::linux::{CauseEffect, DistanceOrigin, NumaOutcome, ObservedNuma, Prediction};
use nearfar_model::DistanceMatrix;

use super::FindingInput;
use crate::codes::{self, SLIT_DEFAULT};
use crate::document::{DiagnosisFinding, Evidence, FindingDetail, Severity};

/// The distance of an unreachable node.
const UNREACHABLE: u32 = 255;
/// The distance of a node's own memory.
const LOCAL: u32 = 10;

/// Asymmetric distances, unreachable nodes, and default distances.
pub(super) fn all(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    let Some(distances) = seen.observed.distances.as_ref() else {
        return predicted(seen).into_iter().collect();
    };
    // Distances of emulated nodes are emulated, too.
    if distances.nodes().len() < 2 || seen.observed.outcome == NumaOutcome::Emulated {
        return Vec::new();
    }
    let mut found = Vec::new();
    if let Some((row, column)) = pair(distances, |there, back| there != back) {
        found.push(finding(seen, "slit-asymmetric", distances, &[row, column]));
    }
    if let Some((row, column)) = unreachable(seen.observed, distances) {
        found.push(finding(seen, "slit-unreachable", distances, &[row, column]));
    }
    if let Some((row, column)) = pair(distances, |there, back| there <= LOCAL && back <= LOCAL) {
        found.push(finding(seen, "distance-of-local", distances, &[row, column]));
    }
    if seen.observed.distances_are_default == Some(true) {
        let default = finding(seen, SLIT_DEFAULT, distances, &[0]);
        found.push(match slit_is_known(seen) {
            true => default,
            false => DiagnosisFinding { severity: Severity::Note, ..default }
                .with_detail(FindingDetail::DistancesMayBeDefault),
        });
    }
    found
}

/// Whether the SLIT, or its absence, was seen. Equal distances may be firmware's own: a machine
/// whose packages are all connected has them.
fn slit_is_known(seen: FindingInput<'_>) -> bool {
    let firmware = &seen.witnesses.firmware;
    let is_listed = firmware.tables.iter().any(|file| file.name == "SLIT");
    let has_tables = !firmware.tables.is_empty() || firmware.device_tree.is_some();
    has_tables && (!is_listed || firmware.first::<Slit>().is_some())
}

/// For tables alone: none of them has distances.
fn predicted(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    if !lacks_distances(seen.prediction) {
        return None;
    }
    let evidence =
        Evidence::new("firmware", "SLIT, or a map of distances in the device tree", "none");
    let finding = DiagnosisFinding::new(SLIT_DEFAULT, codes::severity(SLIT_DEFAULT));
    Some(DiagnosisFinding {
        advice: codes::advice(SLIT_DEFAULT, seen.facts),
        ..finding.shown_by(evidence)
    })
}

/// The first two nodes with distance 255, where one has CPUs and the other memory. Between nodes
/// without CPUs it is by design: memory of NVIDIA's GPUs is eight nodes each, for MIG.
fn unreachable(observed: &ObservedNuma, distances: &DistanceMatrix) -> Option<(usize, usize)> {
    let node = |index: usize| {
        let id = distances.nodes()[index];
        observed.nodes.iter().find(|node| node.id == id)
    };
    let has_cpus = |index| node(index).is_none_or(|node| !node.cpus.is_empty());
    let has_memory = |index| node(index).is_none_or(|node| node.memory_bytes != Some(0));
    let rows = distances.rows();
    let pairs = (0..rows.len()).flat_map(|row| (0..rows.len()).map(move |column| (row, column)));
    let mut far = pairs.filter(|&(row, column)| row != column && rows[row][column] >= UNREACHABLE);
    far.find(|&(row, column)| {
        has_cpus(row) && has_memory(column) || has_cpus(column) && has_memory(row)
    })
}

/// The first two nodes whose distances, in both directions, fulfil a condition.
fn pair(distances: &DistanceMatrix, wanted: impl Fn(u32, u32) -> bool) -> Option<(usize, usize)> {
    let rows = distances.rows();
    let pairs = (0..rows.len()).flat_map(|row| (0..rows.len()).map(move |column| (row, column)));
    pairs
        .filter(|(row, column)| row != column)
        .find(|&(row, column)| wanted(rows[row][column], rows[column][row]))
}

fn finding(
    seen: FindingInput<'_>,
    code: &str,
    distances: &DistanceMatrix,
    rows: &[usize],
) -> DiagnosisFinding {
    let evidence = rows.iter().map(|&row| {
        let values: Vec<String> = distances.rows()[row].iter().map(u32::to_string).collect();
        Evidence::new(
            "sysfs",
            format!("node {}, distance", distances.nodes()[row]),
            values.join(" "),
        )
    });
    let finding = DiagnosisFinding::new(code, codes::severity(code));
    DiagnosisFinding {
        evidence: evidence.collect(),
        advice: codes::advice(code, seen.facts),
        ..finding
    }
}

/// Whether the kernel has to use its defaults, 10 and 20.
pub(crate) fn lacks_distances(prediction: &Prediction) -> bool {
    prediction.outcome == NumaOutcome::Visible
        && prediction.distance_origin == DistanceOrigin::Default
        && prediction.causes.iter().all(|cause| cause.effect != CauseEffect::Distances)
}
