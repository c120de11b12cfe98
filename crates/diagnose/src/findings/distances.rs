//! Doubtful distances that the kernel shows without a message. They replace an unreadable SLIT.

use nearfar_firmware::acpi::Slit;
use nearfar_firmware::linux::{CauseEffect, DistanceOrigin, NumaOutcome, ObservedNuma, Prediction};
use nearfar_machine::Topology;
use nearfar_model::DistanceMatrix;

use super::FindingInput;
use crate::codes::{self, SLIT_DEFAULT};
use crate::document::{DiagnosisFinding, Evidence, FindingDetail, Severity};

const ASYMMETRIC: &str = "slit-asymmetric";
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
        found.push(finding(seen, ASYMMETRIC, distances, &[row, column]));
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

/// Distances by direction that are so on purpose are no fault.
pub(super) fn accept_by_design(seen: FindingInput<'_>, claims: &mut [DiagnosisFinding]) {
    let topology = seen.witnesses.topology.as_ref();
    let both = topology.zip(seen.observed.distances.as_ref());
    if both.is_some_and(|(topology, distances)| only_across_packages(topology, distances)) {
        for claim in claims.iter_mut().filter(|claim| claim.code == ASYMMETRIC) {
            (claim.severity, claim.advice) = (Severity::Note, None);
        }
    }
}

/// Whether distances differ by direction between packages of several nodes alone: firmware of
/// Granite Rapids in SNC-3 counts the way through each package's mesh, on purpose.
///
/// # References
///
/// arch/x86/kernel/smpboot.c: slit_cluster_symmetric (Linux 6.19)
fn only_across_packages(topology: &Topology, distances: &DistanceMatrix) -> bool {
    let packages = topology.packages();
    let package = |index: usize| {
        let node = topology.node(distances.nodes()[index])?;
        packages.iter().position(|package| node.cpus.is_subset(&package.cpus))
    };
    let of: Vec<Option<usize>> = (0..distances.nodes().len()).map(package).collect();
    let has_several = |own: Option<usize>| of.iter().filter(|other| **other == own).count() > 1;
    let rows = distances.rows();
    let all = (0..rows.len()).flat_map(|row| (0..row).map(move |column| (row, column)));
    let mut differ = all.filter(|&(row, column)| rows[row][column] != rows[column][row]);
    differ.all(|(row, column)| {
        of[row].is_some()
            && of[column].is_some()
            && of[row] != of[column]
            && has_several(of[row])
            && has_several(of[column])
    })
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
