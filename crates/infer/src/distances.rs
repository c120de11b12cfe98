//! The distance of two nodes: the mean of both directions, where they agree.
//!
//! On nearly every machine, both directions have the same cost; their mean scatters less. Where
//! they differ by more than chance and by as much as classes do, each direction is a separate
//! distance.

use crate::node_costs::{NodeCosts, mean_of};

/// The smallest ratio between two classes (4 %).
pub(crate) const GAP: f64 = 1.04;
/// Standard errors by which two directions may differ by chance.
const BY_CHANCE: f64 = 4.0;

/// One distance: the mean of one cell or two.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CostDistance {
    pub(crate) cells: Vec<usize>,
    /// Logarithm of the cost.
    pub(crate) log: f64,
}

impl CostDistance {
    fn new(costs: &NodeCosts, cells: Vec<usize>) -> Self {
        let log = mean_of(cells.iter().map(|&cell| costs.logs()[cell]));
        Self { cells, log }
    }

    /// Its value in a resample.
    pub(crate) fn within(&self, logs: &[f64]) -> f64 {
        mean_of(self.cells.iter().map(|&cell| logs[cell]))
    }

    /// Its standard error, of logarithms.
    pub(crate) fn se(&self, costs: &NodeCosts) -> f64 {
        costs
            .scatter(|logs| self.within(logs))
            .map_or(f64::INFINITY, |scatter| scatter.variance().sqrt())
    }
}

/// The distance between two nodes, or of a node to its own memory: the mean of the known
/// directions, `None` where neither is known.
pub(crate) fn between(costs: &NodeCosts, a: u32, b: u32) -> Option<CostDistance> {
    let mut cells: Vec<usize> =
        [costs.cell(a, b), costs.cell(b, a)].into_iter().flatten().collect();
    cells.dedup();
    (!cells.is_empty()).then(|| CostDistance::new(costs, cells))
}

/// All known distances, each cell once.
pub(crate) fn all(costs: &NodeCosts) -> Vec<CostDistance> {
    let distance = |cell: usize| {
        let [cpus, memory] = costs.nodes_of(cell);
        let back =
            costs.cell(memory, cpus).filter(|&back| back != cell && agree(costs, cell, back));
        match back {
            Some(back) if back < cell => None,
            Some(back) => Some(CostDistance::new(costs, vec![cell, back])),
            None => Some(CostDistance::new(costs, vec![cell])),
        }
    };
    costs.known().filter_map(distance).collect()
}

fn agree(costs: &NodeCosts, there: usize, back: usize) -> bool {
    let difference = (costs.logs()[there] - costs.logs()[back]).abs();
    if difference < GAP.ln() {
        return true;
    }
    let scatter = costs.scatter(|logs| logs[there] - logs[back]);
    scatter.is_none_or(|scatter| difference < BY_CHANCE * scatter.variance().sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(there: f64, back: f64) -> NodeCosts {
        NodeCosts::from_matrix(&[0, 1], &[0, 1], &[vec![80.0, there], vec![back, 80.0]], 0.005, 1)
    }

    #[test]
    fn two_directions_are_one_distance() {
        let found = all(&costs(140.0, 142.0));
        assert_eq!(
            found.iter().map(|distance| distance.cells.clone()).collect::<Vec<_>>(),
            [vec![0], vec![1, 2], vec![3]]
        );
        assert!((found[1].log.exp() - (140.0f64 * 142.0).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn differing_directions_stay_separate() {
        assert_eq!(all(&costs(140.0, 180.0)).len(), 4);
        assert_eq!(between(&costs(140.0, 180.0), 1, 0).unwrap().cells, [2, 1]);
    }

    #[test]
    fn one_known_direction_is_enough() {
        assert_eq!(between(&costs(140.0, f64::NAN), 1, 0).unwrap().cells, [1]);
        assert_eq!(between(&costs(f64::NAN, f64::NAN), 1, 0), None);
    }
}
