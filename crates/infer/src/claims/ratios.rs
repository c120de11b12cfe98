//! Each cell's measured figure compared with its claim: a multiple of the local cost, nanoseconds,
//! or bytes a second.

use serde::{Deserialize, Serialize};

use super::{ClaimKind, DistanceClaim};
use crate::node_costs::NodeCosts;
use crate::student::{NORMAL_95, as_rare_as, one_sided_p};

/// One cell compared with its claim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CellCheck {
    /// The node of the CPUs.
    pub cpu_node: u32,
    /// The node of the memory.
    pub memory_node: u32,
    /// The claim: of a SLIT a multiple of the local distance (3.2), else nanoseconds, or bytes a
    /// second.
    pub claimed: f64,
    /// The measured figure, in the same unit.
    pub measured: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
    /// True where the whole interval is within the tolerance, false where it is significantly
    /// outside; null where it is undetermined.
    pub agrees: Option<bool>,
}

pub(super) fn judge(claim: &DistanceClaim, costs: &NodeCosts) -> Vec<CellCheck> {
    let (mut checks, ps): (Vec<CellCheck>, Vec<f64>) =
        costs.known().filter_map(|cell| judge_cell(claim, costs, cell)).unzip();
    let nodes = costs.cpu_nodes().len().max(costs.memory_nodes().len());
    for (check, outside) in checks.iter_mut().zip(super::refuted(&ps, nodes)) {
        if outside {
            check.agrees = Some(false);
        }
    }
    checks
}

/// The check, and the probability of such a figure at the border of the tolerance.
fn judge_cell(claim: &DistanceClaim, costs: &NodeCosts, cell: usize) -> Option<(CellCheck, f64)> {
    let [cpus, memory] = costs.nodes_of(cell);
    let figure = claim.figure(cpus, memory)?;
    let (claimed, (log, se, freedom)) = match claim.kind {
        ClaimKind::Slit if cpus == memory => return None,
        ClaimKind::Slit => (figure / 10.0, costs.contrast(costs.cell(cpus, cpus)?, cell)?),
        ClaimKind::HmatLatency | ClaimKind::HmatBandwidth => {
            (figure, costs.judged(|logs| logs[cell])?)
        }
    };
    let half = as_rare_as(NORMAL_95, freedom) * se;
    let off = log - claimed.ln();
    let [low, high] = claim.kind.tolerance().map(f64::ln);
    let beyond = (off - high).max(low - off);
    let t = if se > 0.0 { beyond / se } else { beyond.signum() * f64::INFINITY };
    let within = off - half > low && off + half < high;
    let check = CellCheck {
        cpu_node: cpus,
        memory_node: memory,
        claimed,
        measured: log.exp(),
        ci95: [(log - half).exp(), (log + half).exp()],
        agrees: within.then_some(true),
    };
    Some((check, one_sided_p(t, freedom)))
}
