//! The true properties of a simulated machine.

use fastrand::Rng;
use nearfar_infer::normal;

/// True costs, and the resulting links and classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name in tables.
    pub name: &'static str,
    /// `[row][column]`: cost of each column's memory for each row's CPUs, in ns.
    pub costs: Vec<Vec<f64>>,
    /// Which nodes are linked, lower number first. Row and column numbers are those of the nodes.
    pub links: Vec<(u32, u32)>,
    /// `[row][column]`: class of each cell, from near to far.
    pub classes: Vec<Vec<usize>>,
}

impl Model {
    /// A uniform machine: 100 ns everywhere.
    pub fn uniform(rows: usize, columns: usize) -> Self {
        let (costs, classes) = (vec![vec![100.0; columns]; rows], vec![vec![0; columns]; rows]);
        Self { name: "uniform", costs, links: all_pairs(columns.min(rows)), classes }
    }

    /// The same, with one memory that costs more for all rows, by this share.
    pub fn one_slow_node(rows: usize, columns: usize, share: f64) -> Self {
        let mut model = Self { name: "one slow node", ..Self::uniform(rows, columns) };
        for row in 0..rows {
            model.costs[row][columns - 1] *= 1.0 + share;
            model.classes[row][columns - 1] = 1;
        }
        model
    }

    /// Rows of CPUs.
    pub fn rows(&self) -> usize {
        self.costs.len()
    }

    /// Columns of memory.
    pub fn columns(&self) -> usize {
        self.costs.first().map_or(0, Vec::len)
    }

    /// Numbers of the nodes that have CPUs: all rows.
    pub fn cpu_nodes(&self) -> Vec<u32> {
        (0u32..).take(self.rows()).collect()
    }

    /// Numbers of the nodes that have memory: all columns.
    pub fn memory_nodes(&self) -> Vec<u32> {
        (0u32..).take(self.columns()).collect()
    }

    /// The matrix as published: each figure with a normal error of this size.
    pub fn blurred(&self, se: f64, rng: &mut Rng) -> Vec<Vec<f64>> {
        let mut blur = |cost: f64| cost * (se * normal(rng)).exp();
        self.costs.iter().map(|row| row.iter().map(|&cost| blur(cost)).collect()).collect()
    }
}

pub(super) fn all_pairs(nodes: usize) -> Vec<(u32, u32)> {
    let nodes = u32::try_from(nodes).unwrap_or(u32::MAX);
    (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).collect()
}
