//! Whether what firmware claims of distances holds.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_diagnose::{Performance, PerformanceCell};
use nearfar_infer::NodeCosts;
use nearfar_infer::claims::{ClaimCheck, ClaimKind, Contradiction, DistanceClaim, check};
use nearfar_infer::classes::LatencyClass;
use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use crate::Claims;

/// Each claim held against the measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimsMeasured {
    /// One for each table.
    pub checks: Vec<ClaimCheck>,
}

impl ClaimsMeasured {
    /// What is wrong with any of them, strongest first.
    pub fn contradictions(&self) -> Vec<Contradiction<'_>> {
        let mut all: Vec<Contradiction> =
            self.checks.iter().flat_map(ClaimCheck::contradictions).collect();
        all.sort_by(|a, b| b.strength.total_cmp(&a.strength));
        all
    }
}

/// What is claimed of latency, checked.
pub(super) fn latency(
    claims: &Claims,
    costs: &NodeCosts,
    classes: &[LatencyClass],
    seed: u64,
) -> Vec<ClaimCheck> {
    let slit = claims.distances.as_ref().map(|distances| {
        let nodes: Vec<u32> = distances.nodes().iter().map(|node| node.0).collect();
        DistanceClaim::slit(&nodes, distances.rows())
    });
    let hmat = claims
        .hmat
        .as_ref()
        .and_then(|hmat| table(hmat, ClaimKind::HmatLatency, |cell| cell.read_latency_ns));
    slit.into_iter().chain(hmat).map(|claim| check(&claim, costs, classes, seed)).collect()
}

/// What is claimed of bandwidth, checked. (Memories of several distances may well be equally wide:
/// classes have no part in it.)
pub(super) fn bandwidth(claims: &Claims, costs: &NodeCosts, seed: u64) -> Option<ClaimCheck> {
    let hmat = claims.hmat.as_ref()?;
    let claim = table(hmat, ClaimKind::HmatBandwidth, |cell| cell.read_bandwidth_bytes_per_s)?;
    let checked = check(&claim, costs, &[], seed);
    (!checked.cells.is_empty()).then_some(checked)
}

/// What HMAT claims of reading, as a matrix; none where it claims nothing of the kind.
fn table(
    hmat: &Performance,
    kind: ClaimKind,
    figure: fn(&PerformanceCell) -> Option<u64>,
) -> Option<DistanceClaim> {
    let claimed = |cell| Some((cell, figure(cell)? as f64));
    let claimed_cells: Vec<(&PerformanceCell, f64)> =
        hmat.cells.iter().filter_map(claimed).collect();
    let distinct = |of: fn(&PerformanceCell) -> NodeId| -> Vec<u32> {
        claimed_cells
            .iter()
            .map(|(cell, _)| of(cell).0)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    let (cpu_nodes, memory_nodes) = (distinct(|cell| cell.initiator), distinct(|cell| cell.target));
    let by_nodes: BTreeMap<(u32, u32), f64> = claimed_cells
        .iter()
        .map(|(cell, figure)| ((cell.initiator.0, cell.target.0), *figure))
        .collect();
    let row = |&cpus: &u32| {
        memory_nodes
            .iter()
            .map(|&memory| by_nodes.get(&(cpus, memory)).copied().unwrap_or(0.0))
            .collect::<Vec<f64>>()
    };
    let figures = cpu_nodes.iter().map(row).collect();
    (!claimed_cells.is_empty()).then_some(DistanceClaim { kind, cpu_nodes, memory_nodes, figures })
}
