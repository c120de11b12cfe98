//! Kendall's tau between claimed and measured distances of all remote cells, with permuted node
//! labels.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::DistanceClaim;
use crate::node_costs::NodeCosts;

const PERMUTATIONS: usize = 1_999;
/// Limit of work, in compared pairs of cells times permutations.
const MAX_WORK: usize = 200_000_000;
const MIN_PERMUTATIONS: usize = 99;
/// With more cells, a random sample of their pairs is compared.
const MAX_CELLS: usize = 300;

/// Kendall's tau-b of claimed and measured distances.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RankCorrelation {
    /// 1 where all pairs have the claimed order, 0 where as many are inverted.
    pub tau: f64,
    /// The share of label permutations with such agreement; null with too few nodes.
    pub p: Option<f64>,
}

/// The rank correlation; `None` where all claims, or all costs, are equal.
pub fn rank(claim: &DistanceClaim, costs: &NodeCosts, seed: u64) -> Option<RankCorrelation> {
    let rng = &mut Rng::with_seed(seed);
    let sign = if claim.more_is_nearer() { -1.0 } else { 1.0 };
    let cells = sampled(claim, costs, sign, rng);
    let (claimed, measured): (Vec<f64>, Vec<f64>) =
        cells.iter().map(|&(cell, figure)| (figure, sign * costs.logs()[cell])).unzip();
    let tau = tau(&claimed, &measured)?;
    Some(RankCorrelation { tau, p: p(costs, &cells, sign, tau, rng) })
}

/// Cells between different nodes: (cell, figure). Both figures and costs have the sign that makes
/// larger ones farther.
fn sampled(
    claim: &DistanceClaim,
    costs: &NodeCosts,
    sign: f64,
    rng: &mut Rng,
) -> Vec<(usize, f64)> {
    let figure = |cell: usize| {
        let [cpus, memory] = costs.nodes_of(cell);
        claim.figure(cpus, memory).filter(|_| cpus != memory).map(|figure| (cell, sign * figure))
    };
    let mut cells: Vec<(usize, f64)> = costs.known().filter_map(figure).collect();
    if cells.len() > MAX_CELLS {
        rng.shuffle(&mut cells);
        cells.truncate(MAX_CELLS);
    }
    cells
}

fn p(
    costs: &NodeCosts,
    cells: &[(usize, f64)],
    sign: f64,
    tau_found: f64,
    rng: &mut Rng,
) -> Option<f64> {
    let mut full: Vec<u32> = costs
        .cpu_nodes()
        .iter()
        .copied()
        .filter(|node| costs.memory_nodes().contains(node))
        .collect();
    let original = full.clone();
    if full.len() < 3 {
        return None;
    }
    let most =
        PERMUTATIONS.min((MAX_WORK / (cells.len() * cells.len()).max(1)).max(MIN_PERMUTATIONS));
    let mut reached = 0;
    for _ in 0..most {
        rng.shuffle(&mut full);
        let renamed =
            |node: u32| original.iter().position(|&own| own == node).map_or(node, |at| full[at]);
        let pairs = cells.iter().filter_map(|&(cell, figure)| {
            let [cpus, memory] = costs.nodes_of(cell);
            Some((figure, sign * costs.logs()[costs.cell(renamed(cpus), renamed(memory))?]))
        });
        let (figures, logs): (Vec<f64>, Vec<f64>) = pairs.unzip();
        reached += usize::from(tau(&figures, &logs).is_some_and(|tau| tau >= tau_found - 1e-12));
    }
    Some((reached + 1) as f64 / (most + 1) as f64)
}

fn tau(claimed: &[f64], measured: &[f64]) -> Option<f64> {
    let (mut agree, mut of_claimed, mut of_measured) = (0.0, 0.0, 0.0);
    for a in 0..claimed.len() {
        for b in a + 1..claimed.len() {
            let [one, other] = [sign(claimed[b] - claimed[a]), sign(measured[b] - measured[a])];
            agree += one * other;
            of_claimed += one.abs();
            of_measured += other.abs();
        }
    }
    (of_claimed > 0.0 && of_measured > 0.0).then(|| agree / f64::sqrt(of_claimed * of_measured))
}

fn sign(difference: f64) -> f64 {
    if difference == 0.0 { 0.0 } else { difference.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tau_measures_order() {
        assert_eq!(tau(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), Some(1.0));
        assert_eq!(tau(&[1.0, 2.0, 3.0], &[30.0, 20.0, 10.0]), Some(-1.0));
        assert_eq!(tau(&[1.0, 1.0], &[30.0, 20.0]), None);
        // Ties in the claim reduce their weight by half.
        assert!(
            (tau(&[1.0, 1.0, 2.0], &[10.0, 11.0, 20.0]).unwrap() - 2.0 / 6f64.sqrt()).abs() < 1e-12
        );
    }
}
