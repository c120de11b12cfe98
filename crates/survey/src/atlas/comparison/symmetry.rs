//! What should be alike within a machine needs no atlas, and finds most faults: memory that is not
//! populated, nodes that firmware or kernel mix up.

use super::{AtlasCheck, CheckOutcome, Symmetry, SymmetryOf};
use crate::atlas::{MachineFigures, NodeFigure};

/// Local latencies of nodes that are packages: published ones differ by up to 3 %.
const LOCAL: f64 = 0.05;
/// Local latencies of several nodes of a package: up to 7 %.
const LOCAL_IN_PACKAGES: f64 = 0.08;
/// There and back: up to 7 %.
const THERE_AND_BACK: f64 = 0.08;
/// Local bandwidth: up to 2 %, by tools that use all CPUs.
const BANDWIDTH: f64 = 0.15;
/// Latencies that are all alike on several packages: remote memory costs at least 30 % more.
const ALIKE: f64 = 0.05;

/// Its checks, those that apply.
pub(super) fn checks(machine: &MachineFigures) -> Vec<AtlasCheck> {
    if machine.packages > 1 && machine.nodes < machine.packages {
        return vec![AtlasCheck::FewerNodes { nodes: machine.nodes }];
    }
    let local = local(&machine.latency);
    let of_local = if machine.nodes > machine.packages { LOCAL_IN_PACKAGES } else { LOCAL };
    if let Some(spread) = spread_if_alike(machine) {
        return vec![AtlasCheck::AllAlike { spread }];
    }
    let symmetries = [
        farthest(&local).map(|ends| symmetry(SymmetryOf::Local, ends, of_local)),
        there_and_back(&machine.latency)
            .map(|ends| symmetry(SymmetryOf::ThereAndBack, ends, THERE_AND_BACK)),
        farthest(&self::local(&machine.reads))
            .map(|ends| symmetry(SymmetryOf::Bandwidth, ends, BANDWIDTH)),
    ];
    symmetries.into_iter().flatten().map(AtlasCheck::Symmetry).collect()
}

/// The spread of all latencies, where CPUs and memory of several packages are no farther apart than
/// those of one.
fn spread_if_alike(machine: &MachineFigures) -> Option<f64> {
    let remote = machine.latency.iter().any(|cell| cell.cpus != cell.memory);
    let (low, high) = farthest(&machine.latency)?;
    let spread = high.median / low.median - 1.0;
    (machine.packages > 1 && remote && spread <= ALIKE).then_some(spread)
}

fn local(figures: &[NodeFigure]) -> Vec<NodeFigure> {
    figures.iter().filter(|cell| cell.cpus == cell.memory).copied().collect()
}

/// The lowest and the highest of several.
fn farthest(figures: &[NodeFigure]) -> Option<(NodeFigure, NodeFigure)> {
    let order = |a: &&NodeFigure, b: &&NodeFigure| a.median.total_cmp(&b.median);
    let low = figures.iter().min_by(order)?;
    let high = figures.iter().max_by(order)?;
    (figures.len() > 1).then_some((*low, *high))
}

/// Of all pairs that were measured in both directions the one that differs most.
fn there_and_back(figures: &[NodeFigure]) -> Option<(NodeFigure, NodeFigure)> {
    let back = |cell: &NodeFigure| {
        figures.iter().find(|other| (other.cpus, other.memory) == (cell.memory, cell.cpus)).copied()
    };
    let pairs = figures.iter().filter(|cell| cell.cpus < cell.memory);
    let pairs = pairs.filter_map(|cell| farthest(&[*cell, back(cell)?]));
    pairs.max_by(|a, b| (a.1.median / a.0.median).total_cmp(&(b.1.median / b.0.median)))
}

/// Unusual where the intervals are farther apart than the limit.
fn symmetry(of: SymmetryOf, (low, high): (NodeFigure, NodeFigure), limit: f64) -> Symmetry {
    let is_beyond = high.ci95[0] > low.ci95[1] * (1.0 + limit);
    let outcome = if is_beyond { CheckOutcome::Unusual } else { CheckOutcome::Usual };
    Symmetry { of, low, high, limit, outcome }
}
