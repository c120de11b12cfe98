//! Figures that know their cells: what a sentence about memory may print.
//!
//! A figure has no constructor without costs, and names the cells that it was computed from. So a
//! sentence made of figures prints no number of other cells, and each of its numbers can be
//! computed again from another matrix, as the lab does with the costs that it modelled.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::node_costs::NodeCosts;
use crate::student::{NORMAL_95, as_rare_as};

/// Smaller differences are not reported, even if they are certain (2 %).
pub const WORTH_REPORTING: f64 = 1.02;
/// Costs within this ratio of the least are as good as the least (1 %): a smaller difference
/// decides nothing.
pub(crate) const AS_GOOD: f64 = 1.01;

/// How the costs of several cells become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CostStatistic {
    /// The mean over the CPUs of the cells; of one cell, its cost.
    Mean,
    /// The mean of each CPU node's cells, of the CPU node where it is largest.
    LargestMean,
}

/// A cost of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CostFigure {
    statistic: CostStatistic,
    /// Node of the CPUs, node of the memory.
    cells: Vec<[u32; 2]>,
    ns: f64,
}

impl CostFigure {
    /// Of one cell; `None` where its cost is unknown.
    pub fn for_cell(costs: &NodeCosts, cpus: u32, memory: u32) -> Option<Self> {
        Self::new(costs, CostStatistic::Mean, vec![[cpus, memory]])
    }

    /// Of these cells; `None` where the cost of one is unknown.
    pub fn new(costs: &NodeCosts, statistic: CostStatistic, cells: Vec<[u32; 2]>) -> Option<Self> {
        let ns = CellSet::new(costs, statistic, &cells)?.cost(costs.logs());
        Some(Self { statistic, cells, ns })
    }

    /// The same figure of other costs, such as those that a lab modelled.
    pub fn computed_from(&self, costs: &NodeCosts) -> Option<Self> {
        Self::new(costs, self.statistic, self.cells.clone())
    }

    /// In nanoseconds.
    pub fn ns(&self) -> f64 {
        self.ns
    }

    /// The statistic of the cells.
    pub fn statistic(&self) -> CostStatistic {
        self.statistic
    }

    /// Node of the CPUs, node of the memory.
    pub fn cells(&self) -> &[[u32; 2]] {
        &self.cells
    }

    /// The memory of the first cell: of a figure of one cell, its memory.
    pub fn memory(&self) -> Option<u32> {
        self.cells.first().map(|cell| cell[1])
    }
}

/// Two costs of one measurement, the cheaper placement first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CostComparison {
    near: CostFigure,
    far: CostFigure,
    ratio: f64,
    /// The 95 % interval of the ratio.
    ci95: [f64; 2],
}

impl CostComparison {
    /// Far beside near; `None` where a cost is unknown or has no interval.
    pub fn new(costs: &NodeCosts, near: CostFigure, far: CostFigure) -> Option<Self> {
        let of = |figure: &CostFigure| CellSet::new(costs, figure.statistic, &figure.cells);
        let (near_set, far_set) = (of(&near)?, of(&far)?);
        let (log, se, freedom) =
            costs.judged(|logs| far_set.cost(logs).ln() - near_set.cost(logs).ln())?;
        let half = as_rare_as(NORMAL_95, freedom) * se;
        let ci95 = [(log - half).exp(), (log + half).exp()];
        Some(Self { near, far, ratio: log.exp(), ci95 })
    }

    /// The cheaper placement.
    pub fn near(&self) -> &CostFigure {
        &self.near
    }

    /// The one beside it.
    pub fn far(&self) -> &CostFigure {
        &self.far
    }

    /// Far to near.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// The 95 % interval of the ratio.
    pub fn ci95(&self) -> [f64; 2] {
        self.ci95
    }

    /// Whether near is cheaper beyond noise, by a difference that is worth a sentence.
    pub fn wins(&self) -> bool {
        self.ci95[0] > 1.0 && self.ratio >= WORTH_REPORTING
    }
}

struct CellSet {
    statistic: CostStatistic,
    by_cpus: Vec<CellsOfNode>,
}

/// Those of one node's CPUs, and how many CPUs they are.
#[derive(Default)]
struct CellsOfNode {
    weight: f64,
    cells: Vec<usize>,
}

impl CellsOfNode {
    fn sum(&self, logs: &[f64]) -> f64 {
        self.cells.iter().map(|&cell| logs[cell].exp()).sum()
    }
}

impl CellSet {
    fn new(costs: &NodeCosts, statistic: CostStatistic, cells: &[[u32; 2]]) -> Option<Self> {
        let mut by_cpus: BTreeMap<u32, CellsOfNode> = BTreeMap::new();
        for &[cpus, memory] in cells {
            let node_cells = by_cpus.entry(cpus).or_default();
            node_cells.weight = costs.weight(cpus);
            node_cells.cells.push(costs.cell(cpus, memory)?);
        }
        (!cells.is_empty()).then(|| Self { statistic, by_cpus: by_cpus.into_values().collect() })
    }

    /// Their cost by these logarithms; `NaN` where a draw has no sample of a cell.
    fn cost(&self, logs: &[f64]) -> f64 {
        let count = |node: &CellsOfNode| node.cells.len() as f64;
        match self.statistic {
            CostStatistic::Mean => {
                let sums = self.by_cpus.iter().map(|node| node.weight * node.sum(logs));
                let counts = self.by_cpus.iter().map(|node| node.weight * count(node));
                sums.sum::<f64>() / counts.sum::<f64>()
            }
            CostStatistic::LargestMean => {
                let means = self.by_cpus.iter().map(|node| node.sum(logs) / count(node));
                means.fold(f64::NEG_INFINITY, |largest, mean| {
                    if mean.is_nan() || largest.is_nan() { f64::NAN } else { largest.max(mean) }
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_nodes() -> NodeCosts {
        NodeCosts::from_matrix(&[0, 1], &[0, 1], &[vec![180.0, 150.0], vec![170.0, 100.0]], 1e-3, 1)
    }

    #[test]
    fn figures_follow_from_their_cells() {
        let costs = two_nodes();
        let cell = CostFigure::for_cell(&costs, 1, 0).unwrap();
        assert!((cell.ns() - 170.0).abs() < 1e-9);
        let all = vec![[0, 0], [0, 1], [1, 0], [1, 1]];
        let mean = CostFigure::new(&costs, CostStatistic::Mean, all.clone()).unwrap();
        let largest = CostFigure::new(&costs, CostStatistic::LargestMean, all).unwrap();
        assert!((mean.ns() - 150.0).abs() < 1e-9 && (largest.ns() - 165.0).abs() < 1e-9);
        assert_eq!(CostFigure::for_cell(&costs, 1, 2), None, "there is no such cell");
        assert_eq!(CostFigure::new(&costs, CostStatistic::Mean, vec![]), None);
    }

    /// Three CPUs on node 0, one on node 1.
    #[test]
    fn means_count_cpus_and_not_nodes() {
        let costs = two_nodes().with_cpu_counts(|node| if node == 0 { 3 } else { 1 });
        let cells = vec![[0, 0], [1, 0]];
        let mean = CostFigure::new(&costs, CostStatistic::Mean, cells.clone()).unwrap();
        let largest = CostFigure::new(&costs, CostStatistic::LargestMean, cells).unwrap();
        assert!((mean.ns() - 177.5).abs() < 1e-9 && (largest.ns() - 180.0).abs() < 1e-9);
    }

    #[test]
    fn a_comparison_has_the_interval_of_its_ratio() {
        let costs = two_nodes();
        let of = |memory| CostFigure::for_cell(&costs, 1, memory).unwrap();
        let compared = CostComparison::new(&costs, of(1), of(0)).unwrap();
        let [low, high] = compared.ci95();
        assert!((compared.ratio() - 1.7).abs() < 1e-9 && compared.wins());
        // Two errors of 0.1 % each.
        assert!((low / 1.7 - 0.99723).abs() < 5e-4 && (high / 1.7 - 1.00277).abs() < 5e-4);
        assert!(!CostComparison::new(&costs, of(0), of(1)).unwrap().wins());
        assert!(!CostComparison::new(&costs, of(1), of(1)).unwrap().wins());
    }

    #[test]
    fn the_same_figure_is_computed_from_other_costs() {
        let figure = CostFigure::for_cell(&two_nodes(), 0, 1).unwrap();
        let others = NodeCosts::from_matrix(&[0], &[1], &[vec![90.0]], 1e-3, 1);
        assert!((figure.computed_from(&others).unwrap().ns() - 90.0).abs() < 1e-9);
    }
}
