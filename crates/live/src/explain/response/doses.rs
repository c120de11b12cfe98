//! Which memory is near and far for a program, and which dose a layout of its pages is.

use std::collections::BTreeMap;

use nearfar_infer::response::LatencyRange;
use nearfar_model::{NodeId, NodeSet};
use nearfar_process::NodeWeights;

use crate::explain::document::NodeShare;
use crate::explain::obstacles::obstacles;
use crate::explain::response::document::{DoseUnit, DosedProcess};
use crate::explain::{AccessCosts, Around, ExplainError, ObservedProcess, Obstacle};

/// Far memory has a latency larger by this share at least: else there is no dose.
const FARTHER: f64 = 0.05;

/// The nodes of all processes, and what their memory costs.
#[derive(Clone, Debug)]
pub struct DoseNodes {
    /// The processes.
    pub all: Vec<DosedProcess>,
    /// The unit of doses.
    pub unit: DoseUnit,
    /// The dose with all memory near.
    pub near: LatencyRange,
    /// The dose with all memory far.
    pub far: LatencyRange,
    /// The dose with memory interleaved over all nodes that may be used.
    pub interleaved: LatencyRange,
    costs: Option<AccessCosts>,
}

/// Near and far nodes: those of the least and the largest mean latency from where threads run, or
/// `to` as far one. Without latencies the node with the most CPU time is near.
///
/// # Errors
///
/// One node, threads whose node is not known, or none that is far from them.
pub fn dose_nodes(
    observed: &[ObservedProcess],
    around: &Around<'_>,
    to: Option<NodeId>,
) -> Result<DoseNodes, ExplainError> {
    let costs = around.costs.filter(|costs| costs.cover(around.nodes));
    let busy: f64 = observed.iter().map(|process| process.busy_cpus).sum();
    let (mut all, mut means) = (Vec::new(), Vec::new());
    for process in observed {
        let usable = process.usable_nodes(around.nodes);
        if usable.len() < 2 {
            return Err(ExplainError::OneUsableNode { pid: process.pid });
        }
        let at = |node| latency(costs, &process.weights, node);
        let mean: BTreeMap<NodeId, LatencyRange> =
            usable.iter().filter_map(|node| Some((node, at(node)?))).collect();
        let by_ns = |one: &(&NodeId, &LatencyRange), other: &(&NodeId, &LatencyRange)| {
            one.1.ns.total_cmp(&other.1.ns)
        };
        let unknown = || ExplainError::NoThreadNode { pid: process.pid };
        let (near, _) = mean.iter().min_by(by_ns).ok_or_else(unknown)?;
        let farthest = mean.iter().max_by(by_ns).map(|(node, _)| *node);
        let far = to.or(farthest).ok_or_else(unknown)?;
        let Some(far_mean) = mean.get(&far) else {
            return Err(ExplainError::NotUsable { pid: process.pid, node: far });
        };
        let near_ns = mean[near].ns;
        if far_mean.ns <= near_ns * (1.0 + FARTHER) {
            return Err(ExplainError::NothingFar { pid: process.pid, near: *near, far });
        }
        let weight =
            if busy > 0.0 { process.busy_cpus / busy } else { 1.0 / observed.len() as f64 };
        means.push((weight, mean[near], *far_mean, interleaved(&mean, &usable)));
        let (pid, name, near) = (process.pid, process.name.clone(), *near);
        let obstacles = kept(process, around, &NodeSet::from_iter([near, far]));
        all.push(DosedProcess { pid, name, near, far, weight, obstacles });
    }
    let mean = |part: fn(&(f64, LatencyRange, LatencyRange, LatencyRange)) -> LatencyRange| {
        LatencyRange::mean(&means.iter().map(|one| (one.0, part(one))).collect::<Vec<_>>())
    };
    Ok(DoseNodes {
        all,
        unit: if costs.is_some() { DoseUnit::Nanoseconds } else { DoseUnit::FarShare },
        near: mean(|one| one.1),
        far: mean(|one| one.2),
        interleaved: mean(|one| one.3),
        costs: costs.cloned(),
    })
}

/// What remains to be known of obstacles: the kernel's balancing is switched off.
fn kept(process: &ObservedProcess, around: &Around<'_>, nodes: &NodeSet) -> Vec<Obstacle> {
    let mut all = obstacles(process, around, Some(nodes));
    all.retain(|one| !one.forbids_trial() && *one != Obstacle::Balancing);
    all
}

fn interleaved(mean: &BTreeMap<NodeId, LatencyRange>, usable: &NodeSet) -> LatencyRange {
    let share = 1.0 / usable.len() as f64;
    LatencyRange::mean(&mean.values().map(|one| (share, *one)).collect::<Vec<_>>())
}

/// The mean latency of a node's memory from where threads run; without latencies the share of
/// threads that are elsewhere.
fn latency(
    costs: Option<&AccessCosts>,
    weights: &NodeWeights,
    memory: NodeId,
) -> Option<LatencyRange> {
    if weights.is_empty() {
        return None;
    }
    let Some(costs) = costs else {
        let here: f64 =
            weights.iter().filter(|(node, _)| *node == memory).map(|(_, weight)| weight).sum();
        let share = 1.0 - here;
        return Some(LatencyRange { ns: share, range: [share, share] });
    };
    let one = |&(cpus, weight): &(NodeId, f64)| {
        let cost = costs.get((cpus, memory))?;
        Some((weight, LatencyRange { ns: cost.ns, range: [cost.low, cost.high] }))
    };
    Some(LatencyRange::mean(&weights.iter().map(one).collect::<Option<Vec<_>>>()?))
}

impl DoseNodes {
    /// The dose: what an access takes on average, if each process uses all its pages alike.
    pub(crate) fn dose(&self, processes: &[(NodeWeights, Vec<NodeShare>)]) -> Option<f64> {
        let mut sums = [0.0, 0.0];
        for (process, (weights, shares)) in self.all.iter().zip(processes) {
            if shares.is_empty() {
                continue;
            }
            let one = |share: &NodeShare| {
                Some(share.share * latency(self.costs.as_ref(), weights, share.node)?.ns)
            };
            let mean: f64 = shares.iter().map(one).collect::<Option<Vec<f64>>>()?.iter().sum();
            // One that did not run at first counts, too.
            let weight = process.weight.max(1e-9);
            sums = [sums[0] + weight * mean, sums[1] + weight];
        }
        (sums[1] > 0.0).then(|| sums[0] / sums[1])
    }
}
